//go:build !js

package lessons_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/lesson/markdown"
	"github.com/tabernetes/tabernetes/web/lessons"
)

// ordered returns the lessons in their order.
func ordered(t *testing.T) []*lesson.Lesson {
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

func load(t *testing.T) map[string]*lesson.Lesson {
	t.Helper()
	out := map[string]*lesson.Lesson{}
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
		if err := lesson.Article(l, lesson.NextLink{}, "").Render(t.Context(), &b); err != nil {
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
