package mvcc

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// TestKeptModel runs random operations while time passes, and compares watchers that can see
// compacted events with the model, and with other watchers.
func TestKeptModel(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) { runKept(t, rand.New(rand.NewPCG(seed, 3)), 300) })
}

// keeper is the model with kept events.
type keeper struct {
	model
	now     time.Time
	times   map[int64]time.Time // of the revisions
	keep    time.Duration
	dropped int64
}

// horizon returns that of watchers that can see the events of the last d.
func (k *keeper) horizon(d time.Duration) int64 {
	if d == 0 {
		return k.compacted
	}
	rev := int64(0) // revision 1 is no event
	for next := int64(2); next <= k.head && !k.times[next].After(k.now.Add(-d)); next++ {
		rev = next
	}
	return max(k.dropped, min(k.compacted, rev))
}

func runKept(t *testing.T, r *rand.Rand, operations int) {
	k := &keeper{model: *newModel(), now: time.Unix(0, 0), times: map[int64]time.Time{}}
	s := New(func() time.Time { return k.now })
	type reader struct {
		*Watcher
		scope Scope
		next  int64
	}
	var readers []*reader
	kept := 0 // watches from below the horizon
	for op := range operations {
		key := anyKey(r)
		current, _, _ := s.Get("b", key, 0)
		switch p := r.IntN(100); {
		case p < 40:
			value := fmt.Sprintf("%s@%d", key, op)
			mustPut(t, s, key, value)
			k.write(key, value, false)
			k.times[k.head] = k.now
		case p < 55 && current != nil:
			if _, err := s.Delete("b", key, current.Revision, fixed("gone")); err != nil {
				t.Fatal(err)
			}
			k.write(key, "gone", true)
			k.times[k.head] = k.now
		case p < 60 && k.compacted < k.head:
			rev := k.compacted + 1 + r.Int64N(k.head-k.compacted)
			if err := s.Compact(rev); err != nil {
				t.Fatal(err)
			}
			k.compacted = rev
			k.dropped = k.horizon(k.keep)
		case p < 63:
			k.keep = time.Duration(r.IntN(4)) * 10 * time.Second
			s.Keep(k.keep)
		case p < 66:
			rev := r.Int64N(k.head + 1)
			if r.IntN(2) == 0 {
				rev = 0
			}
			s.Trim(rev)
			k.dropped = min(k.compacted, max(rev, k.horizon(k.keep)))
		case p < 75:
			k.now = k.now.Add(time.Duration(r.IntN(5)) * time.Second)
		case p < 90:
			scope, d := scopes[r.IntN(len(scopes))], time.Duration(r.IntN(5))*10*time.Second
			start := max(1, k.head-r.Int64N(40))
			w, err := s.WatchKept(scope, start, d)
			if horizon := k.horizon(d); (start < horizon) != errors.Is(err, ErrCompacted) || err != nil && start >= horizon {
				t.Fatalf("watch from %d, of the last %v, horizon %d of %d: %v", start, d, horizon, k.compacted, err)
			}
			if err == nil {
				readers = append(readers, &reader{Watcher: w, scope: scope, next: start})
			}
			if err == nil && start < k.compacted {
				kept++
			}
		case len(readers) > 0:
			rd := readers[r.IntN(len(readers))]
			if rd.next < 0 {
				break
			}
			horizon := k.compacted
			if rd.kept {
				horizon = k.dropped
			}
			got, err := rd.Next(0, 0)
			var want []modelEvent
			missed := false
			for _, e := range k.log {
				if e.rev > rd.next && inScope(rd.scope, e.key) {
					want = append(want, e)
					missed = missed || e.rev <= horizon
				}
			}
			if errors.Is(err, ErrCompacted) {
				if rd.next >= horizon {
					t.Fatalf("%+v from %d: compacted, but the horizon is %d", rd.scope, rd.next, horizon)
				}
				rd.next = -1
				break
			}
			if err != nil || missed || len(got) != len(want) {
				t.Fatalf("%+v from %d, horizon %d: %d events, want %d; %v", rd.scope, rd.next, horizon, len(got), len(want), err)
			}
			for i, e := range got {
				if e.Revision != want[i].rev || string(e.Value) != want[i].value || (e.Prev == nil) != want[i].added {
					t.Fatalf("event %+v, want %+v", e, want[i])
				}
			}
			rd.next = k.head
		}
		if err := s.check(); err != nil {
			t.Fatalf("after operation %d: %v", op, err)
		}
		if got := s.dropped; got != k.dropped {
			t.Fatalf("after operation %d: dropped up to %d, want %d", op, got, k.dropped)
		}
		if got, want := s.Status().Events, int(k.head-max(1, k.compacted)); got != want {
			t.Fatalf("after operation %d: %d events, want %d", op, got, want)
		}
	}
	if kept == 0 {
		t.Error("no watch began below the horizon")
	}
	for _, store := range []*Store{s, reload(t, s, k.head)} {
		compareAll(t, store, &k.model, r)
	}
	events, _, err := s.Events(0)
	if err != nil {
		t.Fatal(err)
	}
	below := map[string]bool{}
	for _, e := range events {
		if e.Revision <= k.compacted {
			if e.Deleted || below[e.Key] {
				t.Errorf("revision %d below the horizon %d is saved, which nobody can read", e.Revision, k.compacted)
			}
			below[e.Key] = true
		}
	}
}

// TestKeptIsForWatchersThatAsk checks what is kept, and for how long.
func TestKeptIsForWatchersThatAsk(t *testing.T) {
	now := time.Unix(0, 0)
	s := New(func() time.Time { return now })
	s.Keep(time.Minute)
	first := mustPut(t, s, "n/a", "1")
	now = now.Add(30 * time.Second)
	last := mustPut(t, s, "n/a", "2")
	if err := s.Compact(last.Revision); err != nil {
		t.Fatal(err)
	}
	open := func(from int64, d time.Duration) (*Watcher, bool) {
		t.Helper()
		w, err := s.WatchKept(Scope{Bucket: "b"}, from, d)
		if err != nil && !errors.Is(err, ErrCompacted) {
			t.Fatal(err)
		}
		if w != nil {
			t.Cleanup(w.Close)
		}
		return w, err == nil
	}
	for _, test := range []struct {
		passed time.Duration // since the last write
		d      time.Duration
		from   int64
		want   bool
	}{
		{0, time.Minute, first.Revision - 1, true},
		{0, 20 * time.Second, first.Revision - 1, false},
		{0, 20 * time.Second, first.Revision, true},
		{0, 0, first.Revision, false},
		{30 * time.Second, time.Minute, first.Revision - 1, false},
		{30 * time.Second, time.Minute, first.Revision, true},
		{59 * time.Second, time.Minute, first.Revision, true},
		{60 * time.Second, time.Minute, first.Revision, false},
		{60 * time.Second, time.Hour, first.Revision, true}, // nothing has been dropped yet
	} {
		now = time.Unix(30, 0).Add(test.passed)
		if _, ok := open(test.from, test.d); ok != test.want {
			t.Errorf("after %v, from %d, of the last %v: %t", test.passed, test.from, test.d, ok)
		}
	}
	late, _ := open(first.Revision, time.Hour)
	if _, _, err := s.Get("b", "n/a", first.Revision); !errors.Is(err, ErrCompacted) {
		t.Errorf("an exact read below the horizon: %v", err)
	}
	s.Trim(0)
	if _, ok := open(first.Revision, time.Hour); ok {
		t.Error("what is too old stays after it was dropped")
	}
	<-late.Ready()
	if _, err := late.Next(0, 0); !errors.Is(err, ErrCompacted) {
		t.Errorf("a watcher that has fallen behind gets %v", err)
	}
}
