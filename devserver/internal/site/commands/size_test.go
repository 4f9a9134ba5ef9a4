package commands

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

func TestCheckBounds(t *testing.T) {
	index := &site.Index{Assets: []site.Asset{
		{Name: "tabernetes.wasm", Bytes: 8_000_000, Brotli: 1_600_000},
		{Name: "app.js", Bytes: 30_000, Brotli: 10_000},
		{Name: "app.css", Bytes: 900},
	}}
	var out strings.Builder
	if err := checkBounds(&out, index); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"1.60 MB", "2.30 MB", "within", "10.9 KB", "at the aim"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
	index.Assets[0].Brotli = bounds[0].max + 1
	if err := checkBounds(&out, index); err == nil || !strings.Contains(err.Error(), "past the bound") {
		t.Errorf("a binary past its bound: %v", err)
	}
}

// TestBestSaves has the best quality of brotli save, of a binary as the page has them, at least what its size is
// estimated by.
func TestBestSaves(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module binary\n",
		"main.go": "package main\n\nimport \"encoding/json\"\n\nfunc main() { println(json.Valid(nil)) }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", "binary.wasm")
	build.Dir, build.Env = dir, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	data, err := os.ReadFile(filepath.Join(dir, "binary.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	cache, hash := t.TempDir(), site.ContentHash(data)
	good, err := site.Compress(cache, data, hash, site.Good)
	if err != nil {
		t.Fatal(err)
	}
	best, err := site.Compress(cache, data, hash, site.Best)
	if err != nil {
		t.Fatal(err)
	}
	if saved := 100 * (len(good) - len(best)) / len(good); saved < bestSaves {
		t.Errorf("the best quality saves %d %% of the good one, less than %d", saved, bestSaves)
	}
}

// TestCompressWell has the files of a bound compressed as they are shipped only if it is exceeded by them as they are.
func TestCompressWell(t *testing.T) {
	out := t.TempDir()
	index := &site.Index{}
	sizes := map[string]int{"tabernetes.wasm": bounds[0].max + 1, "lab.wasm": 1_000_000, "cel.wasm": bounds[1].max}
	for name, brotli := range sizes {
		text := []byte(strings.Repeat(name, 100))
		if err := os.WriteFile(filepath.Join(out, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
		a := site.Asset{Name: name, Hash: site.ContentHash(text), Bytes: len(text), Brotli: brotli}
		index.Assets = append(index.Assets, a)
	}
	if err := compressWell(index, out, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for _, a := range index.Assets {
		if well := a.Brotli < a.Bytes; well != (a.Name == "tabernetes.wasm") {
			t.Errorf("%s is compressed well: %t, with %d bytes", a.Name, well, a.Brotli)
		}
	}
	index.Assets = []site.Asset{{Name: "tabernetes.wasm", Brotli: 9_000_000}}
	if err := compressWell(index, t.TempDir(), t.TempDir()); err == nil {
		t.Error("a file that is not there was compressed")
	}
}

// TestBoundsAreShown wants wasm/README.md to have the table of bounds, row by row.
func TestBoundsAreShown(t *testing.T) {
	page, err := os.ReadFile("../../../../wasm/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "|---|---|---|---|---|\n")
	rows := slices.Collect(strings.Lines(table))
	for i, b := range bounds {
		want := fmt.Sprintf("| %s | `%s` | %s | %s | %s |\n", b.what, strings.Join(b.names, "`, `"), site.Size(b.max),
			site.Size(b.aim), b.holds)
		if i >= len(rows) || rows[i] != want {
			t.Errorf("row %d has to be\n%s", i, want)
		}
	}
	if len(rows) != len(bounds) {
		t.Errorf("%d rows, and %d bounds", len(rows), len(bounds))
	}
}
