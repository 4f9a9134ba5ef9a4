package rules

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/internal/golden"
)

// done returns some cells with their outcomes.
func done() map[Place]Outcome {
	p, out := newFixture(true), map[Place]Outcome{}
	run := func(at Place, header, body string) {
		row, _ := at.row()
		out[at] = Run(fixed{header, body}, p, row, at.Behind)
	}
	run(Place{semantics.Get, 0, false}, "server=0, from=etcd, revision=26, head=26, rule=get-latest", "{"+meta("b", 25)+
		"}")
	run(Place{semantics.Get, 1, true}, "server=0, from=cache, revision=24, head=26, rule=get-any", "{"+meta("b", 21)+"}")
	run(Place{semantics.Get, 2, true}, "server=0, from=cache, revision=26, head=26, waited=3000, rule=get-not-older-than",
		"{"+meta("<b>", 25)+"}")
	run(Place{semantics.Watch, 7, false}, "server=0, from=cache, head=26, rule=watch-from, gone=forgotten",
		`{"type":"ERROR","object":{"code":410,"message":"too old resource version: 1 (22)"}}`)
	out[Place{semantics.Get, 3, false}] = Outcome{Request: "/x", Expected: "as of now", Error: "the fork was closed"}
	return out
}

// cases returns the components as they are drawn, one folder of testdata each.
func cases() map[string]templ.Component {
	all := done()
	answer := func(p Place) templ.Component { return Answer(p, all[p]) }
	return map[string]templ.Component{
		"skeleton":      Skeleton(),
		"tools-forked":  Tools(Forked{Revision: 47, Made: "12:00:01"}, Board{Done: all}.Summary()),
		"tools-running": Tools(Forked{Revision: 47, Made: "12:00:01", All: true}, ""),
		"tools-making":  Tools(Forked{Making: true}, ""),
		"tools-closed":  Tools(Forked{Revision: 47, Made: "12:00:01", Closed: true}, ""),
		"tools-problem": Tools(Forked{Problem: "403 <no>"}, ""),
		"table-run": Table(Board{Verb: semantics.Get, At: Place{semantics.Get, 1, true},
			Chosen: Place{semantics.Get, 1, true}, Running: Place{semantics.Get, 4, true}, Done: all}),
		"answer-ok":      answer(Place{semantics.Get, 1, true}),
		"answer-other":   answer(Place{semantics.Get, 2, true}),
		"answer-gone":    answer(Place{semantics.Watch, 7, false}),
		"answer-missing": answer(Place{semantics.Get, 3, false}),
	}
}

func TestGolden(t *testing.T) {
	golden.Test(t, cases())
}

// Every cell is found by its id, and nothing else is.
func TestPlaces(t *testing.T) {
	all := Places()
	for _, p := range all {
		if got, ok := placeOf(p.ID()); !ok || got != p {
			t.Errorf("%s is found as %+v", p.ID(), got)
		}
	}
	n := 0
	for _, verb := range verbs {
		n += 2 * len(semantics.Rows(verb))
	}
	if len(all) != n {
		t.Errorf("%d places, want %d", len(all), n)
	}
	for _, id := range []string{"", "rule-get-0", "rule-get--1-now", "rule-get-00-now", "rule-get-6-now", "rule-put-0-now",
		"rule-get-0-then", "x-get-0-now"} {
		if p, ok := placeOf(id); ok {
			t.Errorf("%s is found as %+v", id, p)
		}
	}
}

// Arrow keys stay in the table.
func TestStep(t *testing.T) {
	last := len(semantics.Rows(semantics.Get)) - 1
	for key, want := range map[string]Place{
		"ArrowUp": {"get", 0, true}, "ArrowDown": {"get", 1, true}, "ArrowLeft": {"get", 0, false},
		"ArrowRight": {"get", 0, true},
		"Home":       {"get", 0, true}, "End": {"get", last, true}, "Enter": {"get", 0, true},
	} {
		if got := (Place{"get", 0, true}).step(key); got != want {
			t.Errorf("%s leads to %+v", key, got)
		}
	}
	if got := (Place{"get", last, false}).step("ArrowDown"); got.Row != last {
		t.Errorf("down from the last row is %+v", got)
	}
}

func TestFrom(t *testing.T) {
	for want, s := range map[string]source.Source{
		"nothing was read":          {},
		"etcd, as of 26":            {From: source.Etcd, Revision: 26, Head: 26},
		"cache, as of 24, 2 behind": {From: source.Cache, Revision: 24, Head: 26},
		"cache":                     {From: source.Cache, Head: 26},
	} {
		if got := from(s); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
}

func TestPretty(t *testing.T) {
	for body, want := range map[string]string{
		"":                         "",
		"ok":                       "ok",
		`{"a":1}`:                  "{\n  \"a\": 1\n}\n",
		`{"a":1}` + "\n" + `[2]`:   "{\n  \"a\": 1\n}\n[\n  2\n]\n",
		`{"type":"ADDED"}` + "\n{": "{\n  \"type\": \"ADDED\"\n}\n",
	} {
		if got := pretty(body); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

// refuser is a Client that refuses one request.
type refuser struct{ path string }

func (r refuser) Ask(q app.Request) (app.Response, error) {
	if q.Path == r.path {
		return app.Response{Status: 403, Body: `{"message":"not today"}`}, nil
	}
	return app.Response{Status: 200, Body: `{"metadata":{"continue":"T"}}`}, nil
}

func TestPrepareSaysWhatWasRefused(t *testing.T) {
	_, err := Prepare(refuser{secrets + "?limit=1"}, false)
	if want := "GET " + secrets + ": 403 not today"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := Prepare(refuser{}, true); err == nil || !strings.Contains(err.Error(), "where its cache stands") {
		t.Error(err)
	}
}
