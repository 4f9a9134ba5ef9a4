package overlay

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSmallerTempl wants all generated code to stay code, to write as much as before, and to ask
// about errors no more.
func TestSmallerTempl(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../../web", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_templ.go") {
			return err
		}
		files++
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		small := smallerTempl(string(source))
		if _, err := parser.ParseFile(token.NewFileSet(), path, small, parser.SkipObjectResolution); err != nil {
			t.Error(err)
		}
		for _, call := range []string{
			"WriteString(", "EscapeString(", "JoinURLErrs(", ".Render(ctx, ", "if ", "for ", "ReleaseBuffer(",
		} {
			before, after := strings.Count(string(source), call), strings.Count(small, call)
			if call == "if " && after > before || call != "if " && after != before {
				t.Errorf("%s: %d times %s, was %d", path, after, call, before)
			}
		}
		if n := strings.Count(small, "templ_7745c5c3_Err != nil"); n > 0 {
			t.Errorf("%s: it still asks %d times whether there is an error", path, n)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files, %v", files, err)
	}
}
