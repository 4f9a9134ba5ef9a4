package reflector

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// A tracker is the same in whatever order it is learnt.
func TestServerTracker(t *testing.T) {
	commit := func(rev int64, verb revisions.Verb, resource, namespace, name string) func(*ServerTracker) {
		return func(tracker *ServerTracker) {
			tracker.Frame(revisions.Frame{Commit: &revisions.Commit{Revision: rev, Verb: verb, Resource: resource,
				Namespace: namespace, Name: name}})
		}
	}
	list := func(tracker *ServerTracker) {
		tracker.List([]*objects.Object{{Namespace: "x", Name: "a", Revision: 3},
			{Namespace: "x", Name: "old", Revision: 2}}, 3)
	}
	steps := []func(*ServerTracker){
		list, commit(4, modified, "pods", "x", "a"), commit(5, deleted, "pods", "x", "a"), commit(6, added, "pods", "x", "b"),
		commit(7, added, "configmaps", "x", "c"), commit(8, added, "pods", "y", "d"), list,
	}
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, 6}, {5, 4, 3, 2, 1, 0}} {
		tracker := ServerTracker{Resource: "pods", Namespace: "x"}
		for _, i := range order {
			steps[i](&tracker)
		}
		got := tracker.Server()
		want := []Key{{"x", "a", 5, true}, {"x", "b", 6, false}, {"x", "old", 2, false}}
		if len(got.Keys) != len(want) {
			t.Errorf("%v: %+v", order, got)
			continue
		}
		for i := range want {
			if got.Keys[i] != want[i] {
				t.Errorf("%v: %+v, want %+v", order, got.Keys[i], want[i])
			}
		}
	}
	// Of many deletions those are forgotten that are compacted.
	tracker := ServerTracker{Resource: "pods"}
	for i := range int64(maxGone + 10) {
		commit(100+i, deleted, "pods", "x", fmt.Sprint("gone-", i))(&tracker)
		commit(5000+i, added, "pods", "x", fmt.Sprint("there-", i))(&tracker)
	}
	commit(9000, added, "pods", "x", "gone-0")(&tracker)
	tracker.Frame(revisions.Frame{State: &revisions.State{Compacted: 100 + maxGone}})
	tracker.Frame(revisions.Frame{State: &revisions.State{Compacted: 4}})
	got := tracker.Server()
	gone := 0
	for _, k := range got.Keys {
		if k.Gone {
			gone++
		}
	}
	if gone != 10 || len(got.Keys) != maxGone+10+1+10 || got.Compacted != 100+maxGone {
		t.Errorf("%d keys, %d of them gone, compacted at %d", len(got.Keys), gone, got.Compacted)
	}
}

// A list is needed at first, and when commits were compacted before the tracker received them.
func TestNeedsList(t *testing.T) {
	tracker := ServerTracker{Resource: "pods"}
	commit := func(rev int64) {
		tracker.Frame(revisions.Frame{Commit: &revisions.Commit{Revision: rev, Verb: added, Resource: "pods",
			Name: fmt.Sprint("p", rev)}})
	}
	state := func(compacted int64) {
		tracker.Frame(revisions.Frame{State: &revisions.State{Compacted: compacted}})
	}
	list := func(rev int64, names ...string) {
		var all []*objects.Object
		for _, name := range names {
			all = append(all, &objects.Object{Name: name, Revision: 1})
		}
		tracker.List(all, rev)
	}
	for i, step := range []struct {
		do   func()
		want bool
	}{
		{func() { state(5) }, true},
		{func() { commit(6) }, true},
		{func() { list(6, "old", "p6") }, false},
		{func() { commit(6) }, false},
		{func() { commit(7) }, false},
		{func() { state(7) }, false},
		{func() { commit(10) }, true}, // 8 and 9 are compacted
		{func() { state(9) }, true},
		{func() { list(8, "old", "p6", "p7") }, true},
		{func() { list(10, "p7", "p10") }, false},
		{func() { state(20) }, true},
		{func() { commit(21) }, true},
		{func() { list(20, "p7", "p10") }, false},
		{func() { commit(22) }, false},
	} {
		step.do()
		if got := tracker.NeedsList(); got != step.want {
			t.Errorf("step %d: %v", i, got)
		}
	}
	var got []string
	for _, k := range tracker.Server().Keys {
		got = append(got, fmt.Sprint(k.Name, "@", k.Revision, " ", k.Gone))
	}
	expect(t, "keys", strings.Join(got, ", "),
		"old@10 true, p10@10 false, p21@21 false, p22@22 false, p6@10 true, p7@7 false")
}

func TestDiff(t *testing.T) {
	cache := &objects.Store{Revision: 20}
	for _, o := range []string{
		object("ahead", 21), object("changed", 5), object("deleted", 6), object("new", 19), object("same", 7),
		object("unheard", 8),
	} {
		if _, err := cache.Event(`{"type":"ADDED","object":`+o+`}`, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	server := Server{Compacted: 15, Keys: []Key{
		{Name: "ahead", Revision: 20}, {Name: "changed", Revision: 12}, {Name: "deleted", Revision: 13, Gone: true},
		{Name: "forgotten", Revision: 14, Gone: true}, {Name: "late", Revision: 22}, {Name: "lost", Revision: 16},
		{Name: "new", Revision: 23, Gone: true}, {Name: "same", Revision: 7},
	}}
	for name, test := range map[string]struct {
		client Client
		want   map[string]Mark
	}{
		"open": {Client{at: 21}, map[string]Mark{
			"ahead": Same, "changed": Stale, "deleted": Ghost, "late": Late, "lost": Lost, "new": Late, "same": Same,
			"unheard": Ghost,
		}},
		"stopped": {Client{at: 21, lists: true}, map[string]Mark{
			"ahead": Same, "changed": Stale, "deleted": Ghost, "late": Lost, "lost": Lost, "new": Ghost, "same": Same,
			"unheard": Ghost,
		}},
		"about to list": {Client{at: 21, lists: true}, map[string]Mark{
			"ahead": Same, "changed": Late, "deleted": Late, "late": Late, "lost": Late, "new": Late, "same": Same,
			"unheard": Late,
		}},
		"refused": {Client{at: 10, refused: true}, map[string]Mark{
			"ahead": Same, "changed": Stale, "deleted": Ghost, "late": Lost, "lost": Lost, "new": Ghost, "same": Same,
			"unheard": Ghost,
		}},
		"refused by a cache, which may know less than etcd": {Client{at: 16, refused: true}, map[string]Mark{
			"ahead": Same, "changed": Stale, "deleted": Ghost, "late": Lost, "lost": Lost, "new": Ghost, "same": Same,
			"unheard": Ghost,
		}},
		"from 0": {Client{fromAny: true}, map[string]Mark{
			"ahead": Same, "changed": Late, "deleted": Ghost, "late": Late, "lost": Late, "new": Ghost, "same": Same,
			"unheard": Ghost,
		}},
	} {
		test.client.Cache = cache
		test.client.state.Phase = Watching
		if name == "stopped" {
			test.client.state.Phase = Stopped
		}
		rows := test.client.Diff(server)
		if len(rows) != len(test.want) {
			t.Errorf("%s: %d rows, want %d", name, len(rows), len(test.want))
		}
		for i, r := range rows {
			if want, ok := test.want[r.Name]; !ok || r.Mark != want {
				t.Errorf("%s: %s is %s, want %s", name, r.Name, Marks[r.Mark], Marks[want])
			}
			if i > 0 && rows[i-1].Name >= r.Name {
				t.Errorf("%s: %s is behind %s", name, r.Name, rows[i-1].Name)
			}
		}
	}
}
