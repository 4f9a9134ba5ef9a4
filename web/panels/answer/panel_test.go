//go:build !js

package answer

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// lab returns the panel of a lab in which requests are made by ask.
func lab() (r *response, ask func(id int, origin, url string, status int, body string)) {
	r = start(app.New())
	return r, func(id int, origin, url string, status int, body string) {
		now := time.Now()
		for _, e := range []tap.Event{
			{Type: tap.Request, ID: id, Time: now, Method: "GET", URL: url, Origin: origin, Place: "tab"},
			{Type: tap.Head, ID: id, Time: now, Status: status}, {Type: tap.Chunk, ID: id, Time: now, Text: body},
			{Type: tap.End, ID: id, Time: now},
		} {
			app.Emit(r.Bus, e)
		}
	}
}

// TestShows wants the panel to show the request that the reader makes, or selects, and no other.
func TestShows(t *testing.T) {
	r, ask := lab()
	app.Emit(r.Bus, app.Requesting{Request: app.Request{Method: "GET", Path: "/livez", Origin: "console"}})
	ask(1, "lesson", "/livez", 200, "other")
	if r.id != 0 {
		t.Fatalf("a lesson's request is shown: %d", r.id)
	}
	ask(2, "console", "/livez", 200, "ok")
	if r.id != 2 || r.Selection.Request != 2 || !strings.Contains(r.Page.Shows("res-status"), "200") {
		t.Fatalf("%d is shown, %+v chosen: %s", r.id, r.Selection, r.Page.Shows("res-status"))
	}
	for _, c := range []struct {
		from  string
		shown int
	}{{"answer", 2}, {"stage", 2}, {"requests", 1}} {
		if app.Emit(r.Bus, app.Selected{Selection: app.Selection{Request: 1}, From: c.from}); r.id != c.shown {
			t.Errorf("%s selects: %d is shown", c.from, r.id)
		}
	}
	app.Emit(r.Bus, app.State{Place: "room"})
	if r.id != 0 {
		t.Errorf("in another cluster %d is shown", r.id)
	}
	if app.Emit(r.Bus, app.State{Place: "tab"}); r.id != 1 {
		t.Errorf("back again, %d is shown", r.id)
	}
}

// TestBeside wants what another panel has shown here to stay until something else is shown, and no longer.
func TestBeside(t *testing.T) {
	r, ask := lab()
	ask(1, "console", "/livez", 200, "answered")
	beside := func(again bool, text string) string {
		app.Emit(r.Bus, app.ShowBeside{Ref: "obj-a", Again: again, Head: func() templ.Component { return templ.Raw("who") },
			Body: func() templ.Component { return templ.Raw(text) }})
		return r.Page.Shows("res-body")
	}
	if got := beside(true, "early"); strings.Contains(got, "early") {
		t.Errorf("what was not shown is drawn again: %s", got)
	}
	if got := beside(false, "first"); got != "first" || r.Page.Shows("res-status") != "who" {
		t.Errorf("shown: %s, %s", r.Page.Shows("res-status"), got)
	}
	if got := beside(true, "second"); got != "second" {
		t.Errorf("changed: %s", got)
	}
	r.show(1)
	if got := beside(true, "late"); !strings.Contains(got, "answered") {
		t.Errorf("an answer is shown, but then: %s", got)
	}
}

// TestFormats wants each body in the format that is chosen, as far as it can be had in it.
func TestFormats(t *testing.T) {
	r, ask := lab()
	ask(1, "console", "/api/v1/nodes", 200, `{"kind":"Node","a":{"b":1}}`)
	r.show(1)
	for _, c := range []struct{ choose, format, shows string }{
		{"table", "json", `"kind"`}, {"yaml", "yaml", "kind"}, {"raw", "raw", `{"kind`}, {"headers", "raw", ""},
	} {
		r.Page.Uses["response-format"](app.Use{Holds: c.choose})
		got := strings.ReplaceAll(r.Page.Shows("res-body"), "&#34;", `"`)
		if f := r.shownFormat(r.Requests.Get(1)); f != c.format || !strings.Contains(got, c.shows) {
			t.Errorf("%s: %s, %s", c.choose, f, got)
		}
	}
	if r.part != "headers" {
		t.Errorf("shows the %s", r.part)
	}
}

// TestLinks wants what a link in a body leads to.
func TestLinks(t *testing.T) {
	r, ask := lab()
	ask(1, "console", "/api/v1/pods?limit=1", 200, "{}")
	r.show(1)
	var got []any
	app.On(r.Bus, func(e app.OpenObject) { got = append(got, e) })
	app.On(r.Bus, func(e app.GoTo) { got = append(got, e) })
	app.On(r.Bus, func(e app.Compose) { got = append(got, e.Path) })
	for _, link := range []map[string]string{
		{"data-link": "object", "data-ref": "obj-pods/default/web"}, {"data-link": "object", "data-ref": "rev-3"},
		{"data-link": "revision", "data-target": "12"}, {"data-link": "token", "data-target": "abc"},
	} {
		r.Page.Uses["link"](app.Use{Attributes: link})
	}
	want := []any{app.OpenObject{Ref: "pods/default/web"}, app.GoTo{Revision: 12},
		"/api/v1/pods?limit=1&continue=abc"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// TestVerdictButtons wants a GET to be sent, a write to be composed, and a step to be opened.
func TestVerdictButtons(t *testing.T) {
	r, _ := lab()
	var got []any
	app.On(r.Bus, func(e app.Requesting) { got = append(got, "sent "+e.Path) })
	app.On(r.Bus, func(e app.Compose) { got = append(got, e.Method+" "+e.Path+" "+tap.Get(e.Header, "Content-Type")) })
	app.On(r.Bus, func(e app.OpenLesson) { got = append(got, e) })
	r.Page.Uses["verdict-do"](app.Use{Attributes: map[string]string{"data-path": "/livez"}})
	r.Page.Uses["verdict-do"](app.Use{Attributes: map[string]string{"data-method": "PATCH", "data-path": "/x",
		"data-type": "application/json-patch+json"}})
	r.Page.Uses["verdict-step"](app.Use{Attributes: map[string]string{"data-lesson": "lists", "data-step": "3"}})
	want := []any{"sent /livez", "PATCH /x application/json-patch+json", app.OpenLesson{ID: "lists", Step: 2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// TestChange wants a revision that is chosen on the stage to be shown with what it changed, and two of them to be
// compared.
func TestChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := lab()
		r.Page.Serve = func(q app.Request) (app.Response, error) {
			return app.Response{Status: 200, Body: `{"items":[]}`}, nil
		}
		for i, verb := range []revisions.Verb{revisions.Added, revisions.Modified} {
			app.Emit(r.Bus, revisions.Frame{Commit: &revisions.Commit{Revision: int64(5 + i), Verb: verb, Resource: "pods",
				Version: "v1", Kind: "Pod", Name: "web"}})
		}
		for _, c := range []struct {
			first, last int64
			from, title string
		}{
			{5, 0, "requests", ""}, {5, 0, "stage", "5 created the Pod web."}, {6, 0, "stage", "6 changed the Pod web."},
			{9, 0, "stage", "9 is not known."}, {4, 6, "stage", "4 to 6: 2 writes, 1 object."},
		} {
			app.Emit(r.Bus, app.Selected{Selection: app.Selection{Revision: c.first, Last: c.last}, From: c.from})
			synctest.Wait()
			if got := r.Page.Shows("res-verdict"); !strings.Contains(got, c.title) {
				t.Errorf("%d to %d of %s: no %q in %s", c.first, c.last, c.from, c.title, got)
			}
		}
		r.Page.Uses["change-request"](app.Use{Attributes: map[string]string{"data-id": "7"}})
		if r.change.shown || r.Selection.Request != 7 {
			t.Errorf("the request is not shown: %+v", r.Selection)
		}
	})
}

// TestTooLarge wants it said of a body that the page does not keep why, and how to get it.
func TestTooLarge(t *testing.T) {
	r, ask := lab()
	ask(1, "console", "/api/v1/pods", 200, strings.Repeat("x", tap.MaxBytes+1))
	r.show(1)
	if got := r.Page.Shows("res-body"); !strings.Contains(got, "33.6 MB") || !strings.Contains(got, "limit") {
		t.Error(got)
	}
}

// TestArrives wants the head of a long body to be shown while the rest arrives, with how many lines have come, and the
// whole of it at its end, laid out.
func TestArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := lab()
		r.format = "json"
		add := func(e tap.Event) string {
			e.ID, e.Time = 1, time.Now()
			app.Emit(r.Bus, e)
			r.Page.Shows("res-body") // which begins to lay out
			synctest.Wait()
			return r.Page.Shows("res-body")
		}
		app.Emit(r.Bus, app.Requesting{Request: app.Request{Method: "GET", Path: "/api/v1/pods", Origin: "console"}})
		add(tap.Event{Type: tap.Request, Method: "GET", URL: "/api/v1/pods", Origin: "console", Place: "tab"})
		add(tap.Event{Type: tap.Head, Status: 200, Header: []tap.Field{{Name: "Content-Type", Value: "application/json"}}})
		const item = `"0123456789012345678901234567890123456789",` + "\n"
		add(tap.Event{Type: tap.Chunk, Text: "[\n" + strings.Repeat(item, 4000)})
		first := r.laid.blocks
		if got := add(tap.Event{Type: tap.Chunk, Text: strings.Repeat(item, 1000)}); !strings.Contains(got, "5,002") {
			t.Errorf("of 5,002 lines so far: %s", got[max(0, len(got)-300):])
		}
		if got := add(tap.Event{Type: tap.Chunk, Text: item + `"z"`}); !strings.Contains(got, "5,003") {
			t.Errorf("of 5,003 lines so far: %s", got[max(0, len(got)-300):])
		}
		if &first[0] != &r.laid.blocks[0] {
			t.Error("what is shown was made again")
		}
		add(tap.Event{Type: tap.Chunk, Text: "]"})
		if got := add(tap.Event{Type: tap.End}); !strings.Contains(got, "5,004") || !r.laid.body.OK {
			t.Errorf("of 5,004 lines, laid out: %s", got[max(0, len(got)-300):])
		}
	})
}
