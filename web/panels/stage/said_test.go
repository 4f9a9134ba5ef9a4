package stage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// What a list misses is said, also at its right end.
func TestWhatIsMissingIsSaid(t *testing.T) {
	w := &world{Model: timeline.New(&tap.Log{})}
	w.state(9, 0, 9)
	w.get("/api/v1/pods?limit=3", pageOf(9, 1, 3, 8), true)
	w.commit(10, revisions.Deleted, "pods", "pod-0008")
	w.get("/api/v1/pods?limit=3&continue=t3", pageOf(10, 4, 6, 7), true)
	for _, width := range []float64{374, 548, 824, 1400} {
		sc := &Scene{Model: w.Model, View: View{Left: 1, PerRev: 30, Width: width}, U: 1}
		if text := sc.Page(w.Chains.List[0], PageUnits); !strings.Contains(text, "pod-0008 is missing: deleted at 10") {
			t.Errorf("%g wide: nothing says that one is missing", width)
		}
	}
}

// Only objects that existed when a list began are named, and as missing only if a later page is of a later revision.
func TestWhatAListHas(t *testing.T) {
	const url = "/api/v1/pods?limit=3"
	type write struct {
		verb revisions.Verb
		name string
	}
	for name, test := range map[string]struct {
		writes []write // from 10 on
		next   int64   // the revision of the second page; 0: it is not asked for
		want   string  // what is said; empty: nothing
	}{
		"of a page":            {[]write{{revisions.Deleted, "pod-0002"}}, 0, "pod-0002, deleted later: still on page 1"},
		"still to come":        {[]write{{revisions.Deleted, "pod-0008"}}, 0, "pod-0008, deleted later: still to come"},
		"of the second page":   {[]write{{revisions.Deleted, "pod-0005"}}, 9, "pod-0005, deleted later: still on page 2"},
		"consistent, to come":  {[]write{{revisions.Deleted, "pod-0008"}}, 9, "pod-0008, deleted later: still to come"},
		"missing":              {[]write{{revisions.Deleted, "pod-0005"}}, 10, "pod-0005 is missing: deleted at 10"},
		"created since":        {[]write{{revisions.Added, "fin"}, {revisions.Deleted, "fin"}}, 0, ""},
		"created since, later": {[]write{{revisions.Added, "z1"}, {revisions.Deleted, "z1"}}, 11, ""},
		"created again":        {[]write{{revisions.Deleted, "pod-0008"}, {revisions.Added, "pod-0008"}}, 11, ""},
		"created, on its page": {[]write{{revisions.Added, "pod-0005a"}, {revisions.Deleted, "pod-0005a"}}, 10,
			"pod-0005a, deleted later: still on page 2"},
		"modified, then deleted": {[]write{{revisions.Modified, "pod-0002"}, {revisions.Deleted, "pod-0002"}}, 0,
			"pod-0002, deleted later: still on page 1"},
	} {
		w := &world{Model: timeline.New(&tap.Log{})}
		w.state(9, 0, 9)
		w.get(url, pageOf(9, 1, 3, 9), true)
		for i, k := range test.writes {
			w.commit(10+int64(i), k.verb, "pods", k.name)
		}
		if test.next > 0 {
			w.get(url+"&continue=t3", pageOf(test.next, 4, 6, 9), true)
		}
		sc := &Scene{Model: w.Model, View: View{Left: 1, PerRev: 30, Width: 1400}, U: 1}
		text := sc.Page(w.Chains.List[0], PageUnits)
		said := strings.Contains(text, "deleted later") || strings.Contains(text, "is missing")
		if said != (test.want != "") || !strings.Contains(text, test.want) {
			t.Errorf("%s: want %q in %s", name, test.want, text)
		}
	}
}

// A watch that has resumed is seen to be open: its arrow is behind the strokes of the cut, and a piece of line between.
func TestResumedIsSeenToBeOpen(t *testing.T) {
	first := func(markup, class string) (x float64) {
		_, path, _ := strings.Cut(markup, class)
		_, path, _ = strings.Cut(path, ` d="M`)
		_, _ = fmt.Sscan(path, &x)
		return x
	}
	for _, cached := range []int64{8, 9} {
		w := &world{Model: timeline.New(&tap.Log{})}
		w.state(9, 0, cached)
		id := w.get("/api/v1/pods?watch=1&resourceVersion=5", "", false)
		w.send(tap.Event{Type: tap.Fail, ID: id, Err: "network"})
		w.get("/api/v1/pods?watch=1&resourceVersion=5", "", false)
		for _, narrow := range []bool{true, false} {
			sc := &Scene{Model: w.Model, View: View{Left: 1, PerRev: 24, Width: 374}, U: 1, Narrow: narrow}
			row := sc.Lane(w.Lanes.List[0], 64)
			if cut, arrow, r := first(row, `"st-cut`), first(row, `"st-arrow`), 24*0.28; arrow < cut+2*r {
				t.Errorf("cache at %d, narrow %v: the arrow is at %g, the strokes at %g", cached, narrow, arrow, cut)
			}
		}
	}
}
