//go:build !js

package page_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lab"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	. "github.com/tabernetes/tabernetes/web/page"
)

// The shell must satisfy the page's policy, and hold the places that the lab
// fills.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	data := Data{Panels: lab.Panels(&course.Index{}, format.Lesson{}, nil, true), CSP: "default-src 'self'",
		Assets: map[string]string{"tabernetes.wasm": "/t.wasm", "icon": "/i.svg"}, WasmBytes: 5}
	if err := Page(data).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, forbidden := range []string{" style=", "<style", "onclick=", "javascript:"} {
		if strings.Contains(page, forbidden) {
			t.Errorf("the page contains %q", forbidden)
		}
	}
	for _, id := range []string{"panel-lesson", "panel-stage", "st-ruler", "st-rows", "panel-console", "panel-history",
		"panel-objects", "panel-answer", "panel-servers", "panel-clock", "panel-levers", "panel-help", "banners", "status",
		"alerts", "toast", "req-body"} {
		if n := strings.Count(page, `id="`+id+`"`); n != 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	for _, want := range []string{`data-size="5"`, `value="devserver"`, `href="/i.svg"`,
		`content="default-src &#39;self&#39;"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, found := range Found() {
		if found.At != "" && !strings.Contains(page, `id="`+found.At+`" tabindex="-1"`) {
			t.Errorf("a search that finds %q cannot move the focus to %s", found.Title, found.At)
		}
	}
	data.Panels = lab.Panels(&course.Index{}, format.Lesson{}, nil, false)
	b.Reset()
	Page(data).Render(context.Background(), &b)
	if strings.Contains(b.String(), `value="devserver"`) {
		t.Error("a page without a devserver offers one")
	}
}

// Each panel of the table has its place, its tab or menu, and its key.
func TestTable(t *testing.T) {
	var b bytes.Buffer
	panels := lab.Panels(&course.Index{}, format.Lesson{}, nil, true)
	if err := Page(Data{Panels: panels}).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	keys, ids := map[string]string{}, map[string]bool{}
	for _, p := range panels {
		if ids[p.ID] {
			t.Errorf("two panels are called %s", p.ID)
		}
		ids[p.ID] = true
		if strings.Count(page, `id="panel-`+p.ID+`"`) != 1 {
			t.Errorf("panel %s is not on the page once", p.ID)
		}
		if p.With != "" && !ids[p.With] {
			t.Errorf("panel %s lies in the tab of %s, which is not before it", p.ID, p.With)
		}
		if p.Key == "" {
			continue
		}
		if other := keys[p.Key]; other != "" {
			t.Errorf("%s and %s have the key %s", p.ID, other, p.Key)
		}
		keys[p.Key] = p.ID
		if len(p.Key) != 1 || p.Key < "0" || p.Key > "9" {
			t.Errorf("the key of %s is %q, which is no digit: web/app/layout.js listens to no other", p.ID, p.Key)
		}
		if !strings.Contains(page, `data-key`+p.Key+`="`+p.ID+`"`) ||
			!strings.Contains(page, "<kbd>"+p.Key+"</kbd></dt><dd>"+p.Title) {
			t.Errorf("the key of %s is not on the page, or not in Help", p.ID)
		}
	}
}
