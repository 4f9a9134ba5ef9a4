//go:build !js

package client

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/panels/client/reflector"
)

// TestWrong wants a path that no client can be run on to be refused, with why.
func TestWrong(t *testing.T) {
	for path, want := range map[string]string{
		"/livez":                                "not a collection",
		"/api/v1/namespaces/default/pods/a":     "not a collection",
		"/api/v1/pods?limit=1":                  "without a query",
		"/api/v1/things":                        "no such resource type",
		"/api/v1/namespaces/default/bindings":   "cannot be listed and watched",
		"/api/v1/namespaces/default/pods":       "",
		"/api/v1/watch/namespaces/default/pods": "not a collection",
	} {
		synctest.Test(t, func(t *testing.T) {
			p := start(app.New())
			if _, err := p.Catalog.AddVersions(`{"versions":["v1"]}`); err != nil {
				t.Fatal(err)
			}
			p.Catalog.AddResources(`{"groupVersion":"v1","resources":[` +
				`{"name":"bindings","namespaced":true,"kind":"Binding","verbs":["create"]},` +
				`{"name":"pods","namespaced":true,"kind":"Pod","verbs":["list","watch"]}]}`)
			p.Page.Uses["client-start"](app.Use{Fields: map[string]string{"path": path, "mode": reflector.Modes[1].ID}})
			if p.running != (want == "") || !strings.Contains(p.problem, want) {
				t.Errorf("%s: runs: %v, %q", path, p.running, p.problem)
			}
			if p.mode != reflector.Modes[1].Mode {
				t.Errorf("%s: mode %v", path, p.mode)
			}
			app.Emit(p.Bus, app.State{Target: "tab"})
			app.Emit(p.Bus, app.State{Target: "devserver"}) // the client has to stop: its requests would be sent there
			if p.running {
				t.Errorf("%s: it still runs", path)
			}
			p.tracker = nil // then nobody lists for it any longer
		})
	}
}

// TestNote wants a note to be taken from the lane of the watch before, and to be said once.
func TestNote(t *testing.T) {
	p := start(app.New())
	var got []app.LaneNote
	app.On(p.Bus, func(n app.LaneNote) { got = append(got, n) })
	p.watch = 1
	p.note("behind", true)
	p.note("behind", true)
	p.watch = 2
	p.note("ok", false)
	want := []app.LaneNote{{Request: 1, Words: "behind", Bad: true}, {Request: 1}, {Request: 2, Words: "ok"}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("%+v, not %+v", got, want)
	}
}
