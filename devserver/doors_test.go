package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// TestDoors wants each folder at the top of core and devserver to have a reader outside of it, or an example: what has
// none belongs into the folder internal there.
func TestDoors(t *testing.T) {
	root, err := site.Root()
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{} // what is imported from outside, also by nested modules
	for _, i := range append(allImports(t), nestedImports(t)...) {
		if parts := strings.Split(i.folder, "/"); len(parts) > 1 && parts[0] != top(i.file) {
			read[path.Join(parts[0], parts[1])] = true
		}
	}
	for folder, least := range map[string]int{"core": 20, "devserver": 3} {
		entries, err := os.ReadDir(filepath.Join(root, folder))
		if err != nil {
			t.Fatal(err)
		}
		doors := 0
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			if !e.IsDir() || e.Name() == "internal" || e.Name() == "testdata" {
				continue
			}
			doors++
			_, err := os.Stat(filepath.Join(root, filepath.FromSlash(name), "example_test.go"))
			if !read[name] && err != nil {
				t.Errorf("nothing outside of %s imports %s, and it has no example", folder, name)
			}
		}
		if doors < least {
			t.Errorf("%s has %d doors: not all were found", folder, doors)
		}
	}
}

// layers returns the layers that core/doc.go gives packages, by their folders.
func layers(t *testing.T, root string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "core", "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	layerOf := map[string]int{}
	rows := regexp.MustCompile(`(?m)^//\t([ \d]\d)  (\S+(?:, \S+)*)  `)
	for _, row := range rows.FindAllStringSubmatch(string(text), -1) {
		layer, err := strconv.Atoi(strings.TrimSpace(row[1]))
		if err != nil {
			t.Fatal(err)
		}
		for name := range strings.SplitSeq(row[2], ", ") {
			if name != "core" {
				name = "core/" + name
			}
			layerOf[name] = layer
		}
	}
	return layerOf
}

// TestLayers holds core's imports, but for those of tests, against the list in core/doc.go.
func TestLayers(t *testing.T) {
	root, err := site.Root()
	if err != nil {
		t.Fatal(err)
	}
	layerOf := layers(t, root)
	line := func(folder string) string {
		for at := folder; at != "core" && at != "."; at = path.Dir(at) {
			if _, is := layerOf[at]; is {
				return at
			}
		}
		if folder != "core" {
			t.Errorf("core/doc.go has no line for %s", folder)
		}
		return "core"
	}
	for _, i := range allImports(t) {
		if path.Ext(i.file) != ".go" || strings.HasSuffix(i.file, "_test.go") || top(i.file) != "core" ||
			top(i.folder) != "core" {
			continue
		}
		from, to := line(path.Dir(i.file)), line(i.folder)
		if from != to && layerOf[from] <= layerOf[to] {
			t.Errorf("%s (layer %d) imports %s (layer %d)", i.file, layerOf[from], i.folder, layerOf[to])
		}
	}
	for name := range layerOf {
		folder := filepath.Join(root, filepath.FromSlash(name))
		if _, err := os.Stat(folder); err != nil {
			t.Errorf("core/doc.go has a line for %s: %v", name, err)
		}
	}
}
