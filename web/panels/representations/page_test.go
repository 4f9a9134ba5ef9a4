//go:build !js

package representations

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// TestAsks wants an object to be asked for once it has been chosen for a while, and only while the panel is in view.
func TestAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := app.New()
		asked := 0
		a.Page.Serve = func(r app.Request) (app.Response, error) {
			asked++
			return app.Response{Status: 200, Body: `{"metadata":{"name":"a","resourceVersion":"5"}}`}, nil
		}
		p := start(a)
		if _, err := p.Catalog.AddVersions(`{"versions":["v1"]}`); err != nil {
			t.Fatal(err)
		}
		choose := func(ref string) { app.Emit(a.Bus, app.OpenObject{Ref: ref}) }
		wait := func() {
			time.Sleep(2 * settled)
			synctest.Wait()
		}
		choose("nodes/_/a")
		if p.unknown != "nodes/_/a" {
			t.Errorf("the type is known: %q", p.unknown)
		}
		p.Catalog.AddResources(`{"groupVersion":"v1","resources":[{"name":"nodes","kind":"Node","verbs":["get","list"]}]}`)
		app.Emit(a.Bus, app.CatalogChanged{})
		if wait(); p.Path != "/api/v1/nodes/a" || asked != 0 {
			t.Fatalf("%s, asked for %d times out of view", p.Path, asked)
		}
		a.Page.Uses["representations-seen"](app.Use{Holds: "shown"})
		if wait(); asked != len(Forms) || p.read != 5 {
			t.Fatalf("asked for %d of %d forms, revision %d", asked, len(Forms), p.read)
		}
		choose("nodes/_/b")
		choose("nodes/_/c")
		if wait(); asked != 2*len(Forms) || p.Title != "Node c" {
			t.Errorf("%s, asked %d times: what is stepped over is not asked for", p.Title, asked)
		}
		app.Emit(a.Bus, revisions.Frame{Commit: &revisions.Commit{Resource: "nodes", Name: "c", Revision: 9}})
		if p.changed != 9 {
			t.Errorf("changed at %d", p.changed)
		}
	})
}
