//go:build !js

package console

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// lab returns the console of a lab, and what it has sent.
func lab() (*console, *[]string) {
	a := app.New()
	c := start(a)
	sent := &[]string{}
	app.On(a.Bus, func(r app.Requesting) {
		*sent = append(*sent, fmt.Sprint(r.Method, " ", r.Path, " ", r.Header, " ", r.Body))
	})
	c.ready(true)
	return c, sent
}

// TestSend wants the request that the fields say, with the headers that they mean.
func TestSend(t *testing.T) { synctest.Test(t, testSend) }

func testSend(t *testing.T) {
	for _, test := range []struct {
		method, path, body, headers, patch, want string
	}{
		{"GET", "/api/v1/pods", "left over", "", "", "GET /api/v1/pods [] "},
		{"POST", "/api/v1/pods", "{}", "", "", "POST /api/v1/pods [{Content-Type application/json}] {}"},
		{"POST", "/api/v1/pods", "kind: Pod", "", "", "POST /api/v1/pods [{Content-Type application/yaml}] kind: Pod"},
		{"POST", "/api/v1/pods", "kind: Pod", "content-type: a/b", "",
			"POST /api/v1/pods [{content-type a/b}] kind: Pod"},
		{"POST", "/api/v1/pods", " \n", "", "", "POST /api/v1/pods [] "},
		{"PATCH", "/api/v1/pods/a", "a: 1", "", "application/merge-patch+json",
			`PATCH /api/v1/pods/a [{Content-Type application/merge-patch+json}] {"a":1}`},
		{"PATCH", "/api/v1/pods/a", "a: 1", "", "application/apply-patch+yaml",
			`PATCH /api/v1/pods/a [{Content-Type application/apply-patch+yaml}] a: 1`},
		{"GET", "no path", "", "", "", ""},
	} {
		c, sent := lab()
		c.method.Set(test.method)
		c.path.Set(test.path)
		c.body.Set(test.body)
		c.headers.Set(test.headers)
		c.patch.Set(test.patch)
		c.Page.Uses["send"](app.Use{})
		if got := strings.Join(*sent, "; "); got != test.want {
			t.Errorf("%s %s: %q, not %q", test.method, test.path, got, test.want)
		}
	}
}

// TestPinned wants a request to go to the API server that is chosen, unless a header names another.
func TestPinned(t *testing.T) { synctest.Test(t, testPinned) }

func testPinned(t *testing.T) {
	c, sent := lab()
	c.method.Set("GET")
	c.path.Set("/livez")
	app.Emit(c.Bus, revisions.Frame{State: &revisions.State{Cluster: "c", Caches: []int64{1, 1}}})
	c.replica.Set("1")
	c.send()
	c.headers.Set(wellknown.ReplicaHeader + ": 0")
	c.send()
	c.headers.Set("")
	app.Emit(c.Bus, revisions.Frame{State: &revisions.State{Cluster: "c", Caches: []int64{1}}})
	c.send()
	want := []string{"GET /livez [{" + wellknown.ReplicaHeader + " 1}] ",
		"GET /livez [{" + wellknown.ReplicaHeader + " 0}] ", "GET /livez [] "}
	if !reflect.DeepEqual(*sent, want) {
		t.Errorf("%q, not %q", *sent, want)
	}
	time.Sleep(time.Second) // by then it has discovered what the cluster has
	synctest.Wait()
}

// TestWaits wants a request to wait for an API server.
func TestWaits(t *testing.T) { synctest.Test(t, testWaits) }

func testWaits(t *testing.T) {
	c, sent := lab()
	app.Emit(c.Bus, app.State{Phase: "loading"})
	c.path.Set("/livez")
	c.send()
	if len(*sent) > 0 || !strings.Contains(c.Page.Shows("req-problem"), "Waiting") {
		t.Fatalf("sent %q, says %s", *sent, c.Page.Shows("req-problem"))
	}
	app.Emit(c.Bus, app.State{Phase: "ready"})
	if len(*sent) != 1 || strings.Contains(c.Page.Shows("req-problem"), "Waiting") {
		t.Errorf("sent %q, says %s", *sent, c.Page.Shows("req-problem"))
	}
}

// TestCompose wants the fields to hold a request that another panel asks for.
func TestCompose(t *testing.T) { synctest.Test(t, testCompose) }

func testCompose(t *testing.T) {
	c, _ := lab()
	app.Emit(c.Bus, app.Compose{Request: app.Request{Method: "PATCH", Path: "/api/v1/pods/a", Body: "{}",
		Header: []tap.Field{{Name: "Content-Type", Value: "application/json-patch+json"}, {Name: "Accept", Value: "*/*"},
			{Name: "X-A", Value: "b"}, {Name: "User-Agent", Value: "u"}}}})
	got := []string{c.method.Value(), c.path.Value(), c.patch.Value(), c.accept.Value(), c.headers.Value()}
	want := []string{"PATCH", "/api/v1/pods/a", "application/json-patch+json", "", "X-A: b"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	if !c.opened {
		t.Error("the headers are not shown")
	}
}

// TestCompletion wants keys to choose among the paths that are offered.
func TestCompletion(t *testing.T) { synctest.Test(t, testCompletion) }

func testCompletion(t *testing.T) {
	c, _ := lab()
	if _, err := c.Catalog.AddVersions(`{"versions":["v1"]}`); err != nil {
		t.Fatal(err)
	}
	c.Catalog.AddResources(`{"groupVersion":"v1","resources":[` +
		`{"name":"nodes","kind":"Node","verbs":["list"]},{"name":"pods","namespaced":true,"kind":"Pod","verbs":["list"]}]}`)
	press := func(key string) {
		c.Page.Uses["path"](app.Use{Event: "keydown", Pressed: app.Press{Key: key}})
	}
	c.method.Set("GET")
	c.path.Set("/api/v1/")
	c.Page.Uses["path"](app.Use{Event: "input"})
	n := len(c.options)
	if n < 2 || c.active != -1 || !c.open {
		t.Fatalf("%d options, %d is active, open: %v", n, c.active, c.open)
	}
	for _, step := range []struct {
		key    string
		active int
		open   bool
	}{
		{"ArrowUp", n - 1, true}, {"ArrowDown", 0, true}, {"ArrowDown", 1, true}, {"ArrowUp", 0, true},
		{"Escape", 0, false}, {"ArrowDown", -1, true},
	} {
		if press(step.key); c.active != step.active || c.open != step.open {
			t.Fatalf("after %s: %d is active, open: %v", step.key, c.active, c.open)
		}
	}
	c.options = []catalog.Option{{Value: "/api/v1/nodes"}}
	press("ArrowDown")
	if press("Enter"); c.path.Value() != "/api/v1/nodes" || c.open {
		t.Errorf("took %q, open: %v", c.path.Value(), c.open)
	}

	// They go with the focus, unless it is back at once.
	for _, back := range []bool{true, false} {
		c.path.Set("/api/v1/")
		c.Page.Uses["path"](app.Use{Event: "input"})
		c.Page.Uses["path"](app.Use{Event: "focusout"})
		if time.Sleep(time.Millisecond); back {
			c.Page.Uses["path"](app.Use{Event: "focusin"})
		}
		if time.Sleep(time.Second); c.open != back {
			t.Errorf("the focus is back %t: open %t", back, c.open)
		}
	}
}

// TestParts wants what only some methods have to be shown for them alone.
func TestParts(t *testing.T) { synctest.Test(t, testParts) }

func testParts(t *testing.T) {
	c, _ := lab()
	for method, hidden := range map[string][3]bool{
		"GET": {true, true, true}, "POST": {true, true, false}, "PATCH": {false, true, false}, "DELETE": {true, false, true},
	} {
		c.method.Set(method)
		c.Page.Uses["method"](app.Use{})
		is := func(id string) bool { return c.Page.Marks[id+" hidden"] != "" }
		if got := [3]bool{is("patch-type"), is("req-addbody"), is("req-bodypart")}; got != hidden {
			t.Errorf("%s hides %v, not %v", method, got, hidden)
		}
	}
}

// TestCount wants the number of requests to be that of the cluster that is shown.
func TestCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := lab()
		for id := range 3 {
			c.Requests.Add(tap.Event{ID: id + 1, Type: tap.Request, Method: "GET", URL: "/api/v1/pods", Place: "scene"})
		}
		for _, at := range []struct{ place, want string }{{"scene", "3"}, {"tab", "0"}} {
			app.Emit(c.Bus, app.State{Phase: "ready", Target: at.place, Place: at.place})
			time.Sleep(time.Minute)
			synctest.Wait()
			if calls := strings.Join(c.Page.Take(), "; "); !strings.Contains(calls, "text log-count "+at.want) {
				t.Errorf("in %s: %s", at.place, calls)
			}
		}
	})
}
