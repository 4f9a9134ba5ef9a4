package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// module is what the paths of the project's packages begin with.
const module = "github.com/tabernetes/tabernetes/"

// folders are the project's, the lowest first: what lies in one imports nothing of those
// behind it, be it in Go or in JavaScript, in tests or not.
var folders = []string{"core", "wasm", "web", "devserver", "playwright"}

// TestImportsGoDown keeps the folders in order.
func TestImportsGoDown(t *testing.T) {
	crossing := map[string]int{} // how often a folder imports another, so that the test is known to see it
	for _, i := range allImports(t) {
		from, to := slices.Index(folders, top(i.file)), slices.Index(folders, top(i.folder))
		switch {
		case to > from:
			t.Errorf("%s imports %s", i.file, i.folder)
		case to >= 0 && to < from:
			crossing[folders[from]+path.Ext(i.file)]++
		}
	}
	for _, seen := range []string{"wasm.go", "web.go", "web.js", "devserver.go", "playwright.js"} {
		if crossing[seen] == 0 {
			t.Errorf("no import was seen of a lower folder by files of %s", seen)
		}
	}
}

// TestNoCircles wants no folder to import itself by way of others, in Go and JavaScript
// together. A Go package's external tests count as their own folder, above it.
func TestNoCircles(t *testing.T) {
	arrows := map[string]map[string]string{} // by importer and imported, a file that imports
	for _, i := range allImports(t) {
		if i.from == i.folder {
			continue
		}
		if arrows[i.from] == nil {
			arrows[i.from] = map[string]string{}
		}
		arrows[i.from][i.folder] = i.file
	}
	if circle := findCircle(arrows); circle != nil {
		for i, from := range circle[:len(circle)-1] {
			to := circle[i+1]
			t.Errorf("%s imports %s: %s", from, to, arrows[from][to])
		}
	}
}

// TestBinariesHaveNoDevserver keeps what only the devserver needs out of the WebAssembly binaries.
func TestBinariesHaveNoDevserver(t *testing.T) {
	root, err := site.Root()
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", "list", "-deps", "./wasm", "./wasm/room/front", "./web/lab/main")
	list.Dir, list.Env = root, append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	for _, p := range packages {
		if strings.HasPrefix(p, "github.com/coder/websocket") || strings.HasPrefix(p, module+"devserver/") {
			t.Errorf("a binary has %s", p)
		}
	}
	if !slices.Contains(packages, module+"core") {
		t.Errorf("%d packages, without the core", len(packages))
	}
}

// labHas are the packages of core that the lab contains: what names and explains what a server does, without the
// server, its store and its B-tree.
var labHas = []string{
	"core/cbor/item", "core/expression/syntax", "core/horizon", "core/internal/field", "core/internal/structural",
	"core/internal/traces", "core/schema", "core/semantics", "core/settings", "core/source", "core/wellknown",
}

// TestLabHasNoServer keeps the lab's program to these.
func TestLabHasNoServer(t *testing.T) {
	root, err := site.Root()
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", "list", "-deps", "./web/lab/main")
	list.Dir, list.Env = root, append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	var has []string
	for _, p := range strings.Fields(string(out)) {
		if name, ours := strings.CutPrefix(p, module); ours && top(name) == "core" {
			has = append(has, name)
		}
		if p == "github.com/google/btree" {
			t.Error("the lab has the B-tree")
		}
	}
	if slices.Sort(has); !slices.Equal(has, labHas) {
		t.Errorf("the lab has %q of core, not %q", has, labHas)
	}
}

func TestFindCircle(t *testing.T) {
	arrows := map[string]map[string]string{"a": {"b": ""}, "b": {"c": "", "d": ""}, "c": {"d": ""}}
	if circle := findCircle(arrows); circle != nil {
		t.Errorf("%v is a circle", circle)
	}
	arrows["d"] = map[string]string{"b": ""}
	circle := findCircle(arrows)
	if len(circle) < 3 || circle[0] != circle[len(circle)-1] || slices.Contains(circle, "a") {
		t.Errorf("found %v, not the circle of b and d", circle)
	}
}

// findCircle returns folders of which each imports the next, the last being the first
// again, or nil.
func findCircle(arrows map[string]map[string]string) []string {
	done := map[string]bool{}
	var way []string
	var visit func(folder string) []string
	visit = func(folder string) []string {
		if at := slices.Index(way, folder); at >= 0 {
			return append(slices.Clone(way[at:]), folder)
		}
		if done[folder] {
			return nil
		}
		way = append(way, folder)
		for next := range arrows[folder] {
			if circle := visit(next); circle != nil {
				return circle
			}
		}
		way = way[:len(way)-1]
		done[folder] = true
		return nil
	}
	for folder := range arrows {
		if circle := visit(folder); circle != nil {
			return circle
		}
	}
	return nil
}

// An imported is what a file imports of the project.
type imported struct {
	file   string // which imports
	from   string // its folder; of a Go package's external tests with _test behind it
	folder string // what it imports, or the folder of that
}

// top returns the first part of a path.
func top(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}

// allImports reads the imports of all files below folders, but for those of nested modules, which test all of this one.
func allImports(t *testing.T) []imported {
	t.Helper()
	all, _ := readImports(t, folders)
	return all
}

// nestedImports reads the imports of all files of the modules below folders.
func nestedImports(t *testing.T) []imported {
	t.Helper()
	_, nested := readImports(t, folders)
	var all []imported
	for len(nested) > 0 {
		var found []imported
		found, nested = readImports(t, nested)
		all = append(all, found...)
	}
	return all
}

// readImports reads the imports of all files below some folders, and returns the modules that are nested in them.
func readImports(t *testing.T, folders []string) (all []imported, modules []string) {
	t.Helper()
	root, err := site.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			file, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			file = filepath.ToSlash(file)
			if d.IsDir() {
				if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && file != folder {
					modules = append(modules, file)
					return filepath.SkipDir
				}
				return nil
			}
			var found []imported
			switch path.Ext(file) {
			case ".go":
				found, err = goImports(name, file)
			case ".js", ".ts":
				found, err = scriptImports(root, file)
			}
			all = append(all, found...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all, modules
}

func goImports(name, file string) ([]imported, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	from := path.Dir(file)
	if strings.HasSuffix(parsed.Name.Name, "_test") {
		from += "_test"
	}
	var found []imported
	for _, i := range parsed.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		if folder, ok := strings.CutPrefix(name, module); ok {
			found = append(found, imported{file, from, folder})
		}
	}
	return found, nil
}

// scriptImport finds what a script imports: statically, when it is asked for or as a type;
// or reads, by its place beside the script.
var scriptImport = regexp.MustCompile("(?:from |import |import\\(\\s*)[\"'`](\\.[^\"'`]*)[\"'`]" +
	"|new URL\\(\\s*[\"'`]([^\"'`]*)[\"'`],\\s*import\\.meta\\.url")

func scriptImports(root, file string) ([]imported, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	from := path.Dir(file)
	var found []imported
	for _, m := range scriptImport.FindAllStringSubmatch(string(text), -1) {
		to := path.Join(from, m[1]+m[2])
		if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(to))); err != nil || !info.IsDir() {
			to = path.Dir(to)
		}
		if to != "." { // the whole project: where it is, no more
			found = append(found, imported{file, from, to})
		}
	}
	return found, nil
}
