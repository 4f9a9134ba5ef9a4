package timeline

import (
	"reflect"
	"testing"

	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// TestWritesOfCommits wants a revision to be known as its request's from the commit on, also if there is no answer, and
// once if that comes, too.
func TestWritesOfCommits(t *testing.T) {
	m := newWorld()
	m.Page = "page"
	commit := func(rev int64, request string) {
		m.Frame(revisions.Frame{Commit: &revisions.Commit{Revision: rev, Verb: revisions.Deleted, Resource: "pods",
			Name: "a", Request: request}})
	}
	commit(30, "page.7")
	commit(31, "page.7")
	commit(32, "other.7")
	commit(33, "page.7")
	commit(34, "")
	m.Tap(tap.Event{Type: tap.Head, ID: 7, Status: 200, Source: &tap.Source{Rule: "write", Head: 36,
		Wrote: []source.Span{{First: 30, Last: 31}, {First: 33, Last: 33}, {First: 35, Last: 36}}}})
	commit(35, "page.7")
	want := []Write{{First: 30, Last: 31, Req: 7}, {First: 33, Last: 33, Req: 7}, {First: 35, Last: 36, Req: 7}}
	if got := m.Writes.list; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, rev := range []int64{32, 34} {
		if w, ok := m.Writes.Of(rev); ok {
			t.Errorf("%d is that of %+v", rev, w)
		}
	}
}
