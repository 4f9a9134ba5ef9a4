package revisions

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestLog(t *testing.T) {
	l := Log{Max: 100}
	for rev := int64(1); rev <= 1000; rev++ {
		l.Add(Commit{Revision: rev, Resource: "pods", Name: fmt.Sprint(rev % 7)})
		l.Add(Commit{Revision: rev}) // received twice
	}
	if got := slices.Collect(l.Between(0, 2000)); len(got) < 100 || len(got) > 125 || got[len(got)-1].Revision != 1000 {
		t.Errorf("%d commits are kept", len(got))
	}
	if c, ok := l.Find(990); !ok || c.Revision != 990 {
		t.Errorf("found %v, %v", c, ok)
	}
	if _, ok := l.Find(3); ok {
		t.Error("what is forgotten is found")
	}
}

func TestChanges(t *testing.T) {
	commit := func(rev int64, v Verb, name string) Commit {
		return Commit{Revision: rev, Verb: v, Resource: "pods", Name: name}
	}
	got := Changes(slices.Values([]Commit{
		commit(5, Added, "new"), commit(6, Modified, "old"), commit(7, Added, "brief"), commit(8, Deleted, "brief"),
		commit(9, Deleted, "gone"), commit(10, Modified, "new"), commit(11, Deleted, "again"), commit(12, Added, "again"),
	}))
	want := []struct {
		name   string
		verb   Verb
		writes int
	}{{"old", Modified, 1}, {"brief", "", 2}, {"gone", Deleted, 1}, {"new", Added, 2}, {"again", Modified, 2}}
	if len(got) != len(want) {
		t.Fatalf("%d changes", len(got))
	}
	for i, w := range want {
		if g := got[i]; g.Name != w.name || g.Verb != w.verb || g.Writes != w.writes {
			t.Errorf("%d: %s %s by %d writes, want %+v", i, g.Name, g.Verb, g.Writes, w)
		}
	}
}

func TestLogAt(t *testing.T) {
	var l Log
	l.Add(Commit{Revision: 2, Verb: Added, Resource: "pods", Name: "a"})
	l.Add(Commit{Revision: 3, Verb: Added, Resource: "pods", Name: "b"})
	l.Add(Commit{Revision: 4, Verb: Deleted, Resource: "pods", Name: "a"})
	if at := l.At(3); len(at) != 2 || at["obj-pods/_/a"].Revision != 2 {
		t.Errorf("at 3: %v", at)
	}
	if at := l.At(4); len(at) != 1 {
		t.Errorf("at 4: %v", at)
	}
}

// What a log gives back is what it was given, although writes of one object share what they have in common.
func TestLogShares(t *testing.T) {
	l := Log{Max: 4}
	var want []Commit
	for rev := int64(1); rev <= 9; rev++ {
		c := Commit{Revision: rev, Time: time.Unix(rev, 0), Verb: Modified, Version: "v1", Resource: "pods", Kind: "Pod",
			Namespace: "default", Name: fmt.Sprint("pod-", rev%2), UID: fmt.Sprint("uid-", rev%2), Manager: "a",
			Request: fmt.Sprint("page.", rev)}
		if rev > 6 {
			c.Manager = "b"
		}
		l.Add(c)
		want = append(want, c)
	}
	got := slices.Collect(l.Between(0, 9))
	if want = want[len(want)-len(got):]; len(got) < 4 || !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if n := len(l.shared); n != 2 {
		t.Errorf("%d objects are known of 2", n)
	}
}

func BenchmarkLog(b *testing.B) {
	var before, after runtime.MemStats
	const writes = 50_000
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		l := Log{Max: writes}
		for rev := range int64(writes) {
			l.Add(Commit{Revision: rev + 1, Verb: Modified, Resource: "pods", Name: fmt.Sprint("pod-", rev%16),
				UID: fmt.Sprint("3fe1c2d4-0000-0000-0000-", rev%16), Request: fmt.Sprint("page.", rev)})
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(l)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/writes, "B/commit")
}
