package release

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// Module is the project's.
const Module = "github.com/tabernetes/tabernetes"

// A part is what a program is linked from, with the folder that has its license: a module, or Go's own library.
type part struct{ path, version, dir string }

// What a release is built of: packages, in the modules where they are; those of the site are for another target than
// the program that they are in.
var built = []struct {
	module   string
	packages []string
	page     bool
}{
	{".", []string{"./devserver"}, false},
	{".", []string{"./wasm", "./web/lab/main"}, true},
	{filepath.Join("wasm", "kubectl"), []string{"."}, true},
	{filepath.Join("wasm", "controllers"), []string{"."}, true},
	{filepath.Join("wasm", "controllers"), []string{"."}, false},
}

// partsOf returns the parts of all programs, for all targets, sorted. The folder has the site, in which some program of
// a nested module may not be.
func partsOf(ctx context.Context, root string, targets []Target, folder string) ([]part, error) {
	found := map[string]part{}
	const format = `{{with .Module}}{{if not .Main}}{{with .Replace}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{else}}` +
		`{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}{{end}}`
	for _, p := range built {
		if p.page && p.module != "." {
			if _, err := os.Stat(filepath.Join(folder, filepath.Base(p.module))); err != nil {
				continue
			}
		}
		builds := targets
		if p.page {
			builds = []Target{{"js", "wasm"}}
		}
		for _, t := range builds {
			args := append([]string{"list", "-deps", "-f", format}, p.packages...)
			out, err := site.Go(ctx, filepath.Join(root, p.module), t.env(), args...)
			if err != nil {
				return nil, err
			}
			for line := range strings.Lines(string(out)) {
				name, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
				path, version, _ := strings.Cut(name, " ")
				if path != "" && version != "" && path != Module {
					found[name] = part{path, version, dir}
				}
			}
		}
	}
	goroot, err := site.GoEnv(ctx, root, "GOROOT")
	if err != nil {
		return nil, err
	}
	version, err := site.GoEnv(ctx, root, "GOVERSION")
	if err != nil {
		return nil, err
	}
	parts := []part{{"std", strings.TrimPrefix(version, "go"), goroot}}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		parts = append(parts, found[name])
	}
	return parts, nil
}

// What bill writes: as much of CycloneDX 1.6 as is known. There is no time and no serial number, which would differ
// from one build to the next.
type (
	document struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Version    int         `json:"version"`
		Metadata   metadata    `json:"metadata"`
		Components []component `json:"components"`
	}
	metadata struct {
		Component component `json:"component"`
	}
	component struct {
		Type     string    `json:"type"`
		Name     string    `json:"name"`
		Version  string    `json:"version"`
		URL      string    `json:"purl,omitempty"`
		Licenses []license `json:"licenses,omitempty"`
	}
	license struct {
		License struct {
			ID string `json:"id"`
		} `json:"license"`
	}
)

// bill lists the parts of a version's programs.
func bill(version string, parts []part) ([]byte, error) {
	d := document{Format: "CycloneDX", Spec: "1.6", Version: 1}
	d.Metadata.Component = component{
		Type: "application", Name: Module, Version: version, URL: "pkg:golang/" + Module + "@" + version,
		Licenses: licensed("Apache-2.0"),
	}
	for _, p := range parts {
		ids, err := licensesIn(p.dir)
		if err != nil {
			return nil, err
		}
		d.Components = append(d.Components, component{
			Type: "library", Name: p.path, Version: p.version, URL: "pkg:golang/" + p.path + "@" + p.version,
			Licenses: licensed(ids...),
		})
	}
	return json.MarshalIndent(d, "", " ")
}

func licensed(ids ...string) []license {
	all := make([]license, len(ids))
	for i, id := range ids {
		all[i].License.ID = id
	}
	return all
}

// licensesIn names the licenses in a folder by their SPDX identifiers.
func licensesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "licen") && !strings.HasPrefix(name, "copying") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if id := identify(string(text)); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// identify returns the SPDX identifier of the license whose text this is, or "".
func identify(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	has := func(part string) bool { return strings.Contains(text, part) }
	switch {
	case has("Apache License") && has("Version 2.0"):
		return "Apache-2.0"
	case has("Mozilla Public License") && has("2.0"):
		return "MPL-2.0"
	case has("Permission is hereby granted, free of charge"):
		return "MIT"
	case has("Permission to use, copy, modify, and") && has("distribute this software for any purpose"):
		return "ISC"
	case has("Redistribution and use in source and binary forms") && (has("Neither the name") || has("names of its")):
		return "BSD-3-Clause"
	case has("Redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	}
	return ""
}
