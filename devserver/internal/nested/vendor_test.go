package nested

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// TestCopyFiles wants a copy of a module to have the files that a build reads, and no others after a change.
func TestCopyFiles(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := site.WriteFile(filepath.Join(from, filepath.FromSlash(name)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	copied := func() []string {
		t.Helper()
		files, err := programFiles(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := copyFiles(from, to, files); err != nil {
			t.Fatal(err)
		}
		have, err := moduleFiles(to)
		if err != nil {
			t.Fatal(err)
		}
		return have
	}
	put("go.mod", "module x\n\nrequire (\n\ty v0.0.0\n\tz v1.0.0\n)\n\nreplace y => ../..\n")
	put("go.sum", "")
	put("main.go", "package main\nimport (\n\t_ \"fmt\"\n\t_ \"x/a\"\n)\n")
	put("a/a.go", "package a\nimport _ \"x/b\"\n")
	put("a/a_test.go", "package a\nimport _ \"testing\"\n")
	put("a/embedded/b.yaml", "a: b\n")
	put("b/b.go", "package b\n")
	put("fortests/c.go", "package fortests\nimport _ \"y\"\n")
	put("fortests/c.yaml", "a: b\n")
	put("README.md", "x\n")
	files := []string{"go.mod", "go.sum", "a/a.go", "a/embedded/b.yaml", "b/b.go", "main.go"}
	if got, want := copied(), files; !slices.Equal(got, want) {
		t.Errorf("%v, and not %v", got, want)
	}
	if mod, err := os.ReadFile(filepath.Join(to, "go.mod")); err != nil ||
		string(mod) != "module x\n\nrequire z v1.0.0\n" {
		t.Errorf("go.mod of the copy: %s, %v", mod, err)
	}
	if err := os.RemoveAll(filepath.Join(from, "a")); err != nil {
		t.Fatal(err)
	}
	put("main.go", "package main\nimport _ \"fmt\"\n")
	if got, want := copied(), []string{"go.mod", "go.sum", "main.go"}; !slices.Equal(got, want) {
		t.Errorf("%v, and not %v", got, want)
	}
	first, err := needs(from, copied())
	if err != nil {
		t.Fatal(err)
	}
	put("main.go", "package main\nimport _ \"fmt\"\nfunc main() {}\n")
	if again, err := needs(from, copied()); err != nil || again != first {
		t.Errorf("code alone changes what is needed: %s, %v", again, err)
	}
	put("main.go", "package main\nimport _ \"os\"\n")
	if other, err := needs(from, copied()); err != nil || other == first {
		t.Errorf("another import does not change what is needed: %v", err)
	}
}

// TestProgramsAreAlone wants the programs to import nothing of the module that theirs are nested in, which is not where
// they are built.
func TestProgramsAreAlone(t *testing.T) {
	for _, p := range programs {
		dir := filepath.Join("../../..", filepath.FromSlash(p.dir))
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		files, err := programFiles(dir)
		if err != nil || !slices.Contains(files, "main.go") {
			t.Fatalf("%s: %v, %v", p.Name, files, err)
		}
		sources := slices.DeleteFunc(files, func(name string) bool { return filepath.Ext(name) != ".go" })
		imports, err := imports(dir, sources)
		if err != nil {
			t.Fatal(err)
		}
		module := modfile.ModulePath(mod)
		around := strings.TrimSuffix(module, p.dir)
		for _, path := range imports {
			if strings.HasPrefix(path, around) && !strings.HasPrefix(path, module+"/") {
				t.Errorf("%s imports %s", p.Name, path)
			}
		}
	}
}
