//go:build !js

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
)

// directory has two lessons, and a page that is not one.
func directory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"01-addresses.md", "09-410-gone.md", "README.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("# Title\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// TestStart makes a lesson, which has the next number, and plays it: its solution passes, its
// wrong attempt does not.
func TestStart(t *testing.T) {
	dir := directory(t)
	file, err := start(dir, "two-words")
	if err != nil {
		t.Fatal(err)
	}
	if name := filepath.Base(file); name != "10-two-words.md" || !slices.Contains(entries(t, dir), name) {
		t.Fatalf("made %s, there are %v", file, entries(t, dir))
	}
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	l, err := format.Parse(file, string(src))
	if err != nil {
		t.Fatal(err)
	}
	if l.ID != "two-words" || !slices.Equal(l.Namespaces, []string{"two-words"}) || l.Minutes == 0 || l.Part == "" {
		t.Errorf("%q has the namespaces %v, %d minutes, the part %q", l.ID, l.Namespaces, l.Minutes, l.Part)
	}
	step := &l.Steps[0]
	if len(step.Wrong) != 1 || len(step.Covers) == 0 {
		t.Fatalf("%d wrong attempts, covers %v", len(step.Wrong), step.Covers)
	}
	for _, wrong := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := begun(t, l)
			if !wrong {
				if err := p.Solve(0); err != nil {
					t.Error(err)
				}
				if right := p.Session.Answer(0).Right; right == "?" {
					t.Error("not exactly one answer is right")
				}
				return
			}
			passed, err := p.Try(0, step.Wrong[0].Requests)
			if miss := p.Session.Step(0).Miss; err != nil || passed || !strings.Contains(miss, step.Wrong[0].Miss) {
				t.Errorf("the wrong attempt: %v, %v, told %q", passed, err, miss)
			}
		})
	}
}

func begun(t *testing.T, l *format.Lesson) *play.Player {
	t.Helper()
	c, err := play.Cluster(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	p := play.New(t.Context(), c, l)
	t.Cleanup(p.Close)
	if err := p.Begin(); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRefused wants a name that cannot be used to be refused, and nothing to be written.
func TestRefused(t *testing.T) {
	for name, want := range map[string]error{
		"addresses": errTaken, "410-gone": errTaken,
		"": errName, "Labels": errName, "two words": errName, "-b": errName, "b-": errName, "a--b": errName, "a/b": errName,
		"../b": errName,
		"b.md": errName, strings.Repeat("a", longest+1): errName,
	} {
		dir := directory(t)
		before := entries(t, dir)
		if _, err := start(dir, name); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
		if after := entries(t, dir); !slices.Equal(before, after) {
			t.Errorf("%q: there are %v now", name, after)
		}
	}
}

// TestElsewhere wants a directory without lessons to be left alone.
func TestElsewhere(t *testing.T) {
	dir := t.TempDir()
	if _, err := start(dir, "labels"); err == nil || len(entries(t, dir)) > 0 {
		t.Errorf("%v, and there are %v", err, entries(t, dir))
	}
}
