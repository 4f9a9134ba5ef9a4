package mvcc

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
)

func testStore() *Store { return New(func() time.Time { return time.Unix(0, 0) }) }

// mustPut writes a key, whatever it holds.
func mustPut(t *testing.T, s *Store, key, value string) *Event {
	t.Helper()
	var expect int64
	if v := s.Latest("b", key); v != nil {
		expect = v.Revision
	}
	e, err := s.By(&Author{User: value}).Put("b", key, expect, fixed(value))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestQuietWatcherOutlivesCompaction(t *testing.T) {
	s := testStore()
	w, err := s.Watch(Scope{Bucket: "b", Key: "n/quiet"}, s.Status().Head)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	last := mustPut(t, s, "n/busy", "1")
	if err := s.Compact(last.Revision); err != nil {
		t.Fatal(err)
	}
	want := mustPut(t, s, "n/quiet", "1")
	got, err := w.Next(0, 0)
	if err != nil || len(got) != 1 || got[0] != want {
		t.Fatalf("got %v, %v", got, err)
	}
}

func TestSlowWatcherGetsErrCompacted(t *testing.T) {
	s := testStore()
	w, err := s.Watch(Scope{Bucket: "b"}, s.Status().Head)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	last := mustPut(t, s, "n/a", "1")
	if err := s.Compact(last.Revision); err != nil {
		t.Fatal(err)
	}
	<-w.Ready()
	if _, err := w.Next(0, 0); !errors.Is(err, ErrCompacted) {
		t.Fatalf("got %v, want ErrCompacted", err)
	}
}

func TestFutureStartSkipsEarlierEvents(t *testing.T) {
	s := testStore()
	start := s.Status().Head + 2
	w, err := s.Watch(Scope{Bucket: "b"}, start)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	mustPut(t, s, "n/a", "1")
	mustPut(t, s, "n/a", "2")
	if got, err := w.Next(0, 0); len(got) != 0 || err != nil {
		t.Fatalf("got %v, %v", got, err)
	}
	third := mustPut(t, s, "n/a", "3")
	if got, err := w.Next(0, 0); len(got) != 1 || got[0] != third || err != nil {
		t.Fatalf("got %v, %v", got, err)
	}
}

func TestWatchersAreFreed(t *testing.T) {
	s := testStore()
	terms := []Term{{"x", "1"}, {"x", "2"}}
	for _, scope := range []Scope{{}, {Bucket: "b"}, {Bucket: "b", Group: "n/"}, {Bucket: "b", Key: "n/a"},
		{Bucket: "b", Terms: terms}, {Bucket: "b", Group: "n/", Terms: terms}} {
		w, err := s.Watch(scope, 1)
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
	b := s.buckets["b"]
	if len(s.watchers.Values)+len(s.whole.Values)+len(b.watchers)+len(b.groups.flat())+b.selective != 0 {
		t.Errorf("left: %d watchers, %d scopes, %d groups", len(s.watchers.Values), len(b.watchers), len(b.groups.flat()))
	}
}

// TestClosedWatchersLeaveNothing closes many watchers while others stay open, as those of controllers do: the memory of
// the sets that they were in is given back.
func TestClosedWatchersLeaveNothing(t *testing.T) {
	const many, most = 20_000, 64 << 10
	s := testStore()
	var all []*Watcher
	open := func(n int) {
		for range n {
			w, err := s.Watch(Scope{Bucket: "b"}, 1)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, w)
		}
	}
	open(1)
	before := apitest.InUse()
	open(many)
	for _, w := range all[1:] {
		w.Close()
	}
	all = []*Watcher{all[0]}
	if left := apitest.InUse() - before; left > most {
		t.Errorf("%d closed watchers leave %d bytes", many, left)
	}
	if n := s.Status().Watchers; n != 1 {
		t.Errorf("%d watchers are open", n)
	}
	all[0].Close()
}

// TestCompactionKeepsReadersArrays checks that compaction does not change the arrays that
// Next returned.
func TestCompactionKeepsReadersArrays(t *testing.T) {
	s := testStore()
	w, err := s.Watch(Scope{Bucket: "b", Key: "n/a"}, s.Status().Head)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	mustPut(t, s, "n/a", "1")
	last := mustPut(t, s, "n/a", "2")
	events, err := w.Next(0, 0)
	if err != nil || len(events) != 2 {
		t.Fatalf("%v, %v", events, err)
	}
	if err := s.Compact(last.Revision); err != nil {
		t.Fatal(err)
	}
	if events[1] != last || events[1].Prev == nil {
		t.Errorf("compaction took an event's past away from its reader")
	}
}

func TestConflict(t *testing.T) {
	s := testStore()
	e := mustPut(t, s, "n/a", "1")
	var conflict *ConflictError
	if _, err := s.Put("b", "n/a", 0, fixed("x")); !errors.As(err, &conflict) || conflict.Current != e.Version {
		t.Errorf("create of an existing key: %v", err)
	}
	if _, err := s.Put("b", "n/a", e.Revision-1, fixed("x")); !errors.As(err, &conflict) {
		t.Errorf("update of an older version: %v", err)
	}
	if _, err := s.Delete("b", "n/none", 0, fixed("x")); !errors.As(err, &conflict) || conflict.Current != nil {
		t.Errorf("deletion of a missing key: %v", err)
	}
	if head := s.Status().Head; head != e.Revision {
		t.Errorf("a refused write took revision %d", head)
	}
}

// TestRevisionAt wants the revision of a time never to go back, whatever is compacted.
func TestRevisionAt(t *testing.T) {
	var now int64
	s := New(func() time.Time { now++; return time.Unix(now, 0) })
	first := s.Status().Head
	for range 4 {
		mustPut(t, s, "n/a", "x")
	}
	at := func() (all []int64) {
		for second := int64(0); second <= now+1; second++ {
			all = append(all, s.RevisionAt(time.Unix(second, 0)))
		}
		return all
	}
	if got, want := at(), []int64{0, first + 1, first + 2, first + 3, first + 4, first + 4}; !slices.Equal(got, want) {
		t.Errorf("before compaction: %v, want %v", got, want)
	}
	if err := s.Compact(first + 3); err != nil {
		t.Fatal(err)
	}
	horizon := first + 3
	if got, want := at(), []int64{horizon, horizon, horizon, horizon, first + 4, first + 4}; !slices.Equal(got, want) {
		t.Errorf("after compaction at %d: %v, want %v", horizon, got, want)
	}
}
