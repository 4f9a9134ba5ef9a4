package objects

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/web/revisions"
)

func commit(rev int64, verb revisions.Verb, ns, name string) *revisions.Commit {
	return &revisions.Commit{Revision: rev, Verb: verb, Resource: "pods", Namespace: ns, Name: name, UID: "u-" + name,
		Time: time.Unix(rev, 0)}
}

func pods(rev int, token string, items ...string) string {
	return fmt.Sprintf(`{"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"%d","continue":%q,`+
		`"remainingItemCount":7},"items":[%s]}`, rev, token, strings.Join(items, ","))
}

func TestCollectionFollowsCommits(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 5, 5, 0, time.UTC)
	var c Collection
	if c.Commit(commit(9, revisions.Added, "a", "too-early"), now) != nil || c.Len() != 0 {
		t.Error("a commit before any list")
	}
	c.Begin()
	// Commits overtake the pages: those that the list has are not taken twice.
	var log revisions.Log
	log.Add(*commit(10, revisions.Added, "a", "y"))
	if more, err := c.Page(pods(10, "next", object("b", "x", 3))); err != nil || !more || c.Whole {
		t.Fatal(more, err)
	}
	log.Add(*commit(11, revisions.Added, "a", "late"))
	if c.Commit(commit(11, revisions.Added, "a", "late"), now) != nil {
		t.Error("a commit between two pages")
	}
	log.Add(*commit(12, revisions.Deleted, "b", "x"))
	if more, err := c.Page(pods(10, "", object("a", "y", 10))); err != nil || more || !c.Whole {
		t.Fatal(more, err)
	}
	After(&log, c.Revision, "pods", "", func(m revisions.Commit) { c.Commit(&m, now) })
	if got := keys(&c.Store); got != "a/late@11 a/y@10" || c.Revision != 12 {
		t.Errorf("%s at %d", got, c.Revision)
	}
	for _, e := range []struct {
		m    *revisions.Commit
		want string
		told bool
	}{
		{commit(12, revisions.Deleted, "b", "x"), "a/late@11 a/y@10", false},
		{commit(13, revisions.Modified, "a", "y"), "a/late@11 a/y@13", true},
		{commit(14, revisions.Deleted, "a", "late"), "a/y@13", true},
		{commit(15, revisions.Deleted, "a", "unknown"), "a/y@13", false},
		{commit(16, revisions.Added, "", "z"), "/z@16 a/y@13", true},
	} {
		o := c.Commit(e.m, now)
		if got := keys(&c.Store); got != e.want || (o != nil) != e.told {
			t.Errorf("after %d: %s, told %v", e.m.Revision, got, o)
		}
	}
	y := c.Get("a", "y")
	if !y.Stale || y.Verb != "MODIFIED" || !y.At.Equal(now) || y.JSON != "" || y.UID != "u-y" || y.Created.Year() != 2026 {
		t.Errorf("%+v", y)
	}
	if z := c.Get("", "z"); z.Stale || z.Created != time.Unix(16, 0) {
		t.Errorf("%+v", z)
	}
	// An answer that is older than what is known says nothing new.
	deleting := strings.Replace(object("a", "y", 12), `"uid"`, `"deletionTimestamp":"2026-01-02T03:04:06Z","uid"`, 1)
	if c.Refresh(deleting) != nil || !y.Stale || y.Deleting {
		t.Errorf("an old answer: %+v", y)
	}
	if c.Refresh(strings.Replace(deleting, `"12"`, `"13"`, 1)) != nil || y.Stale || !y.Deleting {
		t.Errorf("refreshed: %+v", y)
	}
	if c.Refresh("{") == nil || c.Refresh(object("a", "gone", 99)) != nil || c.Len() != 2 {
		t.Error("what is no object, or one that is gone")
	}
	// A list that is started again shows the old one until it is there.
	c.Begin()
	if _, err := c.Page("{"); err == nil || keys(&c.Store) != "/z@16 a/y@13" {
		t.Errorf("a broken page: %s", keys(&c.Store))
	}
	if _, err := c.Page(pods(20, "", object("a", "new", 20))); err != nil || keys(&c.Store) != "a/new@20" {
		t.Errorf("listed again: %s", keys(&c.Store))
	}
}

func TestCounts(t *testing.T) {
	var c Counts
	var log revisions.Log
	if _, known := c.Of("pods"); known {
		t.Error("nothing is known")
	}
	if !c.Ask("pods") || c.Ask("pods") {
		t.Error("one list is enough")
	}
	// The list may be older than commits that came before it was asked for.
	for _, m := range []*revisions.Commit{commit(9, revisions.Added, "a", "in-the-list"),
		commit(11, revisions.Added, "a", "late")} {
		log.Add(*m)
		if c.Commit(m) {
			t.Error("nothing is counted yet")
		}
	}
	c.Listed("pods", 5, 10, &log)
	want := func(what string, n int) {
		t.Helper()
		if got, known := c.Of("pods"); got != n || !known {
			t.Errorf("%s: %d, known %v", what, got, known)
		}
	}
	want("listed", 6)
	for _, e := range []struct {
		m       *revisions.Commit
		n       int
		changed bool
	}{
		{commit(11, revisions.Added, "a", "late"), 6, false},
		{commit(12, revisions.Modified, "a", "x"), 6, false},
		{commit(13, revisions.Deleted, "a", "x"), 5, true},
		{commit(14, revisions.Added, "b", "x"), 6, true},
		{&revisions.Commit{Revision: 15, Verb: revisions.Added, Group: "apps", Resource: "pods"}, 6, false},
	} {
		if changed := c.Commit(e.m); changed != e.changed {
			t.Errorf("commit %d: changed %v", e.m.Revision, changed)
		}
		want(fmt.Sprint("after ", e.m.Revision), e.n)
	}
	c.Listed("pods", 99, 2, &log) // an older list
	want("an older list", 6)

	c.Reset("a")
	if _, known := c.Of("pods"); known || c.Namespace != "a" || !c.Ask("pods") {
		t.Error("another namespace has to be counted anew")
	}
	c.Failed("pods")
	if !c.Ask("pods") {
		t.Error("what failed is asked for again")
	}
	c.Listed("pods", 1, 20, &log)
	c.Commit(commit(21, revisions.Added, "b", "elsewhere"))
	c.Commit(commit(22, revisions.Added, "a", "here"))
	want("in a namespace", 2)

	// Events are shown in two groups.
	c.Ask("events")
	c.Listed("events", 3, 20, &log)
	c.Commit(&revisions.Commit{Revision: 23, Verb: revisions.Added, Resource: "events", Namespace: "a"})
	if n, known := c.Of("events.events.k8s.io"); n != 4 || !known {
		t.Errorf("%d events", n)
	}
}

func TestCounted(t *testing.T) {
	for list, want := range map[string]string{
		pods(12, "x", object("a", "y", 3)):                                          "8 12",
		`{"items":[],"metadata":{"resourceVersion":"5"}}`:                           "0 5",
		`{"metadata":{"resourceVersion":"5","continue":""},"items":[{},{"a":[1]}]}`: "2 5",
	} {
		n, at, err := Counted(list)
		if got := fmt.Sprint(n, at); got != want || err != nil {
			t.Errorf("%s: %s, %v", list, got, err)
		}
	}
	if _, _, err := Counted("[]"); err == nil {
		t.Error("no list")
	}
}

func TestAfter(t *testing.T) {
	var log revisions.Log
	const last = 100
	for rev := int64(1); rev <= last; rev++ {
		ns := "a"
		if rev%2 == 0 {
			ns = "b"
		}
		log.Add(*commit(rev, revisions.Added, ns, "x"))
	}
	log.Add(revisions.Commit{Revision: last + 1, Resource: "events"})
	log.Add(revisions.Commit{Revision: last + 2, Resource: "deployments", Group: "apps"})
	after := func(rev int64, typ, ns string) string {
		var out []string
		After(&log, rev, typ, ns, func(m revisions.Commit) { out = append(out, fmt.Sprint(m.Revision-last)) })
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		rev     int64
		typ, ns string
		want    string
	}{
		{-4, "pods", "", "-3 -2 -1 0"}, {-4, "pods", "a", "-3 -1"}, {-1, "pods", "", "0"}, {5, "pods", "", ""},
		{-1, "events.events.k8s.io", "", "1"}, {-1, "deployments.apps", "", "2"}, {-1, "deployments", "", ""},
	} {
		if got := after(last+c.rev, c.typ, c.ns); got != c.want {
			t.Errorf("%s in %q behind %d: %s", c.typ, c.ns, c.rev, got)
		}
	}
}
