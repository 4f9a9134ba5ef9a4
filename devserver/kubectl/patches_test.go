package kubectl

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hashOf returns the SHA-256 of a text, in hex.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestApply(t *testing.T) {
	for name, c := range map[string]struct {
		original, sha256, old string
		want                  string // "": it is refused
	}{
		"once":    {"a b c", hashOf("a b c"), "b", "a X c"},
		"never":   {"a b c", hashOf("a b c"), "d", ""},
		"twice":   {"a b b", hashOf("a b b"), "b", ""},
		"changed": {"a b c", hashOf("a b d"), "b", ""},
	} {
		got, err := patch{file: "x/y.go", sha256: c.sha256, old: c.old, new: "X"}.apply([]byte(c.original))
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
	dir := t.TempDir()
	s := sources{vendor: dir, standard: dir, own: "patches", out: filepath.Join(dir, "out")}
	if _, err := s.replacements(true); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the files: %v", err)
	}
	for _, p := range patches {
		file := s.place(p)
		if err := write(file, []byte("package other\n")); err != nil {
			t.Fatal(err)
		}
		if err := p.check([]byte("package other\n")); !errors.Is(err, errChanged) {
			t.Errorf("%s: %v", p.file, err)
		}
	}
	if _, err := s.replacements(true); !errors.Is(err, errChanged) || !strings.Contains(err.Error(), patches[0].file) {
		t.Errorf("with others: %v", err)
	}
}

// TestPatchesAreShown wants the table of patches in the module's README to have each row, and their files to exist.
func TestPatchesAreShown(t *testing.T) {
	page, err := os.ReadFile("../../wasm/kubectl/README.md")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, p := range patches {
		becomes := "nothing"
		switch {
		case p.own != "":
			becomes, used[p.own] = fmt.Sprintf("[%s](patches/%[1]s)", p.own), true
		case p.new != "":
			becomes = fmt.Sprintf("`%s` instead of `%s`", p.new, p.old)
		case p.old != "":
			becomes = fmt.Sprintf("without `%s`", strings.TrimSpace(p.old))
		}
		if row := fmt.Sprintf("| `%s` | %s | %s |\n", p.file, becomes, p.reason); !strings.Contains(string(page), row) {
			t.Errorf("the README lacks\n%s", row)
		}
	}
	for _, own := range additions {
		used[own] = true
	}
	files, err := os.ReadDir("../../wasm/kubectl/patches")
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
