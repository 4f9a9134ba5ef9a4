package session

import (
	"context"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// TestBeforeSetup says nothing of values of the setup before that is done, and says that they are lost afterwards.
func TestBeforeSetup(t *testing.T) {
	l, err := format.Parse("1-t.md", "# T\n```setup\n# @name old\nGET /api/v1/pods\n```\n## S\n```http\n"+
		"GET /api/v1/pods?resourceVersion={{old.response.body.metadata.resourceVersion}}\n```\n```check\n"+
		"- Listed\n  list: GET /api/v1/pods -> 200\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	p := &taps{t: t, s: New(l, Progress{}, new(tap.Log))}
	said := func(want string) {
		t.Helper()
		p.s.dirty = true
		p.s.Recheck()
		if got := p.s.Step(0).Trouble; want == "" && got != nil || want != "" && (got == nil || got.Title != want) {
			t.Errorf("said %q, want %q", got.Words(), want)
		}
	}
	said("")
	version := list("5")
	server := fake(func(_ context.Context, _ format.Outgoing, head func(int, []tap.Field), text func(string)) error {
		said("")
		head(200, nil)
		text(version)
		return nil
	})
	prepare := func() {
		if err := p.s.Prepare(t.Context(), server, nil); err != nil {
			t.Fatal(err)
		}
	}
	prepare()
	said("")
	p.s.ResetAll()
	said("")
	version = "{}"
	prepare()
	said("What was set up first is not known any more.")
}

// TestNoAnswerYet says nothing of a request whose answer has not begun.
func TestNoAnswerYet(t *testing.T) {
	p := session(t, "- Made\n  made: POST /pods -> 201\n")
	p.observe(tap.Event{Type: tap.Request, ID: 8, Method: "DELETE", URL: "/api/v1/pods/a", Origin: "console"}, true)
	p.observe(tap.Event{Type: tap.Head, ID: 8, Status: 200}, true)
	p.observe(tap.Event{Type: tap.End, ID: 8}, true)
	p.observe(tap.Event{Type: tap.Request, ID: 9, Method: "POST", URL: "/pods"}, true)
	p.passed(0)
	if got := p.s.Step(0).Trouble; got != nil {
		t.Errorf("said %q", got.Words())
	}
}

// TestTooLateAWatch ends a watch, and opens it again after what it has to bring: that does not come any more.
func TestTooLateAWatch(t *testing.T) {
	p := session(t, "- Watched\n  watch: GET /api/v1/pods -> 200\n  request.query.watch = 1\n"+
		"- Deleted\n  gone: DELETE /pods/a -> 200\n- Seen\n  seen: DELETED in watch\n")
	w := p.open("GET", "/api/v1/pods?watch=1", 200)
	p.passed(0)
	p.end(w)
	p.do("DELETE", "/pods/a", 200, "{}")
	for range 2 {
		p.passed(0)
		if p.s.Step(0).Trouble == nil {
			t.Errorf("not offered: %+v", p.s.Step(0))
		}
		w = p.open("GET", "/api/v1/pods?watch=1", 200)
	}
	p.do("DELETE", "/pods/a", 200, "{}")
	p.text(w, `{"type":"DELETED","object":{}}`+"\n")
	p.passed(1)
}
