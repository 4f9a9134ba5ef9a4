//go:build !js

package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// directory has a scene, and a page that is not one.
func directory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"09-gone.md", "README.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("# Title\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestStart makes a scene, which has the next number and can be read; web/scenes plays it.
func TestStart(t *testing.T) {
	file, err := start(directory(t), "two-words")
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := format.ParseScene(file, string(src))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(file) != "10-two-words.md" || s.ID != "two-words" || s.Title != "two-words" || len(s.Steps) < 2 {
		t.Errorf("%s is %q, %q, with %d steps", file, s.ID, s.Title, len(s.Steps))
	}
}

// TestRefused wants names to be refused that no scene can have, and no file to be made.
func TestRefused(t *testing.T) {
	for name, want := range map[string]error{
		"gone": errTaken, "": errName, "Gone": errName, "a b": errName, "../a": errName,
	} {
		dir := directory(t)
		if _, err := start(dir, name); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
		if files, _ := os.ReadDir(dir); len(files) != 2 {
			t.Errorf("%q: there are %d files", name, len(files))
		}
	}
}
