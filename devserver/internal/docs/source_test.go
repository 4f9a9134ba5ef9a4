package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// The bounds of hand-written source files.
const (
	longestLine = 120 // characters, a tab being one
	longestFile = 400 // lines; a longer one says why in its first comment
)

// sourceEndings are those of files that are code, and not data.
var sourceEndings = map[string]bool{
	".go": true, ".templ": true, ".js": true, ".ts": true, ".css": true, ".html": true, ".sh": true,
}

var (
	generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	// whyLong is how a first comment begins to say why a file is long.
	whyLong = "More than 400 lines: "
)

// sources returns the hand-written source files by name, relative to the project's directory.
func sources(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (skipped[d.Name()] || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !sourceEndings[filepath.Ext(file)]:
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil || generated.Match(text) {
			return err
		}
		name, err := filepath.Rel(root, file)
		found[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatal("found no source files")
	}
	return found
}

func TestLinesAreShort(t *testing.T) {
	for name, text := range sources(t) {
		for i, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > longestLine {
				t.Errorf("%s:%d has %d characters; %d at most", name, i+1, n, longestLine)
			}
		}
	}
}

func TestLongFilesSayWhy(t *testing.T) {
	for name, text := range sources(t) {
		lines := strings.Split(text, "\n")
		if n := len(lines) - 1; n > longestFile {
			head := strings.Join(lines[:min(len(lines), 20)], "\n")
			if !strings.Contains(head, whyLong) {
				t.Errorf("%s has %d lines; its first comment does not say why (%q)", name, n, whyLong)
			}
		}
	}
}
