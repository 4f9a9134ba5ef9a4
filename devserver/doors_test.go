package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/site"
)

// TestDoors wants each folder at core's top to have a reader outside of core: what has none belongs into core/internal.
func TestDoors(t *testing.T) {
	root, err := site.Root()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(root, "core"))
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{}
	for _, i := range allImports(t) {
		if parts := strings.Split(i.folder, "/"); len(parts) > 1 && parts[0] == "core" && top(i.file) != "core" {
			read[parts[1]] = true
		}
	}
	doors := 0
	for _, e := range entries {
		if name := e.Name(); e.IsDir() && name != "internal" && name != "testdata" {
			if doors++; !read[name] {
				t.Errorf("nothing outside of core imports core/%s", name)
			}
		}
	}
	if doors < 20 {
		t.Errorf("core has %d doors: this test has lost its way", doors)
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
