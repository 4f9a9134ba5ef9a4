//go:build !js

package lessons_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/markdown"
	"github.com/tabernetes/tabernetes/web/lesson/view"
	"github.com/tabernetes/tabernetes/web/lessons"
)

// ordered returns the lessons in their order.
func ordered(t *testing.T) []*format.Lesson {
	t.Helper()
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no lessons")
	}
	return all
}

func load(t *testing.T) map[string]*format.Lesson {
	t.Helper()
	out := map[string]*format.Lesson{}
	for _, l := range ordered(t) {
		out[l.ID] = l
	}
	return out
}

// TestRender renders what the page's build renders.
func TestRender(t *testing.T) {
	rendered, err := markdown.Load(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, l := range rendered {
		if err := view.Article(l, view.NextLink{}, "").Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range load(t) {
		if !strings.Contains(b.String(), `id="lesson-`+l.ID+`"`) {
			t.Errorf("lesson %s is not on the page", l.ID)
		}
	}
	for _, bad := range []string{"<script", "style=", "onclick"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%s on the page: the content security policy forbids it", bad)
		}
	}
}

// TestTitles wants each lesson's title to begin with the word that people search for, and to say what is true of it.
func TestTitles(t *testing.T) {
	for _, l := range ordered(t) {
		word, rest, ok := strings.Cut(l.Title, ": ")
		if !ok || word == "" || rest == "" || strings.Contains(l.Title, "?") || len(l.Title) > 52 {
			t.Errorf("%s: %q", l.File, l.Title)
		}
	}
}

// TestPlaces wants no lesson to say where on the screen something is: on a phone, and in a low window, it is elsewhere.
func TestPlaces(t *testing.T) {
	for _, l := range ordered(t) {
		text, err := os.ReadFile(l.File)
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range []string{"at the right", "on the right", "at the left", "on the left"} {
			if strings.Contains(strings.ToLower(string(text)), place) {
				t.Errorf("%s says %q", l.File, place)
			}
		}
	}
}

// stepByPlace is a step that is called by its place among others.
var stepByPlace = regexp.MustCompile(`(?i)\b(steps?\s+\d|(next|previous|second|third|fourth|fifth|sixth)\s+step\b)`)

// TestStepsAreNamed wants lessons to call a step by its title: its place is another one when a step is put before it.
// The first step has none before it.
func TestStepsAreNamed(t *testing.T) {
	for _, l := range ordered(t) {
		text, err := os.ReadFile(l.File)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range stepByPlace.FindAllString(string(text), -1) {
			t.Errorf("%s says %q: name the step by its title", l.File, found)
		}
	}
}
