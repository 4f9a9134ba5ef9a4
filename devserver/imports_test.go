package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// folders are the project's, the lowest first: what lies in one imports nothing of those
// behind it, be it in Go or in JavaScript, in tests or not.
var folders = []string{"core", "wasm", "web", "devserver"}

// scriptImport finds what a script imports, statically, when it is asked for or as a type.
var scriptImport = regexp.MustCompile(`(?:from |import |import\()["'](\.[^"']*)["']`)

// TestImportsGoDown keeps the folders free of circles.
func TestImportsGoDown(t *testing.T) {
	const module = "github.com/tabernetes/tabernetes/"
	root, err := projectRoot()
	if err != nil {
		t.Fatal(err)
	}
	crossing := map[string]int{} // how often a folder imports another, so that the test is known to see it
	for from, folder := range folders {
		check := func(file, imported string) {
			top, _, _ := strings.Cut(imported, "/")
			switch to := slices.Index(folders, top); {
			case to > from:
				t.Errorf("%s imports %s", file, imported)
			case to >= 0 && to < from:
				crossing[folder+path.Ext(file)]++
			}
		}
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
					return filepath.SkipDir // a module of its own, which tests all of this one
				}
				return nil
			}
			file, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			file = filepath.ToSlash(file)
			switch path.Ext(file) {
			case ".go":
				parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
				if err != nil {
					return err
				}
				for _, i := range parsed.Imports {
					imported, err := strconv.Unquote(i.Path.Value)
					if err != nil {
						return err
					}
					if inside, ok := strings.CutPrefix(imported, module); ok {
						check(file, inside)
					}
				}
			case ".js", ".ts":
				text, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				for _, m := range scriptImport.FindAllStringSubmatch(string(text), -1) {
					check(file, path.Join(path.Dir(file), m[1]))
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	for _, seen := range []string{"wasm.go", "web.go", "web.js", "devserver.go"} {
		if crossing[seen] == 0 {
			t.Errorf("no import was seen of a lower folder by files of %s", seen)
		}
	}
}
