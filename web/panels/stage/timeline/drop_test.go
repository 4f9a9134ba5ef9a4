package timeline

import (
	"fmt"
	"testing"

	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// Ended lanes are dropped one or all, and lanes and lists by who asked for them; those that are still open are named.
func TestDrop(t *testing.T) {
	w := newWorld()
	w.state(9, 0, 9)
	id := 0
	ask := func(origin, url, body string, end bool) {
		id++
		w.send(tap.Event{Type: tap.Request, ID: id, Method: "GET", URL: url, Origin: origin})
		w.send(tap.Event{Type: tap.Head, ID: id, Status: 200})
		w.send(tap.Event{Type: tap.Chunk, ID: id, Text: body})
		if end {
			w.send(tap.Event{Type: tap.End, ID: id})
		}
	}
	ask("lesson", "/api/v1/pods?watch=1&resourceVersion=5", "", true)
	ask("console", "/api/v1/pods?watch=1&resourceVersion=6", "", false)
	ask("lesson", "/api/v1/secrets?watch=1&resourceVersion=7", "", false)
	ask("page", "/api/v1/events?watch=1&resourceVersion=8", gone, true)
	ask("console", "/api/v1/pods?watch=1&resourceVersion=5", "", true) // the client of w1 continues
	ask("lesson", "/api/v1/pods?limit=2", page(5, 1, 2, 6), true)
	ask("console", "/api/v1/pods?limit=2", page(5, 1, 2, 6), true)
	names := func() (s string) {
		for _, l := range w.Lanes.List {
			s += l.ID() + " "
		}
		for _, c := range w.Chains.List {
			s += c.ID() + " "
		}
		return s
	}
	if got := names(); got != "w1 w2 w3 w4 p2 p1 " {
		t.Fatal(got)
	}
	of := func(origin string) []int {
		w.Chains.Drop(func(c *Chain) bool { return c.Origin == origin })
		return w.Lanes.Drop(func(l *Lane) bool { return l.First().Origin == origin })
	}
	if open := of("lesson"); names() != "w2 w4 p2 " || fmt.Sprint(open) != "[3]" {
		t.Errorf("without those of lessons: %s, open %v", names(), open)
	}
	if open := w.Lanes.Drop((*Lane).Over); names() != "w2 p2 " || len(open) != 0 {
		t.Errorf("without those that are over: %s, open %v", names(), open)
	}
	w.send(tap.Event{Type: tap.Chunk, ID: 3, Text: event("ADDED", 10, "a")}) // of a lane that is not there any more
}

// What was deleted after a list's first page counts, also when the page that misses it is known before the commit is.
func TestCommitsAfterTheNextPage(t *testing.T) {
	w := newWorld()
	w.get("/api/v1/pods?limit=2", 200, page(5, 1, 2, 6))
	c := w.Chains.List[0]
	w.get(c.NextURL(), 410, fmt.Sprintf(`{"kind":"Status","code":410,"message":"old","metadata":{"continue":%q}}`,
		token64(-1, 2)))
	w.get(c.FreshURL(), 200, page(9, 3, 4, 6))
	for rev := int64(4); rev <= 10; rev++ {
		w.Frame(revisions.Frame{Commit: &revisions.Commit{Revision: rev, Verb: revisions.Deleted, Resource: "pods",
			Namespace: "default", Name: "a"}})
	}
	if c.Since.Len() != 5 || c.Later.Len() != 1 {
		t.Errorf("%d after the first page, %d after the newest; want 5 and 1", c.Since.Len(), c.Later.Len())
	}
}

// A server that is frozen gets a row at once, not when it is behind.
func TestAFrozenServerChangesTheLanes(t *testing.T) {
	w := newWorld()
	frame := func(frozen bool) Changes {
		return w.Frame(revisions.Frame{State: &revisions.State{Head: 9, Caches: []int64{9}, Cluster: "c1",
			Replicas: []revisions.Replica{{Frozen: frozen}}}})
	}
	frame(false)
	if frame(false).Lanes || !frame(true).Lanes || !frame(false).Lanes {
		t.Error("the lanes change when a server is frozen, and when it goes on, and only then")
	}
}
