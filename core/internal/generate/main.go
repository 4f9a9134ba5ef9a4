// Command generate writes the generated files of the project. From the sources of one Kubernetes
// release it writes core/schema's tables:
//
//   - types.txt: the API's Go types (field order, JSON names and options, protobuf numbers,
//     patch keys), completed with what the OpenAPI v3 documents say (required fields, list types,
//     defaults);
//   - resources.txt: the resources that a default kube-apiserver serves, from the discovery documents.
//   - columns.txt: the descriptions of the columns of Tables.
//
// For core/internal/kinds/enum it writes the values of the API's enumerations, and for core/internal/kinds/shape the
// Go structs that the real server prints.
//
// From core/wellknown and core/settings it writes a module of JavaScript beside each, for the scripts, and from
// Unicode's data the letters that characters are made of, for core/room.
//
// With -descriptions it writes the descriptions of Kubernetes' types instead, which kubectl explain
// shows.
//
// It reads the released modules from the module cache, downloading them if need be, and runs
// natively only: `go generate ./core/internal/generate`. No package imports it: it is above everything that
// it imports, such as core/openapi.
package main

//go:generate go run . -out ../../..

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

// The release the tables describe.
const (
	kubernetesVersion = "v1.36.3"
	stagingVersion    = "v0.36.3"
)

// modules are the modules that hold the API's types, by the prefix of their packages.
var modules = map[string]string{
	"k8s.io/api":                     stagingVersion,
	"k8s.io/apimachinery":            stagingVersion,
	"k8s.io/apiextensions-apiserver": stagingVersion,
	"k8s.io/kube-aggregator":         stagingVersion,
	"k8s.io/kubernetes":              kubernetesVersion,
}

func main() {
	log.SetFlags(0)
	out := flag.String("out", ".", "the project's directory, or one that gets the files in the same places")
	descriptions := flag.String("descriptions", "",
		"write to this file what Kubernetes says of its types, and nothing else")
	flag.Parse()
	dirs, err := download()
	switch {
	case err != nil:
	case *descriptions != "":
		var text []byte
		if text, err = writeDescriptions(dirs); err == nil {
			err = os.WriteFile(*descriptions, text, 0o644)
		}
	default:
		err = generate(dirs, *out)
	}
	if err != nil {
		log.Fatal("generate: ", err)
	}
}

// generate writes all files to their places below out, the tables from the modules in dirs.
func generate(dirs map[string]string, out string) error {
	groups, err := readDiscovery(filepath.Join(dirs["k8s.io/kubernetes"], "api", "discovery"))
	if err != nil {
		return err
	}
	docs, err := readOpenAPI(filepath.Join(dirs["k8s.io/kubernetes"], "api", "openapi-spec", "v3"))
	if err != nil {
		return err
	}
	all := newSources(dirs)
	types, err := writeTypes(all, docs, groups)
	if err != nil {
		return err
	}
	resources, err := writeResources(groups)
	if err != nil {
		return err
	}
	kinds := map[string]bool{}
	for _, g := range groups {
		for _, gv := range g.versions {
			for _, r := range gv.resources {
				kinds[r.Kind] = true
				for _, sub := range r.subresources {
					kinds[sub.Kind] = true
				}
			}
		}
	}
	columns, err := writeColumns(all, func(kind string) bool { return kinds[kind] })
	if err != nil {
		return err
	}
	script, err := javaScript()
	if err != nil {
		return err
	}
	settings, err := settingsScript()
	if err != nil {
		return err
	}
	enums, err := writeEnums(types)
	if err != nil {
		return err
	}
	shapes, shapeNames, err := writeShapes(all)
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"core/schema/columns.txt": columns, "core/schema/types.txt": types, "core/schema/resources.txt": resources,
		lettersFile: writeLetters(), javaScriptFile: script, settingsFile: settings, enumsFile: enums,
		shapesFile: shapes, shapeNamesFile: shapeNames,
	} {
		file := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// download makes sure the modules are in the module cache and returns their directories.
// It runs outside of any module, so that no go.mod is touched; env is added to the environment.
func download(env ...string) (map[string]string, error) {
	args := []string{"mod", "download", "-json"}
	for path, version := range modules {
		args = append(args, path+"@"+version)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = os.TempDir()
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod"), env...)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	dirs := map[string]string{}
	for dec := json.NewDecoder(pipe); dec.More(); {
		var m struct{ Path, Dir, Error string }
		if err := dec.Decode(&m); err != nil {
			return nil, fmt.Errorf("go mod download: %w", err)
		}
		if m.Error != "" {
			return nil, fmt.Errorf("download %s: %s", m.Path, m.Error)
		}
		dirs[m.Path] = m.Dir
	}
	return dirs, cmd.Wait()
}
