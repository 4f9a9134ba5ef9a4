//go:build !js

package app

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/room"
	"github.com/tabernetes/tabernetes/web/tap"
)

// serve has a lab's requests answered by method and path without the query; all else is not found.
func serve(a *App, answers map[string]Response) *[]string {
	asked := &[]string{}
	a.Page.Serve = func(r Request) (Response, error) {
		*asked = append(*asked, r.Method+" "+r.Path)
		path, _, _ := strings.Cut(r.Path, "?")
		if res, ok := answers[r.Method+" "+path]; ok {
			return res, nil
		}
		return Response{Status: 404, Body: `{"message":"none"}`}, nil
	}
	return asked
}

var discovery = map[string]Response{
	"GET /api":  {Status: 200, Body: `{"versions":["v1"]}`},
	"GET /apis": {Status: 200, Body: `{"groups":[]}`},
	"GET /api/v1": {Status: 200, Body: `{"groupVersion":"v1","resources":[` +
		`{"name":"configmaps","namespaced":true,"kind":"ConfigMap","verbs":["list"]},` +
		`{"name":"nodes","kind":"Node","verbs":["list"]}]}`},
}

// TestApply wants each object of a manifest to be created, or patched where its name is taken.
func TestApply(t *testing.T) {
	object := func(rev int) string {
		return fmt.Sprintf(`{"metadata":{"name":"a","namespace":"default","resourceVersion":"%d"}}`, rev)
	}
	const configMap = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`
	const all = "/api/v1/namespaces/default/configmaps"
	for _, c := range []struct {
		name, manifest string
		answers        map[string]Response
		result, text   string
	}{
		{"new", configMap, map[string]Response{"POST " + all: {Status: 201, Body: object(9)}}, "created", ""},
		{"changed", configMap, map[string]Response{"POST " + all: {Status: 409}, "PATCH " + all + "/a": {Status: 200,
			Body: object(9)}}, "configured", ""},
		{"the same", configMap, map[string]Response{"POST " + all: {Status: 409}, "PATCH " + all + "/a": {Status: 200,
			Body: object(8)}}, "unchanged", ""},
		{"refused", configMap, map[string]Response{"POST " + all: {Status: 422, Body: `{"message":"bad"}`}}, "failed",
			"422 bad"},
		{"not patched", configMap, map[string]Response{"POST " + all: {Status: 409},
			"PATCH " + all + "/a": {Status: 403, Body: `{"message":"no"}`}}, "failed", "403 no"},
		{"of no type", `{"apiVersion":"v9","kind":"Thing","metadata":{"name":"a"}}`, nil, "failed", "no resource type"},
	} {
		a := New()
		answers := map[string]Response{}
		for _, of := range []map[string]Response{discovery, c.answers} {
			for k, v := range of {
				answers[k] = v
			}
		}
		serve(a, answers)
		a.Seen.Head = 8
		var last Applying
		On(a.Bus, func(e Applying) { last = e })
		a.Apply(c.manifest, "console")
		if r := last.Rows[0]; r.Result != c.result || !strings.Contains(r.Text, c.text) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// TestClosed wants people's own requests to be refused in closed panels, and nobody else's.
func TestClosed(t *testing.T) {
	a := New()
	serve(a, nil)
	a.Close("An exam is open.")
	for origin, refused := range map[string]bool{"console": true, "lever": true, "lesson": false, "setup": false} {
		if _, err := a.Fetch(t.Context(), Request{Method: "GET", Path: "/livez", Origin: origin}); (err != nil) != refused {
			t.Errorf("%s: %v", origin, err)
		}
	}
	if _, err := a.Fetch(t.Context(), Request{Method: "GET", Path: "/livez", Quiet: true}); err != nil {
		t.Error(err)
	}
	a.Close("")
	if calls := a.Page.Take(); !slices.Equal(calls, []string{"shut An exam is open.", "shut "}) {
		t.Errorf("%q", calls)
	}
}

// TestSeen wants what is known of a cluster to go with it, and to come back with it.
func TestSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New()
		serve(a, discovery)
		changed := 0
		On(a.Bus, func(ClusterChanged) { changed++ })
		state := func(cluster string, head int64) {
			Emit(a.Bus, revisions.Frame{State: &revisions.State{Cluster: cluster, Head: head}})
		}
		commit := func(verb revisions.Verb, name string, rev int64) {
			Emit(a.Bus, revisions.Frame{Commit: &revisions.Commit{Verb: verb, Resource: "namespaces", Name: name,
				Revision: rev}})
		}
		state("one", 4)
		commit(revisions.Added, "b", 5)
		commit(revisions.Added, "a", 6)
		commit(revisions.Added, "c", 7)
		commit(revisions.Deleted, "b", 8)
		got := a.Seen.Namespaces()
		if !slices.Equal(got, []string{"a", "c"}) || a.Seen.Head != 8 || !a.Seen.Had("namespaces") {
			t.Errorf("%q at %d", got, a.Seen.Head)
		}
		move := func(target, place string) {
			a.Page.Holds["target"], a.Page.Holds["place"] = target, place
			a.SetTarget(target)
		}
		move("devserver", "devserver")
		if a.Seen.Head != 0 || a.State().Place != "devserver" {
			t.Errorf("head %d in %s", a.Seen.Head, a.State().Place)
		}
		move("tab", "tab")
		if a.Seen.Head != 8 {
			t.Errorf("back at %d", a.Seen.Head)
		}
		if state("two", 1); changed != 1 || len(a.Seen.Namespaces()) != 0 || a.Seen.Since.IsZero() {
			t.Errorf("%d changes, %q", changed, a.Seen.Namespaces())
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if a.Catalog.Empty() {
			t.Error("nothing was discovered")
		}
	})
}

// TestLeft wants the revisions of a cluster that was left to be marked, and not those that the one after it shares,
// where it is a fork of that one.
func TestLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New()
		a.Page.Holds["target"], a.Page.Holds["place"] = "tab", "tab"
		a.SetTarget("tab")
		cluster := func(id string) {
			Emit(a.Bus, revisions.Frame{State: &revisions.State{Cluster: id, Head: 5}})
			time.Sleep(time.Second)
		}
		made := func() *tap.Exchange { return &tap.Exchange{Place: "tab", Started: time.Now()} }
		left := func(x *tap.Exchange) string {
			return fmt.Sprint(a.Left(x, 3), a.Left(x, 5), a.Left(&tap.Exchange{Place: "devserver", Started: x.Started}, 5))
		}
		cluster("one")
		first := made()
		if got := left(first); got != "false false false" {
			t.Errorf("in the first cluster: %s", got)
		}
		Emit(a.Bus, Forking{At: 4, Head: 5})
		cluster("two")
		second := made()
		if got := left(first); got != "false true false" {
			t.Errorf("after a fork at 4: %s", got)
		}
		if got := left(second); got != "false false false" {
			t.Errorf("made in the fork: %s", got)
		}
		cluster("three") // a reset
		if got := left(second); got != "true true false" {
			t.Errorf("after a reset: %s", got)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
	})
}

// TestAuthor wants who made a commit, and with what, as far as it is known.
func TestAuthor(t *testing.T) {
	a := New()
	a.Page.Holds["tab other"] = "tab 2"
	for _, c := range []struct {
		commit revisions.Commit
		tabs   int
		want   string
	}{
		{revisions.Commit{User: "ada", Manager: "kubectl"}, 1, "ada with kubectl"},
		{revisions.Commit{Manager: "kubectl"}, 1, "kubectl"}, {revisions.Commit{Request: "other.7"}, 2, "tab 2"},
		{revisions.Commit{Request: "other.7"}, 1, ""}, {revisions.Commit{Request: "page.7", User: "ada"}, 2, "ada"},
		{revisions.Commit{Request: "kube-controller-manager/job~7"}, 2, "job of kube-controller-manager"},
		{revisions.Commit{Request: "kubelets/~7"}, 1, "kubelets"},
	} {
		a.last.Tabs = c.tabs
		if got := a.Author(c.commit); got != c.want {
			t.Errorf("%+v: %q, not %q", c.commit, got, c.want)
		}
	}
}

// TestView checks that Look returns what a user looks at, and that Show shows what has changed in it.
func TestView(t *testing.T) {
	a := New()
	a.Page.Holds["dock"] = "objects"
	a.Lesson = LessonAt{ID: "lists", Step: 2}
	for _, c := range []struct {
		selection Selection
		want      string
	}{
		{Selection{}, ""}, {Selection{Revision: 7, Object: "obj-pods/default/a"}, "rev-7"},
		{Selection{Revision: 7, Last: 9}, ""},
		{Selection{Object: "obj-pods/default/a"}, "pods/default/a"},
	} {
		a.Selection = c.selection
		if v := a.Look(); v.Selected != c.want || v.Lesson != "lists" || v.Step != 2 || v.Panel != "objects" {
			t.Errorf("%+v: %+v", c.selection, v)
		}
	}
	var got []any
	On(a.Bus, func(e GoTo) { got = append(got, e.Revision) })
	On(a.Bus, func(e OpenObject) { got = append(got, e.Ref) })
	On(a.Bus, func(e Selected) { got = append(got, e.Selection) })
	a.Show(room.View{Selected: "rev-7"}, room.View{})
	a.Show(room.View{Selected: "rev-7"}, room.View{Selected: "rev-7"})
	a.Show(room.View{Selected: "pods/default/a", Revision: 5}, room.View{})
	a.Show(room.View{}, room.View{Selected: "rev-7"})
	want := []any{int64(7), Selection{Object: "obj-pods/default/a"}, "pods/default/a", Selection{}}
	if !slices.Equal(got, want) || a.At != 0 {
		t.Errorf("%v, not %v; at %d", got, want, a.At)
	}
}

// TestAsked wants what links and the page's scripts ask for to be done.
func TestAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New()
		serve(a, nil)
		a.shareViews()
		ask := func(words ...string) { a.Page.Ask(words[0], func(i int) string { return words[i] }) }
		var composed Request
		On(a.Bus, func(e Compose) { composed = e.Request })
		ask("compose", "POST", "/api/v1/pods", "", "{}")
		if composed.Method != "POST" || composed.Path != "/api/v1/pods" || composed.Body != "{}" {
			t.Errorf("%+v", composed)
		}
		a.Seen.Cluster, a.Seen.Head, a.Seen.Compacted = "c", 9, 4
		for _, c := range []struct {
			rev, at int64
			says    bool
		}{{7, 7, false}, {10, 0, true}, {3, 0, true}, {0, 0, false}} {
			a.Page.Take()
			b, err := json.Marshal(room.View{Revision: c.rev})
			if err != nil {
				t.Fatal(err)
			}
			ask("show", string(b))
			synctest.Wait()
			said := strings.Contains(strings.Join(a.Page.Take(), "\n"), "toast")
			if a.At != c.at || said != c.says || a.showing != 0 {
				t.Errorf("revision %d: at %d, said: %v, %d are shown", c.rev, a.At, said, a.showing)
			}
		}
		ev := tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: "/api/v1/pods?watch=1", Place: "tab",
			Time: time.Now().Add(time.Second)}
		Emit(a.Bus, ev)
		ev.Type, ev.Status = tap.Head, 200
		Emit(a.Bus, ev)
		if looks := a.Page.Look(); !strings.Contains(looks, `"watches":["/api/v1/pods?watch=1"]`) {
			t.Error(looks)
		}
	})
}

// TestFollow wants the revisions stream to be read on from where it was, and from its beginning of another cluster.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New()
		var asked []string
		var got []int64
		On(a.Bus, func(f revisions.Frame) {
			if f.Commit != nil {
				got = append(got, f.Commit.Revision)
			}
		})
		commits := func(cluster string, revs ...int) string {
			s := `{"type":"STATE","state":{"cluster":"` + cluster + `","head":1}}` + "\n"
			for _, r := range revs {
				s += fmt.Sprintf(`{"type":"COMMIT","commit":{"verb":"ADDED","revision":%d,"resource":"pods","name":"a"}}`+"\n", r)
			}
			return s
		}
		streams := []string{commits("one", 1, 2), commits("one", 2, 3), commits("two", 1), commits("two", 1)}
		end := make(chan bool)
		a.Page.Serve = func(r Request) (Response, error) {
			if !strings.HasPrefix(r.Path, revisionsPath) {
				return Response{Status: 404}, nil
			}
			if len(asked) == len(streams) {
				close(end)
				runtime.Goexit() // the page is gone
			}
			_, since, _ := strings.Cut(r.Path, "since=")
			asked = append(asked, since)
			return Response{Status: 200, Body: streams[len(asked)-1]}, nil
		}
		go a.follow()
		<-end
		if want := []string{"0", "2", "3", "0"}; !slices.Equal(asked, want) {
			t.Errorf("asked from %q, not %q", asked, want)
		}
		if want := []int64{1, 2, 3, 1}; !slices.Equal(got, want) {
			t.Errorf("revisions %d, not %d", got, want)
		}
	})
}

// TestWindow wants the rows in view to be drawn with some around them, and a row to be brought into view.
func TestWindow(t *testing.T) {
	w := New().NewWindow("list")
	for _, c := range []struct{ top, rows, from, to int }{
		{0, 5, 0, 5}, {0, 1000, 0, 20 + spareRows}, {100 * rowHeight, 1000, 100 - spareRows, 120 + spareRows},
		{990 * rowHeight, 1000, 990 - spareRows, 1000}, {990 * rowHeight, 10, 10, 10}, {0, 0, 0, 0},
	} {
		w.scroll(c.top)
		w.Measure()
		from, to, above, below := w.Rows(c.rows)
		if from != c.from || to != c.to || above != from*rowHeight || below != (c.rows-to)*rowHeight {
			t.Errorf("%d rows from %d on: %d to %d, %d above, %d below", c.rows, c.top, from, to, above, below)
		}
	}
	w.ToTop()
	for _, c := range []struct{ row, top int }{{3, 0}, {50, 31*rowHeight + 28}, {10, 10 * rowHeight}} {
		if w.Reveal(c.row); w.scrolled != c.top {
			t.Errorf("row %d: scrolled to %d, not %d", c.row, w.scrolled, c.top)
		}
	}
	if w.Page() != 19 || !w.Shown() {
		t.Errorf("%d rows a page, shown: %v", w.Page(), w.Shown())
	}
}
