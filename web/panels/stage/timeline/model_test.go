// More than 400 lines: the cases share one stream of events.

package timeline

import (
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

var start = time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)

// world drives a model as a cluster and its clients would.
type world struct {
	*Model
	req int
	all []Changes
}

func newWorld() *world { return &world{Model: New(&tap.Log{})} }

// Tap has log and model take an event.
func (w *world) Tap(e tap.Event) Changes {
	w.Log.Add(e)
	return w.Model.Tap(e)
}

func (w *world) at(rev int64) time.Time { return start.Add(time.Duration(rev) * time.Second) }

func (w *world) commit(rev int64, verb revisions.Verb, namespace, name string) Changes {
	return w.Frame(revisions.Frame{Commit: &revisions.Commit{
		Revision: rev, Time: w.at(rev), Verb: verb, Version: "v1", Resource: "pods", Kind: "Pod", Namespace: namespace,
		Name: name,
	}})
}

func (w *world) state(head, compacted int64, caches ...int64) Changes {
	return w.Frame(revisions.Frame{State: &revisions.State{Head: head, Caches: caches, Compacted: compacted,
		Cluster: "c1"}})
}

func (w *world) send(e tap.Event) {
	e.Time = w.at(w.Head())
	w.all = append(w.all, w.Tap(e))
}

// open makes a request that is answered with a status and stays open.
func (w *world) open(url string, status int) (id int) {
	w.req++
	w.send(tap.Event{Type: tap.Request, ID: w.req, Method: "GET", URL: url, Origin: "console"})
	w.send(tap.Event{Type: tap.Head, ID: w.req, Status: status})
	return w.req
}

func (w *world) chunk(id int, text string) { w.send(tap.Event{Type: tap.Chunk, ID: id, Text: text}) }
func (w *world) end(id int)                { w.send(tap.Event{Type: tap.End, ID: id}) }

func (w *world) get(url string, status int, body string) {
	id := w.open(url, status)
	w.chunk(id, body[:len(body)/2])
	w.chunk(id, body[len(body)/2:])
	w.end(id)
}

func event(typ string, rev int64, name string) string {
	return fmt.Sprintf(`{"type":%q,"object":{"kind":"Pod","metadata":{"name":%q,"namespace":"default",`+
		`"resourceVersion":"%d"}}}`+"\n", typ, name, rev)
}

func bookmark(rev int64, end bool) string {
	notes := ""
	if end {
		notes = `,"annotations":{"k8s.io/initial-events-end":"true"}`
	}
	return fmt.Sprintf(`{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"%d"%s}}}`+"\n", rev,
		notes)
}

const gone = `{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old resource ` +
	`version: 3 (5)","metadata":{}}}` + "\n"

func TestALaneFromAVersion(t *testing.T) {
	w := newWorld()
	w.state(9, 0, 9)
	id := w.open("/api/v1/pods?watch=1&resourceVersion=5", 200)
	l := w.Lanes.Get(id)
	if l == nil || l.ID() != "w1" || l.Start != FromExact || l.Resume != 5 || l.Initial {
		t.Fatalf("%+v", l)
	}
	text := event("ADDED", 6, "a") + event("MODIFIED", 8, "a") + bookmark(9, false) + event("DELETED", 10, "a")
	for i := 0; i < len(text); i += 7 { // however it is cut
		w.chunk(id, text[i:min(i+7, len(text))])
	}
	var got []Kind
	for i := range l.Marks.Len() {
		got = append(got, l.Marks.At(i).Kind)
	}
	if fmt.Sprint(got) != fmt.Sprint([]Kind{Added, Modified, Bookmark, Deleted}) || l.Resume != 10 || l.Odd != 0 {
		t.Fatalf("%v, resume %d, odd %d", got, l.Resume, l.Odd)
	}
	w.end(id)
	if l.Ending != Served || l.ResumeURL() != "/api/v1/pods?resourceVersion=10&watch=1" {
		t.Errorf("%v %s", l.Ending, l.ResumeURL())
	}
	if w.Behind(10) {
		t.Error("behind a wall that does not stand")
	}
	w.state(20, 11, 20)
	if !w.Behind(10) || w.Behind(11) {
		t.Error("the wall at 11 hides 10 and not 11")
	}
}

func TestInitialState(t *testing.T) {
	for _, tc := range []struct {
		query         string
		start         Start
		state, events int
	}{
		{"watch=1", FromMostRecent, 2, 1},
		{"watch=1&resourceVersion=0", FromAny, 2, 1},
		{"watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", FromStreaming, 2, 2},
		{"watch=1&resourceVersion=0&sendInitialEvents=false", FromAny, 0, 3},
	} {
		w := newWorld()
		w.state(9, 0, 9)
		id := w.open("/api/v1/pods?"+tc.query, 200)
		// The initial state comes in the order of keys, not of revisions.
		w.chunk(id, event("ADDED", 7, "a")+event("ADDED", 3, "b"))
		l := w.Lanes.Get(id)
		if l.Initial && (l.Resume != 0 || l.Doing() != "initial state") {
			t.Errorf("%s: resume %d, %s", tc.query, l.Resume, l.Doing())
		}
		if tc.start == FromStreaming {
			w.chunk(id, bookmark(9, true))
		}
		w.chunk(id, event("ADDED", 10, "c"))
		if l.Start != tc.start || l.State.Len() != tc.state || l.Marks.Len() != tc.events || l.Resume != 10 {
			t.Errorf("%s: start %v, %d in the initial state, %d after it, resume %d", tc.query, l.Start, l.State.Len(),
				l.Marks.Len(), l.Resume)
		}
		if tc.state > 0 && l.State.First() != 3 {
			t.Errorf("%s: the initial state begins at %d", tc.query, l.State.First())
		}
	}
}

func TestALaneThatOpensBeforeTheHeadIsKnown(t *testing.T) {
	w := newWorld()
	id := w.open("/api/v1/pods?watch=1", 200)
	w.chunk(id, event("ADDED", 7, "a")+event("ADDED", 3, "b")+event("MODIFIED", 8, "a"))
	if l := w.Lanes.Get(id); l.State.Len() != 2 || l.Marks.Len() != 1 || l.StartRev != 7 {
		t.Errorf("%d and %d, start %d", l.State.Len(), l.Marks.Len(), l.StartRev)
	}
}

func TestALaneOfBytes(t *testing.T) {
	w := newWorld()
	w.req++
	w.send(tap.Event{Type: tap.Request, ID: w.req, Method: "GET", URL: "/api/v1/pods?watch=1"})
	w.send(tap.Event{Type: tap.Head, ID: w.req, Status: 200, Header: []tap.Field{{Name: "Content-Type",
		Value: "application/vnd.kubernetes.protobuf;stream=watch"}}})
	if l := w.Lanes.Get(w.req); !l.Binary || l.Doing() != "open, in a format that is not drawn" {
		t.Errorf("%t, %s", l.Binary, l.Doing())
	}
	w.end(w.req)
	if l := w.Lanes.Get(w.req); l.Doing() != "ended" {
		t.Error(l.Doing())
	}
}

func TestHowLanesEnd(t *testing.T) {
	for _, tc := range []struct {
		name   string
		act    func(w *world, id int)
		ending Ending
		doing  string
	}{
		{"the server's time is over", func(w *world, id int) { w.end(id) }, Served, "ended"},
		{"the client closes", func(w *world, id int) { w.send(tap.Event{Type: tap.Fail, ID: id, Aborted: true}) }, Aborted,
			"closed"},
		{"the line breaks", func(w *world, id int) { w.send(tap.Event{Type: tap.Fail, ID: id, Err: "network"}) }, Broken,
			"broken off"},
		{"an error", func(w *world, id int) { w.chunk(id, gone); w.end(id) }, Served, "error 410"},
		{"a last line without an end", func(w *world, id int) { w.chunk(id, strings.TrimSpace(gone)); w.end(id) }, Served,
			"error 410"},
		{"it stays open", func(w *world, id int) {}, Open, "open"},
	} {
		w := newWorld()
		w.state(9, 5, 9)
		id := w.open("/api/v1/pods?watch=1&resourceVersion=3", 200)
		tc.act(w, id)
		l := w.Lanes.Get(id)
		if l.Ending != tc.ending || l.Doing() != tc.doing {
			t.Errorf("%s: %v, %s", tc.name, l.Ending, l.Doing())
		}
		if tc.doing == "error 410" {
			alert := ""
			for _, ch := range w.all {
				alert += ch.Alert
			}
			if alert != "Watch w1: error 410, too old resource version: 3 (5)" || l.Marks.Last() != 3 {
				t.Errorf("%s: said %q, the mark lies at %d", tc.name, alert, l.Marks.Last())
			}
		}
	}
}

func TestWhatIsNoLane(t *testing.T) {
	w := newWorld()
	for _, url := range []string{"/api/v1/pods", "/api/v1/namespaces/default/pods/a?watch=1", "/version"} {
		w.open(url, 200)
	}
	w.open("/api/v1/pods?watch=1&resourceVersion=x", 500)
	w.send(tap.Event{Type: tap.Request, ID: 50, Method: "DELETE", URL: "/api/v1/pods?watch=1"})
	w.send(tap.Event{Type: tap.Head, ID: 50, Status: 200})
	if n := len(w.Lanes.List); n != 0 {
		t.Errorf("%d lanes", n)
	}
}

func TestOldLanesMakeRoomButOpenOnesStay(t *testing.T) {
	w := newWorld()
	first := w.open("/api/v1/pods?watch=1&resourceVersion=1", 200)
	for range keptLanes + 5 {
		id := w.open("/api/v1/pods?watch=1&resourceVersion=1", 200)
		w.chunk(id, event("ADDED", 2, "a"))
		w.end(id)
	}
	if len(w.Lanes.List) != keptLanes || w.Lanes.Get(first) == nil {
		t.Errorf("%d lanes", len(w.Lanes.List))
	}
	if got := w.Taken(); got != keptLanes+5 {
		t.Errorf("%d events counted", got)
	}
	w.Lanes.Drop((*Lane).Over)
	if len(w.Lanes.List) != 1 || w.Taken() != keptLanes+5 {
		t.Errorf("%d lanes, %d events", len(w.Lanes.List), w.Taken())
	}
}

// page writes a list's body: items from to to, then a token if there are more.
func page(rv int64, from, to, all int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"kind":"PodList","metadata":{"resourceVersion":"%d"`, rv)
	if to < all {
		fmt.Fprintf(&b, `,"continue":%q,"remainingItemCount":%d`, token64(rv, to), all-to)
	}
	b.WriteString(`},"items":[`)
	for i := from; i <= to; i++ {
		if i > from {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"metadata":{"name":"pod-%04d","namespace":"default"}}`, i)
	}
	return b.String() + "]}"
}

func TestAListInPages(t *testing.T) {
	w := newWorld()
	w.commit(1210, revisions.Added, "default", "pod-1253")
	w.commit(1211, revisions.Deleted, "default", "pod-0001") // before the answer is read
	w.get("/api/v1/pods?limit=500", 200, page(1210, 1, 500, 1253))
	c := w.Chains.List[0]
	w.commit(1212, revisions.Deleted, "default", "pod-0002")
	w.commit(1213, revisions.Added, "other", "x")
	for range 2 {
		n := int(c.Items())
		w.get(c.NextURL(), 200, page(1210, n+1, min(n+500, 1253), 1253))
	}
	var got []string
	for _, p := range c.Pages {
		got = append(got, fmt.Sprintf("%d-%d %s..%s @%d", p.From, p.To, p.First, p.Last, p.Rev))
	}
	want := "[1-500 default/pod-0001..default/pod-0500 @1210 501-1000 default/pod-0501..default/pod-1000 @1210 " +
		"1001-1253 default/pod-1001..default/pod-1253 @1210]"
	if fmt.Sprint(got) != want || len(w.Chains.List) != 1 {
		t.Fatalf("got %v", got)
	}
	if !c.Done() || c.Snapshot != 1210 || c.Inconsistent() || c.Later.Total() != 3 || c.NextURL() != "" {
		t.Errorf("done %v, snapshot %d, %d later", c.Done(), c.Snapshot, c.Later.Total())
	}
}

func TestATokenUsedAgainReplacesWhatCameAfterIt(t *testing.T) {
	w := newWorld()
	w.get("/api/v1/pods?limit=2", 200, page(5, 1, 2, 6))
	c := w.Chains.List[0]
	next := c.NextURL()
	w.get(next, 200, page(5, 3, 4, 6))
	w.get(c.NextURL(), 200, page(5, 5, 6, 6))
	w.get(next, 200, page(5, 3, 4, 6))
	if len(c.Pages) != 2 || c.Items() != 4 || c.Done() {
		t.Errorf("%d pages, %d items", len(c.Pages), c.Items())
	}
}

func TestAnExpiredToken(t *testing.T) {
	w := newWorld()
	w.get("/api/v1/pods?limit=2", 200, page(5, 1, 2, 6))
	c := w.Chains.List[0]
	if c.Expired(5) || !c.Expired(6) {
		t.Error("a token of revision 5 expires when 5 is compacted away, not before")
	}
	w.get(c.NextURL(), 410, fmt.Sprintf(`{"kind":"Status","code":410,"reason":"Expired","message":"too `+
		`old","metadata":{"continue":%q}}`, token64(-1, 2)))
	if c.Gone != "too old" || c.NextURL() != "" || c.FirstURL() != "/api/v1/pods?limit=2" || c.FreshURL() == "" {
		t.Fatalf("%+v", c)
	}
	w.get(c.FreshURL(), 200, page(9, 3, 4, 6))
	if c.Gone != "" || !c.Inconsistent() || c.Snapshot != 9 || c.Items() != 4 {
		t.Errorf("%+v", c)
	}
	w.get(c.NextURL(), 200, page(9, 5, 6, 6))
	if !c.Done() || !c.Pages[2].Inconsistent || len(w.Chains.List) != 1 {
		t.Errorf("a page after an inconsistent one belongs to no moment either: %+v", c.Pages)
	}
}

func TestWhatIsNoPage(t *testing.T) {
	w := newWorld()
	w.get("/api/v1/pods", 200, page(5, 1, 2, 2))
	w.get("/api/v1/pods?limit=2", 403, `{"kind":"Status"}`)
	w.get("/api/v1/pods?limit=2", 200, "\x00binary")
	w.get("/api/v1/pods?watch=1&limit=2", 200, event("ADDED", 3, "a"))
	if n := len(w.Chains.List); n != 0 {
		t.Errorf("%d chains", n)
	}
	w.get("/api/v1/pods?limit=2&continue="+token64(5, 2), 200, page(5, 3, 4, 6))
	if n := len(w.Chains.List); n != 1 || !w.Chains.List[0].Midway {
		t.Errorf("a list whose beginning was not seen: %d chains", n)
	}
}

func TestOnlySoManyChains(t *testing.T) {
	w := newWorld()
	for range keptChains * 3 {
		w.get("/api/v1/pods?limit=2", 200, page(5, 1, 2, 6))
	}
	// All these lists were given the same token; it leads to one chain at most.
	if len(w.Chains.List) != keptChains || len(w.Chains.tokens) > 1 {
		t.Errorf("%d chains, %d tokens", len(w.Chains.List), len(w.Chains.tokens))
	}
	w.Chains.Drop(func(c *Chain) bool { return c == w.Chains.List[0] })
	if len(w.Chains.List) != keptChains-1 || len(w.Chains.tokens) != 0 {
		t.Error("a dropped chain leaves its token behind")
	}
}

func TestFramesThatComeTwice(t *testing.T) {
	w := newWorld()
	for range 2 {
		w.state(3, 0, 3)
		for rev := int64(1); rev <= 3; rev++ {
			w.commit(rev, revisions.Added, "default", "a")
		}
	}
	if w.Commits.Len() != 3 {
		t.Errorf("%d commits", w.Commits.Len())
	}
}

func TestAnotherCluster(t *testing.T) {
	w := newWorld()
	w.state(9, 2, 9)
	w.commit(9, revisions.Added, "default", "a")
	w.open("/api/v1/pods?watch=1", 200)
	ch := w.Frame(revisions.Frame{State: &revisions.State{Head: 4, Caches: []int64{4}, Cluster: "c2"}})
	if !ch.Reset || w.Commits.Len() != 0 || len(w.Lanes.List) != 0 || w.Head() != 4 || w.Behind(1) {
		t.Errorf("%+v, %d commits, head %d", ch, w.Commits.Len(), w.Head())
	}
	w.open("/api/v1/pods?watch=1", 200)
	if id := w.Lanes.List[0].ID(); id != "w2" {
		t.Errorf("a name is used twice: %s", id)
	}
	other := &world{Model: New(w.Log), req: w.req} // beside it, such as a scene's
	other.open("/api/v1/nodes?watch=1", 200)
	if id := other.Lanes.List[0].ID(); id != "w1" || len(w.Lanes.List) != 1 {
		t.Errorf("counted from the beginning it is %s", id)
	}
}

func TestRecent(t *testing.T) {
	w := newWorld()
	for rev := int64(1); rev <= 100; rev++ {
		w.commit(rev, revisions.Added, "default", "a") // one a second
	}
	if got := w.Recent(20_000); got != 21 {
		t.Errorf("%d commits within 20 seconds", got)
	}
}

func TestOldestShowsALittleOfWhatIsGone(t *testing.T) {
	w := newWorld()
	w.state(100_000, 99_000, 100_000)
	if got := w.Oldest(); got >= 99_000 || got < 98_000 {
		t.Errorf("the axis begins at %d", got)
	}
}

func BenchmarkFeed(b *testing.B) {
	w := newWorld()
	w.state(1, 0, 1)
	id := w.open("/api/v1/pods?watch=1&resourceVersion=1", 200)
	w.all = nil
	rev := int64(1)
	for b.Loop() {
		rev++
		w.commit(rev, revisions.Modified, "default", "a")
		w.Tap(tap.Event{Type: tap.Chunk, ID: id, Text: event("MODIFIED", rev, "a")})
	}
}

// What a cache does not hold yet is no part of "any" state: it comes later, as
// changes do.
func TestALaneOfACacheThatIsBehind(t *testing.T) {
	w := newWorld()
	w.state(20, 0, 20, 12)
	w.req++
	w.send(tap.Event{Type: tap.Request, ID: w.req, Method: "GET", URL: "/api/v1/pods?watch=1&resourceVersion=0",
		Header: []tap.Field{{Name: "tabernetes-replica", Value: "1"}}})
	w.send(tap.Event{Type: tap.Head, ID: w.req, Status: 200,
		Header: []tap.Field{{Name: wellknown.ReplicaHeader, Value: "1"}}})
	l := w.Lanes.List[0]
	w.chunk(w.req, event("ADDED", 12, "a")+event("ADDED", 15, "b"))
	if l.Replica != 1 || l.State.Len() != 1 || l.Marks.Len() != 1 {
		t.Errorf("replica %d, %d initial and %d later events", l.Replica, l.State.Len(), l.Marks.Len())
	}
	if pin := l.Pin(); len(pin) != 1 || pin[0].Value != "1" {
		t.Errorf("going on is not pinned: %v", pin)
	}
	if ch := w.state(20, 0, 20, 18); !ch.Lanes {
		t.Error("a cache that moves changes what the lanes say")
	}
	w.state(20, 0, 20, 20)
	if ch := w.state(21, 0, 21, 21); ch.Lanes {
		t.Error("caches that keep up change nothing of the lanes")
	}
}

func TestAnExpiredLaneListsAgain(t *testing.T) {
	w := newWorld()
	w.state(9, 5, 9)
	id := w.open("/api/v1/pods?watch=1&resourceVersion=3&labelSelector=a%3Db", 200)
	w.chunk(id, gone)
	w.end(id)
	l := w.Lanes.List[0]
	if !l.Expired() || l.Pin() != nil {
		t.Error("410 is an expired version, and nothing was pinned")
	}
	if got := l.ListURL(); got != "/api/v1/pods?labelSelector=a%3Db" {
		t.Error(got)
	}
	watch := "/api/v1/pods?allowWatchBookmarks=true&labelSelector=a%3Db&resourceVersion=9&watch=1"
	if got := l.WatchURL("9"); got != watch {
		t.Error(got)
	}
}

// The page receives what happened before the lab was loaded when the cluster has moved on:
// a stream that ended before ends at the cluster's head of that time, not at the present one.
func TestWhatCameBeforeTheStreamKeepsItsPlace(t *testing.T) {
	w := newWorld()
	w.Since = w.at(40)
	w.state(33, 0, 33)
	w.req = 10 // what is asked below has lower numbers
	early := func(rev int64, e tap.Event) {
		e.Time = w.at(rev)
		w.Tap(e)
	}
	early(20, tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: "/api/v1/pods?watch=1&resourceVersion=20"})
	early(20, tap.Event{Type: tap.Head, ID: 1, Status: 200,
		Source: &tap.Source{From: "cache", Head: 20, Rule: "watch-exact"}})
	early(22, tap.Event{Type: tap.Chunk, ID: 1, Text: event("ADDED", 22, "a")})
	early(23, tap.Event{Type: tap.Request, ID: 2, Method: "POST", URL: "/api/v1/namespaces/default/configmaps"})
	early(23, tap.Event{Type: tap.Head, ID: 2, Status: 201,
		Source: &tap.Source{From: "etcd", Head: 23, Rule: "write", Wrote: []source.Span{{First: 23, Last: 23}}}})
	early(23, tap.Event{Type: tap.End, ID: 1})
	late := w.open("/api/v1/pods?watch=1&resourceVersion=30", 200)
	w.Tap(tap.Event{Type: tap.End, ID: late, Time: w.at(50)})
	if got := w.Lanes.Get(1).EndHead; got != 23 {
		t.Errorf("what ended before the stream ended at %d", got)
	}
	if got := w.Lanes.Get(late).EndHead; got != 33 {
		t.Errorf("what ended after it began ended at %d", got)
	}
}

// A watch that begins where a lane ended is the same client: it continues in that lane.
func TestAClientGoesOnInItsLane(t *testing.T) {
	w := newWorld()
	w.state(9, 0, 9)
	first := w.open("/api/v1/pods?watch=1&resourceVersion=5", 200)
	w.chunk(first, event("ADDED", 7, "a"))
	w.commit(10, revisions.Added, "default", "b")
	w.end(first)
	w.commit(11, revisions.Added, "default", "c")
	w.commit(12, revisions.Modified, "default", "c")
	w.open("/api/v1/pods?watch=1&resourceVersion=6", 200)                    // another version
	w.open("/api/v1/namespaces/default/pods?watch=1&resourceVersion=7", 200) // another path
	second := w.open("/api/v1/pods?watch=true&resourceVersion=7&allowWatchBookmarks=true", 200)
	w.commit(13, revisions.Modified, "default", "b")
	w.chunk(second, event("ADDED", 10, "b")+event("ADDED", 11, "c")+event("MODIFIED", 12, "c"))
	w.commit(14, revisions.Modified, "default", "a")
	w.chunk(second, event("MODIFIED", 14, "a"))
	if len(w.Lanes.List) != 3 {
		t.Fatalf("%d lanes", len(w.Lanes.List))
	}
	l := w.Lanes.List[0]
	if l.ID() != "w1" || len(l.Past) != 1 || l.Past[0].Req != first || l.Req != second || w.Lanes.Get(first) != l ||
		w.Lanes.Get(second) != l {
		t.Fatalf("%+v", l)
	}
	if l.Past[0].EndHead != 10 || l.Opened != 12 || l.Over() || l.Resume != 14 {
		t.Errorf("ended at %d, opened at %d, resume %d", l.Past[0].EndHead, l.Opened, l.Resume)
	}
	for rev, want := range map[int64]bool{7: false, 11: true, 12: true, 14: false} {
		if l.Replayed(rev) != want {
			t.Errorf("%d was replayed: %v", rev, !want)
		}
	}
	for at, want := range map[int64]int64{8: 0, 9: 7, 10: 7, 12: 7, 13: 12, 14: 14} {
		if got := l.ResumeAt(at); got != want {
			t.Errorf("at %d the client could go on from %d, want %d", at, got, want)
		}
	}
	if _, ok := l.Delivered(13); ok {
		t.Error("a write that was not sent was told")
	}
	if k, ok := l.Delivered(11); !ok || k.Kind != Added || k.Delivered != 13 {
		t.Errorf("11 was told as %+v", k)
	}
}

// The answers say which revisions a request made, and which state a read showed.
func TestSources(t *testing.T) {
	w := newWorld()
	w.state(9, 0, 9)
	w.send(tap.Event{Type: tap.Request, ID: 7, Method: "DELETE", URL: "/api/v1/namespaces/default/pods"})
	w.send(tap.Event{Type: tap.Head, ID: 7, Status: 200,
		Source: &tap.Source{From: "etcd", Head: 13, Rule: "write",
			Wrote: []source.Span{{First: 10, Last: 11}, {First: 13, Last: 13}}}})
	for rev, want := range map[int64]int{9: 0, 10: 7, 11: 7, 12: 0, 13: 7, 14: 0} {
		if got, ok := w.Writes.Of(rev); got.Req != want || ok != (want > 0) {
			t.Errorf("%d was made by %d", rev, got.Req)
		}
	}
	if by := w.Log.Get(7).Source.Wrote; len(by) != 2 || by[0].First != 10 || by[1].Last != 13 {
		t.Errorf("7 made %v", by)
	}
	if at, ok := w.Began(11); !ok || at != w.at(9).UnixMilli() {
		t.Errorf("11 was asked for at %d, %v", at, ok)
	}
	w.send(tap.Event{Type: tap.Request, ID: 8, Method: "GET", URL: "/api/v1/pods?resourceVersion=0"})
	w.send(tap.Event{Type: tap.Head, ID: 8, Status: 200,
		Source: &tap.Source{Server: 1, From: "cache", Revision: 9, Head: 13, Rule: "list-any"}})
	if got := w.Reads.Of(1); len(got) != 1 || got[0].Rev != 9 || got[0].Head != 13 || !got[0].Cached ||
		ReadAt(&w.Log.Get(8).Source) != 9 {
		t.Errorf("read %v", got)
	}
	// A watch that opens now opens at the head that an answer named, though its commit has not been received yet.
	id := w.open("/api/v1/pods?watch=1", 200)
	if l := w.Lanes.Get(id); l.Opened != 13 {
		t.Errorf("it opened at %d", l.Opened)
	}
}

func token64(rv int64, after int) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"v":"meta.k8s.io/v1","rv":%d,"start":"pod-%04d\u0000"}`,
		rv, after))
}

// TestLanesOfWaitsDoNotPileUp wants the lane of a command that has only waited to stay until another watch begins, and
// those that people look at to stay.
func TestLanesOfWaitsDoNotPileUp(t *testing.T) {
	w := newWorld()
	ids := func() (all []string) {
		for _, l := range w.Lanes.List {
			all = append(all, l.ID()+" "+l.Command)
		}
		return all
	}
	const url = "/api/v1/namespaces/default/pods?watch=1&fieldSelector=metadata.name%3Da"
	for i, command := range []string{"kubectl wait", "kubectl get", "kubectl rollout status", "kubectl delete",
		"kubectl rollout status"} {
		id := 100 + i
		w.send(tap.Event{Type: tap.Request, ID: id, Method: "GET", URL: url + strconv.Itoa(i),
			Header: []tap.Field{{Name: "Kubectl-Command", Value: command}}})
		w.send(tap.Event{Type: tap.Head, ID: id, Status: 200})
		if i < 4 {
			w.end(id)
		}
	}
	want := []string{"w2 kubectl get", "w5 kubectl rollout status"}
	if got := ids(); !slices.Equal(got, want) {
		t.Errorf("%q, and not %q", got, want)
	}
}
