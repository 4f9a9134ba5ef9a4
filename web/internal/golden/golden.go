// Package golden compares what components draw with files, for tests: one folder of testdata for each
// case, with HTML broken into lines, so that a difference is easy to read. Only tests import it.
package golden

import (
	"bytes"
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"
)

var update = flag.Bool("update", false, "write what is drawn to testdata")

// Test draws each case and compares it with testdata/<name>/want.html. Run the tests with -update to accept what is
// drawn now, and read the difference. No case may have what the page's Content-Security-Policy forbids, and no folder
// may be left of a removed case.
func Test(t *testing.T, cases map[string]templ.Component) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := c.Render(context.Background(), &b); err != nil {
				t.Fatal(err)
			}
			got := breakLines(b.String())
			if strings.Contains(got, " style=") || strings.Contains(got, "<script") {
				t.Error("the page's policy forbids inline styles and scripts")
			}
			compare(t, filepath.Join("testdata", filepath.FromSlash(name), "want.html"), got)
		})
	}
	if *update {
		return
	}
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "want.html" {
			name, _ := filepath.Rel("testdata", filepath.Dir(path))
			if cases[filepath.ToSlash(name)] == nil {
				t.Errorf("%s has no case", path)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// breakLines puts every element on a separate line.
func breakLines(s string) string { return strings.ReplaceAll(s, "><", ">\n<") + "\n" }
