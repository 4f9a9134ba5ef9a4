//go:build !js

package objects

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
)

const (
	pods = `{"kind":"PodList","metadata":{"resourceVersion":"12"},"items":[` +
		`{"metadata":{"name":"web","namespace":"default","resourceVersion":"11","uid":"u1"}}]}`
	web = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default","resourceVersion":"11",` +
		`"uid":"u1"}}`
)

// cluster answers discovery and reads of one Pod.
func cluster(r app.Request) (app.Response, error) {
	path, query, _ := strings.Cut(r.Path, "?")
	body := map[string]string{
		"/api": `{"versions":["v1"]}`, "/apis": `{"groups":[]}`,
		"/api/v1": `{"groupVersion":"v1","resources":[{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod",` +
			`"verbs":["get","list","watch"]}]}`,
		"/api/v1/pods": pods, "/api/v1/namespaces/default/pods": pods, "/api/v1/namespaces/default/pods/web": web,
	}[path]
	if strings.Contains(query, "resourceVersion=3&resourceVersionMatch=Exact") {
		return app.Response{Status: 410, Body: `{"message":"too old"}`}, nil
	}
	if body == "" {
		return app.Response{Status: 404, Body: `{"message":"none"}`}, nil
	}
	return app.Response{Status: 200, Body: body}, nil
}

// play runs a test on the panel of a lab whose cluster has one Pod, in a bubble where nothing takes long. settle waits
// until the panel has read what it wants to know.
func play(t *testing.T, f func(t *testing.T, p *panel, settle func())) {
	synctest.Test(t, func(t *testing.T) {
		a := app.New()
		a.Page.Serve = cluster
		p := start(a)
		settle := func() {
			time.Sleep(time.Second)
			synctest.Wait()
		}
		a.Discover()
		app.Emit(a.Bus, revisions.Frame{State: &revisions.State{Cluster: "c", Head: 12, Compacted: 4, Caches: []int64{12}}})
		app.Emit(a.Bus, revisions.Frame{Commit: &revisions.Commit{Revision: 11, Verb: revisions.Added, Resource: "pods",
			Version: "v1", Kind: "Pod", Namespace: "default", Name: "web"}})
		p.count()
		settle()
		f(t, p, settle)
		settle()
	})
}

func TestTree(t *testing.T) {
	play(t, func(t *testing.T, p *panel, settle func()) {
		press := func(key string) {
			p.Page.Uses["objects-key"](app.Use{Pressed: app.Press{Key: key}})
			settle()
		}
		for _, c := range []struct{ key, active, shows string }{
			{"Home", "g:", "core"},
			{"ArrowDown", "t:pods", `aria-level="2"`},
			{"ArrowRight", "t:pods", "default/</span>web"},
			{"ArrowRight", "o:pods/default/web", "rev-11"},
			{"p", "t:pods", ""}, // what is typed is looked for
		} {
			if press(c.key); p.active != c.active || !strings.Contains(p.Page.Shows("objects"), c.shows) {
				t.Errorf("after %s: at %q, not %q, with %q in %s", c.key, p.active, c.active, c.shows, p.Page.Shows("objects"))
			}
		}
		p.Page.Uses["objects-key"](app.Use{Pressed: app.Press{Key: "Home", Ctrl: true}})
		if p.active != "t:pods" {
			t.Errorf("a key with Ctrl is the browser's, but moved to %q", p.active)
		}
	})
}

func TestOne(t *testing.T) {
	play(t, func(t *testing.T, p *panel, settle func()) {
		app.Emit(p.Bus, app.OpenObject{Ref: "pods/default/web"})
		settle()
		for _, c := range []struct{ view, shows string }{
			{"yaml", "Pod"}, {"history", "11"}, {"owners", "Pod"},
		} {
			p.Page.Uses["object-view"](app.Use{Holds: c.view})
			settle()
			if p.one.view != c.view || !strings.Contains(p.Page.Shows("objects"), c.shows) {
				t.Errorf("%s shows %s", c.view, p.Page.Shows("objects"))
			}
		}
		var composed app.Request
		app.On(p.Bus, func(e app.Compose) { composed = e.Request })
		for action, method := range map[string]string{"object-edit": "PUT", "object-delete": "DELETE"} {
			p.Page.Uses[action](app.Use{})
			if composed.Method != method || composed.Path != "/api/v1/namespaces/default/pods/web" {
				t.Errorf("%s composes %s %s", action, composed.Method, composed.Path)
			}
		}
		p.Page.Take()
		p.Page.Uses["object-back"](app.Use{})
		if calls := p.Page.Take(); p.one != nil || !slices.Contains(calls, "focus objects-tree true") {
			t.Errorf("back to the tree: %q", calls)
		}
	})
}

// TestRevisionOpens wants a revision that is chosen elsewhere to show what it changed, but not while one travels.
func TestRevisionOpens(t *testing.T) {
	for _, c := range []struct {
		name  string
		event app.Selected
		at    int64
		opens bool
	}{
		{"of the stage", app.Selected{Selection: app.Selection{Object: "obj-pods/default/web", Revision: 11}, From: "stage"},
			0, true},
		{"its own", app.Selected{Selection: app.Selection{Object: "obj-pods/default/web", Revision: 11}, From: "objects"},
			0, false},
		{"in the past", app.Selected{Selection: app.Selection{Object: "obj-pods/default/web", Revision: 11}, From: "stage"},
			11, false},
		{"no revision", app.Selected{Selection: app.Selection{Object: "obj-pods/default/web"}, From: "stage"}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, func(t *testing.T, p *panel, settle func()) {
				p.At = c.at
				app.Emit(p.Bus, c.event)
				settle()
				if opens := p.one != nil && p.one.view == "history" && p.one.versions[0].open; opens != c.opens {
					t.Errorf("opens: %v", opens)
				}
			})
		})
	}
}

func TestTravel(t *testing.T) {
	play(t, func(t *testing.T, p *panel, settle func()) {
		p.Travel(11)
		settle()
		if shows := p.Page.Shows("objects"); !strings.Contains(shows, "default/web") {
			t.Errorf("as of 11: %s", shows)
		}
		p.Travel(3) // compacted: nothing is asked
		settle()
		if p.past.busy || p.past.exact != nil {
			t.Error("a compacted revision is read")
		}
		p.Travel(0)
		if p.past.at != 0 {
			t.Error("the past is still shown")
		}
	})
}

// TestBeside wants it said beside the nodes why a Pod waits, as long as it does, and any other Pod opened.
func TestBeside(t *testing.T) {
	play(t, func(t *testing.T, p *panel, settle func()) {
		status := `"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",` +
			`"reason":"Unschedulable","message":"0/3 nodes"}]}`
		p.Page.Serve = func(r app.Request) (app.Response, error) {
			if r.Path == "/api/v1/namespaces/default/pods/web" {
				return app.Response{Status: 200, Body: strings.TrimSuffix(web, "}") + "," + status + "}"}, nil
			}
			return cluster(r)
		}
		var shown []app.ShowBeside
		app.On(p.Bus, func(e app.ShowBeside) { shown = append(shown, e) })
		press := func(waits string) {
			p.Page.Uses["objects-tile"](app.Use{Attributes: map[string]string{"data-object": "pods/default/web",
				"data-waits": waits}})
			settle()
		}
		body := func() string {
			var b strings.Builder
			if err := shown[len(shown)-1].Body().Render(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		press("true")
		if p.one != nil || len(shown) != 1 || shown[0].Again || !strings.Contains(body(), "0/3 nodes") ||
			p.Selection.Object != "obj-pods/default/web" {
			t.Fatalf("shown beside the nodes: %+v, %+v opened, %+v chosen", shown, p.one, p.Selection)
		}
		status = `"status":{"phase":"Running"}`
		app.Emit(p.Bus, revisions.Frame{Commit: &revisions.Commit{Revision: 12, Verb: revisions.Modified, Resource: "pods",
			Version: "v1", Kind: "Pod", Namespace: "default", Name: "web"}})
		settle()
		if len(shown) != 2 || !shown[1].Again || !strings.Contains(body(), "It waits no longer.") {
			t.Fatalf("it runs: %+v", shown)
		}
		if press("true"); p.one == nil || len(shown) != 2 {
			t.Errorf("a Pod that waits no longer is not opened: %d shown", len(shown))
		}
		p.one = nil
		if press(""); p.one == nil || len(shown) != 2 {
			t.Errorf("a Pod that runs is not opened: %d shown", len(shown))
		}
	})
}

// TestTiles wants the picture of nodes bounded, and something of each node in it.
func TestTiles(t *testing.T) {
	for nodes, want := range map[int]int{0: mostTiles, 1: mostTiles, 3: mostTiles, 50: 20, 5000: fewTiles} {
		if got := tilesOf(nodes); got != want {
			t.Errorf("%d tiles for each of %d nodes", got, nodes)
		}
	}
}
