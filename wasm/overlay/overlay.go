// Package overlay has the go command compile other sources for the page's
// binaries than those that lie there: the project's own versions of packages of
// the standard library and of a module, which are much smaller because they hold
// only what the binaries use, and smaller forms of what templ generates. The
// folders below have the stand-ins, each with tests that compare it with what it
// stands for.
//
// Flags writes the files for the go command's flags -overlay and
// -modfile. Nothing outside of the directory given is written.
//
// Invariants:
//   - Each stand-in can be left out by its name (package shrink has the list), as
//     long as those that need it are left out too.
//   - The sources are those of the Go version that go.mod pins: another one's
//     packages have other files. With another version nothing of this is used.
//
// Costs: some hundred small files are read and written for each binary.
package overlay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A standin is the project's own version of a package of the standard library. Those of one name go together.
type standin struct {
	name string
	path string
	file string            // its only file, in the project
	kept func(string) bool // the package's files that stay beside it; nil: none
	lab  bool              // only the lab's binary has it
}

var standins = []standin{
	{name: "http", path: "net/http", file: "wasm/overlay/http/http.go", kept: func(name string) bool {
		return name == "method.go" || name == "status.go" || name == "sniff.go"
	}},
	{name: "template", path: "html/template", file: "wasm/overlay/template/template.go"},
	{name: "html", path: "html", file: "wasm/overlay/html/html.go"},
	{name: "big", path: "math/big", file: "wasm/overlay/big/big.go"},
	{name: "crypto", path: "crypto/rand", file: "wasm/overlay/rand/rand.txt"},
	{name: "crypto", path: "crypto/internal/boring", file: "wasm/overlay/boring/boring.txt"},
	{name: "crypto", path: "crypto/hmac", file: "wasm/overlay/hmac/hmac.go"},
	{name: "godebug", path: "internal/godebug", file: "wasm/overlay/godebug/godebug.go"},
	{name: "slices", path: "slices", file: "wasm/overlay/slices/sort.go", kept: func(name string) bool {
		return name != "zsortanyfunc.go" && name != "zsortordered.go"
	}},
	{name: "regexp", path: "regexp", file: "wasm/overlay/regexp/regexp.go", lab: true},
}

// The names of what is no package of the standard library: a module, and the code
// that templ generates.
const (
	moduleName    = "jsoniter"
	templatesName = "templ"
)

// moduleDir is the directory of the module that the binaries have instead of
// module. The directory becomes a module only for that: the project's tests compare
// it with the other.
const (
	module    = "github.com/json-iterator/go"
	moduleDir = "wasm/overlay/jsoniter"
)

// Names lists the stand-ins.
func Names() []string {
	names := []string{moduleName, templatesName}
	for _, s := range standins {
		names = append(names, s.name)
	}
	return slices.Compact(names)
}

// Options say for which binary the flags are, and which stand-ins it has.
type Options struct {
	// Root is the project's directory, GOROOT that of the Go distribution.
	Root, GOROOT string
	// Dir is the directory that is written to. A file in it is of use until the
	// next call for the same binary.
	Dir string
	// Lab is whether the binary is the lab's, in which nobody but the project writes
	// regular expressions.
	Lab bool
	// Templates is a directory: what templ generated below it becomes smaller. Empty:
	// nothing does.
	Templates string
	// Has reports whether a stand-in is used.
	Has func(name string) bool
	// Replace are further files that are replaced: a file, and the one that is read instead, or "" for none.
	Replace map[string]string
}

// Flags returns the go command's flags by which it takes the stand-ins.
func Flags(o Options) ([]string, error) {
	for _, path := range []*string{&o.Root, &o.Dir, &o.Templates} {
		if *path == "" {
			continue
		}
		var err error
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, err
	}
	replace := map[string]string{} // as o.Replace
	maps.Copy(replace, o.Replace)
	for _, s := range standins {
		if !o.Has(s.name) || s.lab && !o.Lab {
			continue
		}
		if err := s.replace(o, replace); err != nil {
			return nil, err
		}
	}
	if o.Has("big") && !o.Has("crypto") {
		// It has the two functions about large numbers, which the stand-in lacks.
		replace[filepath.Join(o.GOROOT, "src", "crypto", "rand", "util.go")] = ""
	}
	if o.Has(templatesName) && o.Templates != "" {
		if err := smallerTemplates(o, replace); err != nil {
			return nil, err
		}
	}
	var flags []string
	if o.Has(moduleName) {
		flag, err := replaceModule(o, replace)
		if err != nil {
			return nil, err
		}
		flags = append(flags, flag)
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(o.Dir, "server.overlay.json")
	if o.Lab {
		file = filepath.Join(o.Dir, "lab.overlay.json")
	}
	return append(flags, "-overlay="+file), os.WriteFile(file, text, 0o644)
}

// replace notes what the files of a package become: its own file one of them, the
// others nothing, as if they were not there.
func (s standin) replace(o Options, with map[string]string) error {
	dir := filepath.Join(o.GOROOT, "src", filepath.FromSlash(s.path))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && (s.kept == nil || !s.kept(e.Name())) {
			with[filepath.Join(dir, e.Name())] = ""
		}
	}
	with[filepath.Join(dir, "own.go")] = filepath.Join(o.Root, filepath.FromSlash(s.file))
	return nil
}

// replaceModule writes a go.mod that has the project's own directory for the module, and returns the flag with which
// the go command reads it. The directory is relative to the project's, since binaries record where a module came from.
func replaceModule(o Options, with map[string]string) (string, error) {
	own, project := filepath.Join(o.Dir, "own.mod"), filepath.Join(o.Dir, "page.mod")
	with[filepath.Join(o.Root, filepath.FromSlash(moduleDir), "go.mod")] = own
	requirements, err := os.ReadFile(filepath.Join(o.Root, "go.mod"))
	if err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(o.Root, "go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for file, text := range map[string][]byte{
		own:                              []byte("module " + module + "\n\ngo 1.26\n"),
		project:                          fmt.Appendf(slices.Clip(requirements), "\nreplace %s => ./%s\n", module, moduleDir),
		filepath.Join(o.Dir, "page.sum"): sums,
	} {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return "", err
		}
	}
	return "-modfile=" + project, nil
}
