package mvcc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// taker is a Journal that takes events, or refuses them.
type taker struct{ err error }

func (t *taker) Append(*Event) error { return t.err }

var errDisk = errors.New("the disk is full")

// TestPending writes at random with a journal that is slow and fails, and compares what
// can be read with a model of what was committed.
func TestPending(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) { runPending(t, rand.New(rand.NewPCG(seed, 2)), 400) })
}

func runPending(t *testing.T, r *rand.Rand, operations int) {
	s := New(func() time.Time { return time.Unix(0, 0) })
	s.SetJournal(&taker{})
	var observed, discarded []int64
	s.OnCommit(func(e *Event) { observed = append(observed, e.Revision) })
	s.OnDiscard(func(e *Event) { discarded = append(discarded, e.Revision) })
	m := newModel()
	type pending struct {
		*Event
		value string
	}
	var waiting []pending
	w, err := s.Watch(Scope{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	told := int64(1)
	for op := range operations {
		key := anyKey(r)
		current := s.Latest("b", key)
		switch p := r.IntN(100); {
		case p < 40:
			value := fmt.Sprintf("%s@%d", key, op)
			waiting = append(waiting, pending{mustPut(t, s, key, value), value})
		case p < 60 && current != nil:
			e, err := s.Delete("b", key, current.Revision, fixed("gone"))
			if err != nil {
				t.Fatal(err)
			}
			waiting = append(waiting, pending{e, "gone"})
		case p < 75 && len(waiting) > 0:
			n := 1 + r.IntN(len(waiting))
			s.Commit(waiting[n-1].Revision)
			for _, e := range waiting[:n] {
				m.write(e.Key, e.value, e.Deleted)
				if err := s.Await(context.Background(), e.Event); err != nil || m.head != e.Revision {
					t.Fatalf("event %d, committed as %d: %v", e.Revision, m.head, err)
				}
			}
			waiting = waiting[n:]
		case p < 80:
			discarded = nil
			s.Discard(errDisk, func() {})
			for i, e := range waiting {
				if err := s.Await(context.Background(), e.Event); err != errDisk || discarded[len(waiting)-1-i] != e.Revision {
					t.Fatalf("event %d was discarded: %v, the observer was told of %v", e.Revision, err, discarded)
				}
			}
			waiting = nil
		case p < 84 && m.head > m.compacted:
			rev := m.compacted + 1 + r.Int64N(m.head-m.compacted)
			if err := s.Compact(rev); err != nil {
				t.Fatal(err)
			}
			m.compacted = rev
			if w.Revision() < rev {
				w.Close()
				if w, err = s.Watch(Scope{}, rev); err != nil {
					t.Fatal(err)
				}
				told = rev
			}
		case p < 90:
			events, err := w.Next(0, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if told++; e.Revision != told || e.Revision > m.head {
					t.Fatalf("a watcher is told of %d, want %d, the head is %d", e.Revision, told, m.head)
				}
			}
		}
		if err := s.check(); err != nil {
			t.Fatalf("after operation %d: %v", op, err)
		}
		if at := s.Status(); at.Head != m.head || at.Events != int(m.head-max(m.compacted, 1)) {
			t.Fatalf("the head is %d of %d events, want %d", at.Head, at.Events, m.head)
		}
	}
	for i, rev := range observed {
		if rev != int64(i)+2 {
			t.Fatalf("the observer was told of %d as the %dth", rev, i+1)
		}
	}
	compareAll(t, s, m, r)
	reloaded := reload(t, s, m.head)
	for rev := max(1, m.compacted); rev <= m.head; rev++ {
		compareAt(t, reloaded, m, rev, r)
	}
}

func TestSettle(t *testing.T) {
	s := New(time.Now)
	s.SetJournal(&taker{})
	ctx, cancel := context.WithCancelCause(context.Background())
	if err := s.Settle(ctx, 0); err != nil {
		t.Fatalf("with nothing pending: %v", err)
	}
	e, err := s.Put("b", "a", 0, fixed("1"))
	if err != nil {
		t.Fatal(err)
	}
	if v, rev, _ := s.Get("b", "a", 0); v != nil || rev != 1 {
		t.Fatalf("a reader sees %v at %d before it is committed", v, rev)
	}
	cancel(errDisk)
	if err := s.Settle(ctx, 0); err != errDisk {
		t.Fatalf("a client that has left: %v", err)
	}
	settled := make(chan error, 1)
	go func() { settled <- s.Settle(context.Background(), 0) }()
	s.Commit(e.Revision)
	if err := <-settled; err != nil {
		t.Fatal(err)
	}
	if v, _, _ := s.Get("b", "a", 0); v == nil {
		t.Fatal("it is not there")
	}
	// A writer reads a write that is discarded before the writer waits for it.
	before := s.Discards()
	if _, err := s.Put("b", "b", 0, fixed("1")); err != nil || s.Latest("b", "b") == nil {
		t.Fatal(err, "it cannot be read")
	}
	s.Discard(errDisk, func() {})
	if err := s.Settle(context.Background(), before); err != errDisk {
		t.Fatalf("who has read what was discarded is told %v", err)
	}
	if _, err := s.By(nil).After(before).Put("b", "c", 0, fixed("1")); err != errDisk {
		t.Fatalf("who has read what was discarded writes, and is told %v", err)
	}
	if err := s.Settle(context.Background(), s.Discards()); err != nil {
		t.Fatalf("who reads later is told %v", err)
	}
	s.Discard(errDisk, func() {})
	if got := s.Discards(); got != before+1 {
		t.Fatalf("%d discards of something, want one more than %d", got, before)
	}
	refusing := &taker{errDisk}
	s.SetJournal(refusing)
	if _, err := s.Put("b", "a", e.Revision, fixed("2")); err != errDisk {
		t.Fatalf("a journal that takes nothing: %v", err)
	}
	if v := s.Latest("b", "a"); string(v.Value) != "1" {
		t.Fatalf("a write that was refused left %q", v.Value)
	}
}

func TestQuota(t *testing.T) {
	s := New(time.Now)
	s.SetQuota(3*(VersionCost+1), 0)
	for _, key := range []string{"a", "b", "c"} {
		if _, err := s.Put("b", key, 0, fixed("1")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Put("b", "d", 0, fixed("1")); !errors.Is(err, ErrNoSpace) {
		t.Fatalf("beyond the quota: %v", err)
	}
	if at := s.Status(); at.Size != 3*(VersionCost+1) || at.Present != at.Size || at.Head != 4 {
		t.Fatalf("a write that was refused left %+v", at)
	}
	if _, err := s.By(nil).PutBeyondQuota("b", "a", 2, fixed("ending")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Delete("b", "a", 5, fixed("1")); err != nil {
		t.Fatal(err)
	}
	if at := s.Status(); at.Present != 2*(VersionCost+1) {
		t.Fatalf("the present of two keys: %+v", at)
	}
	if err := s.Compact(6); err != nil {
		t.Fatal(err)
	}
	if at := s.Status(); at.Size != at.Present || s.Left() != VersionCost+1 {
		t.Fatalf("a compaction left %+v, and %d bytes are left", at, s.Left())
	}
	if _, err := s.Put("b", "d", 0, fixed("1")); err != nil {
		t.Fatalf("after a compaction: %v", err)
	}
}

// TestBeyondQuota checks that writes beyond the quota add no more than a version to what is present or allowed, and
// that each of them is possible after a compaction.
func TestBeyondQuota(t *testing.T) {
	for _, present := range []int{2, 5} { // of four that the quota allows
		s := New(time.Now)
		for i := range present {
			if _, err := s.Put("b", fmt.Sprint(i), 0, fixed("1")); err != nil {
				t.Fatal(err)
			}
		}
		s.SetQuota(4*(VersionCost+1), 0)
		most := int64(max(present, 4)+1) * (VersionCost + 1)
		expect := s.Latest("b", "0").Revision
		compactions := 0
		for range 20 {
			e, err := s.By(nil).PutBeyondQuota("b", "0", expect, fixed("2"))
			if errors.Is(err, ErrNoSpace) {
				compactions++
				if err := s.Compact(s.Status().Head); err != nil {
					t.Fatal(err)
				}
				e, err = s.By(nil).PutBeyondQuota("b", "0", expect, fixed("2"))
			}
			if err != nil {
				t.Fatal(err)
			}
			expect = e.Revision
			if at := s.Status(); at.Size > most {
				t.Fatalf("%d present: %d bytes are kept, more than %d", present, at.Size, most)
			}
		}
		if compactions == 0 {
			t.Errorf("%d present: history was never compacted", present)
		}
		for i := range present { // deletions need no space
			key := fmt.Sprint(i)
			if _, err := s.Delete("b", key, s.Latest("b", key).Revision, fixed("1")); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestDeadKeys checks that reads at the head look at existing keys only, however many deleted keys
// are retained.
func TestDeadKeys(t *testing.T) {
	const live = 5000
	for _, dead := range []int{0, 20_000, 200_000} {
		if dead > 20_000 && runtime.GOARCH == "wasm" {
			continue // it takes long to create them, and they would not change anything here
		}
		t.Run(fmt.Sprint(dead), func(t *testing.T) {
			s := New(time.Now)
			put := func(key string) *Event {
				e, err := s.Put("pods", key, 0, fixed("v"))
				if err != nil {
					t.Fatal(err)
				}
				return e
			}
			for i := range live {
				put(fmt.Sprintf("ns/k%07d", i*1000))
			}
			for i := range dead {
				e := put(fmt.Sprintf("ns/k%07d-%d", i%live*1000, i))
				if _, err := s.Delete("pods", e.Key, e.Revision, fixed("v")); err != nil {
					t.Fatal(err)
				}
			}
			head := s.Status().Head
			put("other/one") // the pinned revision is no longer the head
			odd := func(key string, _ *Version) bool { return key[len(key)-4] == '1' }
			for name, read := range map[string]struct {
				Query
				passed int
			}{
				"get":          {Query{Key: "ns/k0005000"}, 1},
				"list":         {Query{Group: "ns/"}, live},
				"all values":   {Query{ValuesOnly: true}, live + 1},
				"page":         {Query{Group: "ns/", Limit: 500}, 501},
				"pinned page":  {Query{Group: "ns/", Limit: 500, Start: "ns/k0500000", Revision: head}, 501 + live - 500},
				"labels":       {Query{Group: "ns/", Match: odd}, live},
				"label page":   {Query{Group: "ns/", Match: odd, Limit: 50}, 493},
				"named":        {Query{Name: "k0005000"}, 3},
				"pinned label": {Query{Group: "ns/", Match: odd, Limit: 50, Revision: head}, 493},
			} {
				page, err := s.Range("pods", read.Query)
				if err != nil || page.Passed != read.passed {
					t.Errorf("%s: %d keys were looked at, want %d; %v", name, page.Passed, read.passed, err)
				}
			}
		})
	}
}

// TestGroup lists what the next write finds in a group, including pending writes.
func TestGroup(t *testing.T) {
	s := New(func() time.Time { return time.Unix(0, 0) })
	put := func(bucket, key string) *Event {
		t.Helper()
		e, err := s.Put(bucket, key, 0, fixed(key))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	end := func(e *Event) {
		t.Helper()
		if _, err := s.Delete(e.Bucket, e.Key, e.Revision, fixed("")); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"n/b", "n/a", "n-x/a", "n", "n0/a", "m/z"} {
		put("second", key)
	}
	end(put("first", "n/gone"))
	put("first", "n/c")
	s.SetJournal(&taker{})
	put("first", "n/a")
	end(s.buckets["second"].find("n/b").events[0])
	for _, test := range []struct {
		group string
		want  []Location
	}{
		{"n/", []Location{{"first", "n/a"}, {"first", "n/c"}, {"second", "n/a"}}},
		{"n-x/", []Location{{"second", "n-x/a"}}},
		{"o/", nil},
	} {
		if got := s.Group(test.group); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.group, got, test.want)
		}
	}
}
