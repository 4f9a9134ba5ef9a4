package nested

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

func TestApply(t *testing.T) {
	for name, c := range map[string]struct {
		original, sha256, old string
		want                  string // "": it is refused
	}{
		"once":    {"a b c", site.ContentHash([]byte("a b c")), "b", "a X c"},
		"never":   {"a b c", site.ContentHash([]byte("a b c")), "d", ""},
		"twice":   {"a b b", site.ContentHash([]byte("a b b")), "b", ""},
		"changed": {"a b c", site.ContentHash([]byte("a b d")), "b", ""},
	} {
		got, err := patch{file: "x/y.go", sha256: c.sha256, edits: []edit{{c.old, "X"}}}.apply([]byte(c.original))
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err != nil && (!errors.Is(err, errChanged) || !strings.Contains(err.Error(), "x/y.go")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestChangedOriginal wants a build to fail if a file that is replaced or left out is another one than the row says.
func TestChangedOriginal(t *testing.T) {
	patches, dir := Kubectl.patches, t.TempDir()
	s := sources{vendor: dir, standard: dir, own: "patches", out: filepath.Join(dir, "out")}
	if _, err := s.replacements(patches, true); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the files: %v", err)
	}
	for _, p := range patches {
		if p.sha256 == "" {
			continue
		}
		if err := site.WriteFile(s.place(p), []byte("package other\n")); err != nil {
			t.Fatal(err)
		}
		if err := p.check([]byte("package other\n")); !errors.Is(err, errChanged) {
			t.Errorf("%s: %v", p.file, err)
		}
	}
	_, err := s.replacements(patches, true)
	if !errors.Is(err, errChanged) || !strings.Contains(err.Error(), patches[0].file) {
		t.Errorf("with others: %v", err)
	}
}

// oneLine returns code as the table shows it.
func oneLine(code string) string { return strings.Join(strings.Fields(code), " ") }

// TestPatchesAreShown wants the table of patches in a module's README to have each row, and their files to exist.
func TestPatchesAreShown(t *testing.T) {
	for _, program := range programs {
		t.Run(program.Name, func(t *testing.T) { patchesAreShown(t, program) })
	}
}

func patchesAreShown(t *testing.T, program Program) {
	dir := filepath.Join("../../..", program.dir)
	page, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, p := range program.patches {
		becomes := "nothing"
		if p.own != "" {
			becomes, used[p.own] = fmt.Sprintf("[%s](patches/%[1]s)", p.own), true
		}
		for i, e := range p.edits {
			text := fmt.Sprintf("`%s` instead of `%s`", oneLine(e.new), oneLine(e.old))
			if e.new == "" {
				text = fmt.Sprintf("without `%s`", oneLine(e.old))
			}
			if becomes += "; " + text; i == 0 {
				becomes = text
			}
		}
		if row := fmt.Sprintf("| `%s` | %s | %s |\n", p.file, becomes, p.reason); !strings.Contains(string(page), row) {
			t.Errorf("the README lacks\n%s", row)
		}
	}
	files, err := os.ReadDir(filepath.Join(dir, "patches"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !used[f.Name()] {
			t.Errorf("nothing uses %s", f.Name())
		}
		delete(used, f.Name())
	}
	if len(used) > 0 {
		t.Errorf("there is no %v", used)
	}
}
