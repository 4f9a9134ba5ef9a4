package commands

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/site"
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
	index.Assets[0].Brotli = 2_300_001
	if err := checkBounds(&out, index); err == nil || !strings.Contains(err.Error(), "past the bound") {
		t.Errorf("a binary past its bound: %v", err)
	}
}

// TestBoundsAreShown wants wasm/README.md to have the table of bounds, row by row.
func TestBoundsAreShown(t *testing.T) {
	page, err := os.ReadFile("../../../wasm/README.md")
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
