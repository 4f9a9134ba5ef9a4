package stage

import (
	"encoding/xml"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/internal/golden"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

var begin = time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)

// world drives a model as a cluster and its clients would.
type world struct {
	*timeline.Model
	req int
}

func (w *world) commit(rev int64, verb revisions.Verb, resource, name string) {
	w.Frame(revisions.Frame{Commit: &revisions.Commit{
		Revision: rev, Time: begin.Add(time.Duration(rev) * time.Second), Verb: verb, Version: "v1", Resource: resource,
		Namespace: "default", Name: name,
	}})
}

func (w *world) state(head, compacted int64, caches ...int64) {
	w.Frame(revisions.Frame{State: &revisions.State{Head: head, Caches: caches, Compacted: compacted, Cluster: "c",
		Replicas: make([]revisions.Replica, len(caches))}})
}

// tapped has a model and its log take an event.
func tapped(m *timeline.Model, e tap.Event) {
	m.Log.Add(e)
	m.Tap(e)
}

func (w *world) send(e tap.Event) {
	e.Time = begin.Add(time.Duration(w.Head()) * time.Second)
	tapped(w.Model, e)
}

// write is a request that made these revisions.
func (w *world) write(method, url string, first, last int64) {
	w.req++
	w.send(tap.Event{Type: tap.Request, ID: w.req, Method: method, URL: url})
	w.send(tap.Event{Type: tap.Head, ID: w.req, Status: 200,
		Source: &tap.Source{From: "etcd", Head: last, Rule: "write", Wrote: []source.Span{{First: first, Last: last}}}})
	w.send(tap.Event{Type: tap.End, ID: w.req})
}

// get returns a read that is answered, and stays open if its body is no list.
func (w *world) get(url, body string, end bool) int {
	w.req++
	w.send(tap.Event{Type: tap.Request, ID: w.req, Method: "GET", URL: url})
	w.send(tap.Event{Type: tap.Head, ID: w.req, Status: 200})
	w.send(tap.Event{Type: tap.Chunk, ID: w.req, Text: body})
	if end {
		w.send(tap.Event{Type: tap.End, ID: w.req})
	}
	return w.req
}

func event(typ string, rev int64, name string) string {
	return fmt.Sprintf(`{"type":%q,"object":{"metadata":{"name":%q,"namespace":"default","resourceVersion":"%d"}}}`+"\n",
		typ, name, rev)
}

func pageOf(rev int64, from, to, all int) string {
	var items []string
	for i := from; i <= to; i++ {
		items = append(items, fmt.Sprintf(`{"metadata":{"name":"pod-%04d","namespace":"default"}}`, i))
	}
	more := ""
	if to < all {
		more = fmt.Sprintf(`,"continue":"t%d","remainingItemCount":%d`, to, all-to)
	}
	return fmt.Sprintf(`{"metadata":{"resourceVersion":"%d"%s},"items":[%s]}`, rev, more, strings.Join(items, ","))
}

// busy returns a cluster with a bit of everything: a cut watch that continued, an
// initial state, a 410, another type, pages, a wall, and a cache that is late.
func busy() *world {
	w := &world{Model: timeline.New(&tap.Log{})}
	w.state(1, 0, 1)
	for rev := int64(2); rev <= 5; rev++ {
		w.commit(rev, revisions.Added, "serviceaccounts", "default")
	}
	a := w.get("/api/v1/namespaces/default/pods?watch=1&resourceVersion=5&allowWatchBookmarks=true", "", false)
	w.write("POST", "/api/v1/namespaces/default/pods", 6, 6)
	w.commit(6, revisions.Added, "pods", "web")
	w.send(tap.Event{Type: tap.Chunk, ID: a, Text: event("ADDED", 6, "web")})
	w.write("DELETE", "/api/v1/namespaces/default/pods/web", 7, 8)
	w.commit(7, revisions.Modified, "pods", "web")
	w.commit(8, revisions.Deleted, "pods", "web")
	w.send(tap.Event{Type: tap.Chunk, ID: a, Text: event("MODIFIED", 7, "web") + event("DELETED", 8, "web")})
	w.send(tap.Event{Type: tap.End, ID: a})
	w.commit(9, revisions.Added, "pods", "missed")
	b := w.get("/api/v1/namespaces/default/pods?watch=1&resourceVersion=8&allowWatchBookmarks=true",
		event("ADDED", 9, "missed"), false)
	w.get("/api/v1/pods?watch=1&sendInitialEvents=true", event("ADDED", 9, `<b>"&`)+
		`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9",`+
		`"annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", false)
	w.get("/api/v1/configmaps?watch=1&resourceVersion=9&labelSelector=a%3Db",
		`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}`+"\n", false)
	w.get("/api/v1/pods?limit=3", pageOf(9, 1, 3, 8), true)
	w.get("/api/v1/pods?limit=3&continue=t3", pageOf(9, 4, 6, 8), true)
	w.commit(10, revisions.Deleted, "pods", "pod-0005")
	w.commit(11, revisions.Deleted, "pods", "pod-0008")
	w.get("/api/v1/pods?limit=3&continue=t6", pageOf(11, 7, 7, 7), true)
	w.get("/api/v1/pods?watch=1&resourceVersion=6",
		`{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}`+"\n", true)
	w.commit(12, revisions.Modified, "pods", "missed")
	w.send(tap.Event{Type: tap.Chunk, ID: b, Text: event("MODIFIED", 12, "missed")})
	w.req++
	w.send(tap.Event{Type: tap.Request, ID: w.req, Method: "GET", URL: "/api/v1/pods?resourceVersion=0"})
	w.send(tap.Event{Type: tap.Head, ID: w.req, Status: 200,
		Source: &tap.Source{Server: 1, From: "cache", Revision: 10, Head: 12, Rule: "list-any"}})
	w.state(12, 8, 12, 10)
	return w
}

func (w *world) scene(width, perRev float64) *Scene {
	return &Scene{Model: w.Model, View: View{Left: 1, PerRev: perRev, Width: width,
		Folds: []Fold{{2, 5, "cluster start"}}}, U: 1, Retained: 2}
}

func svg(s string) templ.Component { return templ.Raw("<svg>" + s + "</svg>") }

func TestGolden(t *testing.T) {
	w := busy()
	live := w.scene(700, 44)
	chosen := w.scene(700, 44)
	chosen.Chosen = Chosen{Rev: 9, Chip: "POST pods · 201 · 4 ms"}
	past := w.scene(700, 44)
	past.At = 8
	past.Chosen = Chosen{Rev: 8}
	fresh := w.scene(700, 44)
	fresh.Since, fresh.WallPreview = 12, 11
	bars := w.scene(60, 4)
	narrow := w.scene(360, 30)
	narrow.Narrow = true
	forked, later := w.scene(700, 44), w.scene(700, 44)
	forked.Forked, forked.Branch = 12, 14
	later.Forked, later.Branch, later.At = 9, 15, 7 // from before what is compacted
	lanes, list := w.Lanes.List, w.Chains.List[0]
	cases := map[string]templ.Component{
		"skeleton":      Skeleton(),
		"ruler/live":    svg(live.Ruler(148)),
		"ruler/chosen":  svg(chosen.Ruler(148)),
		"ruler/past":    svg(past.Ruler(148)),
		"ruler/fresh":   svg(fresh.Ruler(148)),
		"ruler/bars":    svg(bars.Ruler(148)),
		"ruler/narrow":  svg(narrow.Ruler(128)),
		"ruler/strip":   svg(chosen.Ruler(56)),
		"ruler/forked":  svg(forked.Ruler(148)),
		"ruler/branch":  svg(later.Ruler(148)),
		"head/recorded": RevisionHead(later.RevisionView()),
		"page/loose":    svg(live.Page(list, 146)),
		"server/level":  svg(live.Server(0, 60)),
		"server/late":   svg(live.Server(1, 60)),
		"head/revision": RevisionHead(live.RevisionView()),
		"head/past":     RevisionHead(past.RevisionView()),
		"head/unknown":  RevisionHead(RevisionView{}),
		"head/page":     PageHead(list, true),
		"head/server":   ServerHead(live.ServerView(1)),
		"head/frozen":   ServerHead(ServerView{Name: "C2", Index: 2, Frozen: true, Behind: 3}),
		"rows/none":     Rows(nil, AddView{None: true}, true),
		"rows/some": Rows([]Row{{ID: "w1", Kind: "lane", Words: "w1, pods", Ref: "req-1",
			Head: LaneHead(live.LaneView(lanes[0], false))}},
			AddView{Chosen: 9, Servers: []string{"C0", "C1"}, Problem: "No <path>"}, false),
		"bar/live": Bar(BarView{Following: true, Servers: 2, Late: true, Clock: "12:19:58", ClockOff: "+5 min",
			Undo: "compacted to 26", UndoTitle: "Puts it back", Bin: 50}),
		"bar/paused":   Bar(BarView{Paused: true, Waiting: 3, Servers: 1}),
		"bar/travel":   Bar(BarView{At: 24, Head: 31, Playing: true}),
		"tables/ruler": RevisionTable(live.RevisionRows(6, 12), 6, 12),
		"tables/lanes": LaneTable(live.LaneViews(), live.LaneRows()),
		"tables/pages": PageTable(w.Chains.List),
		"legend/all":   GlyphTable(),
	}
	for i, l := range lanes {
		id := fmt.Sprint("lane/", i+1)
		cases[id+"-live"] = svg(live.Lane(l, 56))
		cases[id+"-chosen"] = svg(chosen.Lane(l, 56))
		cases[id+"-past"] = svg(past.Lane(l, 56))
		cases[id+"-head"] = LaneHead(live.LaneView(l, false))
		cases[id+"-head-past"] = LaneHead(past.LaneView(l, false))
	}
	noted := w.scene(700, 44)
	noted.Notes = map[int]app.LaneNote{lanes[0].Req: {Words: "2 lost, 1 <ghost>", Bad: true},
		lanes[1].Req: {Words: "as on the server"}}
	cases["lane/1-head-note"] = LaneHead(noted.LaneView(lanes[0], false))
	cases["lane/2-head-note"] = LaneHead(noted.LaneView(lanes[1], false))
	remembering(cases)
	goals(t, cases)
	programs(t, cases)
	cases["lane/1-head-kubectl"] = LaneHead(live.LaneView(byKubectl(*lanes[0]), false))
	cases["lane/dense"] = svg(bars.Lane(lanes[0], 22))
	cases["lane/dense-head"] = LaneHead(live.LaneView(lanes[0], true))
	golden.Test(t, cases)
}

// Whatever is looked at, drawings are well-formed.
func TestDrawingsAreWellFormed(t *testing.T) {
	w := busy()
	for _, perRev := range []float64{0.01, 1, 12, 44, 300} {
		for _, left := range []float64{-50, 0, 5, 500} {
			sc := w.scene(400, perRev)
			sc.View.Left = left
			sc.Chosen = Chosen{Rev: 9, Chip: "<&>"}
			for at := range int64(2) {
				sc.At = at * 7
				text := sc.Ruler(148) + sc.Server(1, 60) + sc.Page(w.Chains.List[0], 146)
				for _, l := range w.Lanes.List {
					text += sc.Lane(l, 56)
				}
				d := xml.NewDecoder(strings.NewReader("<svg>" + text + "</svg>"))
				for {
					if _, err := d.Token(); err == io.EOF {
						break
					} else if err != nil {
						t.Fatalf("%g pixels a revision, from %g: %v", perRev, left, err)
					}
				}
			}
		}
	}
}

// Drawing costs what is visible: as much for a hundred thousand revisions as for
// a few hundred.
func TestDrawingCostsWhatIsVisible(t *testing.T) {
	size := func(n int64, perRev float64) int {
		w := &world{Model: timeline.New(&tap.Log{})}
		w.state(1, 0, 1)
		a := w.get("/api/v1/pods?watch=1&resourceVersion=1", "", false)
		for rev := int64(2); rev <= n; rev++ {
			w.commit(rev, revisions.Modified, "pods", "a")
			w.send(tap.Event{Type: tap.Chunk, ID: a, Text: event("MODIFIED", rev, "a")})
		}
		sc := &Scene{Model: w.Model, View: View{Left: float64(n) - 700/perRev, PerRev: perRev, Width: 700}, U: 1}
		return len(sc.Ruler(148)) + len(sc.Lane(w.Lanes.List[0], 56))
	}
	if few, many := size(300, 44), size(30_000, 44); many > few*5/4 {
		t.Errorf("marks: %d bytes for 300 revisions, %d for 30,000", few, many)
	}
	if few, many := size(2_000, 0.4), size(30_000, 0.025); many > few*2 { // how many bars there are depends on the step
		t.Errorf("bars: %d bytes for 2,000 revisions, %d for 30,000", few, many)
	}
}

func TestWords(t *testing.T) {
	w := busy()
	sc := w.scene(700, 44)
	for i, want := range []string{
		"w1, default/pods, open, 5 events, cut after 8, resume after 12",
		"w2, pods, open, 2 events, resume after 9",
		"w3, configmaps a=b, open, 1 event, resume after 9",
		"w4, pods, error 410, 1 event, error 410, which is gone",
	} {
		if got := sc.LaneView(w.Lanes.List[i], false).Words; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got, want := sc.Revision(9), "Revision 9: added pods default/missed; received by: w1 w2"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	why := map[int]string{2: "other type", 3: "got 410"}
	for i, want := range why {
		if got := sc.Why(w.Lanes.List[i], 12); got != want {
			t.Errorf("w%d was not received of 12: %q, want %q", i+1, got, want)
		}
	}
}

func TestClusterStart(t *testing.T) {
	w := &world{Model: timeline.New(&tap.Log{})}
	w.state(1, 0, 1)
	w.commit(2, revisions.Added, "serviceaccounts", "default")
	w.commit(3, revisions.Added, "configmaps", "kube-root-ca.crt")
	w.commit(4, revisions.Added, "serviceaccounts", "default")
	w.commit(5, revisions.Added, "configmaps", "mine")
	w.commit(6, revisions.Added, "configmaps", "kube-root-ca.crt")
	if f := (&Scene{Model: w.Model}).Folds(); !reflect.DeepEqual(f, []Fold{{2, 4, "cluster start"}}) {
		t.Errorf("the folds are %+v", f)
	}
}

// The start of the cluster is one step of time travel, at its end, unless it is unfolded.
func TestTheStartIsOneStep(t *testing.T) {
	w := busy() // 2 to 5 are the start
	walk := func(sc *Scene, at, by int64) (out []int64) {
		for at = sc.stepFrom(at, by); at > 0; at = sc.stepFrom(at, by) {
			out = append(out, at)
		}
		return out
	}
	folded, open := w.scene(700, 44), w.scene(700, 44)
	open.View.Folds = nil
	for _, test := range []struct {
		sc     *Scene
		at, by int64
		want   string
	}{
		{folded, 8, -1, "[7 6 5]"},
		{folded, 5, 1, "[6 7 8 9 10 11 12]"},
		{folded, 3, 1, "[6 7 8 9 10 11 12]"},
		{folded, 3, -1, "[]"},
		{open, 8, -1, "[7 6 5 4 3 2]"},
		{open, 3, 1, "[4 5 6 7 8 9 10 11 12]"},
	} {
		if got := fmt.Sprint(walk(test.sc, test.at, test.by)); got != test.want {
			t.Errorf("from %d by %d: %s, want %s", test.at, test.by, got, test.want)
		}
	}
	if got := folded.endOfFold(2); got != 5 {
		t.Errorf("the oldest revision to travel to is %d", got)
	}
}

// TestClusterStartOfRealObjects has the objects that the real server makes, up to the first address of somebody else.
func TestClusterStartOfRealObjects(t *testing.T) {
	w := &world{Model: timeline.New(&tap.Log{})}
	w.state(1, 0, 1)
	for i, of := range [][2]string{{"servicecidrs", "kubernetes"}, {"apiservices", "v1.apps"},
		{"prioritylevelconfigurations", "exempt"}, {"flowschemas", "probes"}, {"ipaddresses", "10.96.0.1"},
		{"services", "kubernetes"}, {"ipaddresses", "10.96.0.2"}} {
		w.commit(int64(i+2), revisions.Added, of[0], of[1])
	}
	if f := (&Scene{Model: w.Model}).Folds(); !reflect.DeepEqual(f, []Fold{{2, 7, "cluster start"}}) {
		t.Errorf("the folds are %+v", f)
	}
}
