package mvcc

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestKeptModel runs random operations while a retainer keeps some events, and compares watchers and
// pages that can see compacted ones with the model, and with other watchers.
func TestKeptModel(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) { runKept(t, rand.New(rand.NewPCG(seed, 3)), 300) })
}

// keeper is the model with kept events, and the store's retainer: it needs what is above need.
type keeper struct {
	model
	need    int64
	dropped int64
}

func (k *keeper) Retain(_ string, events []*Event, _ int64) int64 {
	for i, e := range events {
		if i > 0 && e.Revision <= events[i-1].Revision {
			panic("events that are not in order")
		}
	}
	return k.need
}

// drop is what a Compact or Trim drops: nothing if all below the horizon was dropped already.
func (k *keeper) drop() {
	for _, e := range k.log {
		if e.rev > k.dropped && e.rev <= k.compacted {
			k.dropped = max(k.dropped, min(k.compacted, k.need))
			return
		}
	}
}

func runKept(t *testing.T, r *rand.Rand, operations int) {
	k := &keeper{model: *newModel()}
	s := New(func() time.Time { return time.Unix(0, 0) })
	s.SetRetainer(k)
	type reader struct {
		*Watcher
		scope Scope
		next  int64
	}
	var readers []*reader
	kept, pages := 0, 0 // watches from below the horizon, and pages there
	for op := range operations {
		key := anyKey(r)
		current, _, _ := s.Get("b", key, 0)
		switch p := r.IntN(100); {
		case p < 40:
			value := fmt.Sprintf("%s@%d", key, op)
			mustPut(t, s, key, value)
			k.write(key, value, false)
		case p < 55 && current != nil:
			if _, err := s.Delete("b", key, current.Revision, fixed("gone")); err != nil {
				t.Fatal(err)
			}
			k.write(key, "gone", true)
		case p < 60 && k.compacted < k.head:
			rev := k.compacted + 1 + r.Int64N(k.head-k.compacted)
			if err := s.Compact(rev); err != nil {
				t.Fatal(err)
			}
			k.compacted = rev
			k.drop()
		case p < 66:
			k.need = max(k.need, k.head-20-r.Int64N(40))
		case p < 69:
			s.Trim()
			k.drop()
		case p < 75:
			rev := max(1, k.head-r.Int64N(40))
			page, err := s.Range("b", Query{Revision: rev, Kept: true})
			if (rev < k.dropped) != errors.Is(err, ErrCompacted) || err != nil && rev >= k.dropped {
				t.Fatalf("kept page at %d, dropped up to %d: %v", rev, k.dropped, err)
			}
			if _, err := s.Range("b", Query{Revision: rev}); (rev < k.compacted) != errors.Is(err, ErrCompacted) {
				t.Fatalf("page at %d, horizon %d: %v", rev, k.compacted, err)
			}
			if err != nil {
				break
			}
			if rev < k.compacted {
				pages++
			}
			at := map[string]string{}
			for _, e := range k.log {
				if e.rev > rev {
					break
				}
				if at[e.key] = e.value; e.deleted {
					delete(at, e.key)
				}
			}
			if len(page.Items) != len(at) {
				t.Fatalf("kept page at %d: %d keys, want %d", rev, len(page.Items), len(at))
			}
			for _, item := range page.Items {
				if string(item.Value) != at[item.Key] {
					t.Fatalf("kept page at %d: %s is %s, want %s", rev, item.Key, item.Value, at[item.Key])
				}
			}
		case p < 90:
			scope := scopes[r.IntN(len(scopes))]
			start, least := max(1, k.head-r.Int64N(40)), k.dropped
			if scope.Bucket == "" {
				least = k.compacted
			}
			w, err := s.WatchKept(scope, start)
			if (start < least) != errors.Is(err, ErrCompacted) || err != nil && start >= least {
				t.Fatalf("watch from %d, dropped up to %d of %d: %v", start, k.dropped, k.compacted, err)
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
			got, err := rd.Next(0, 0)
			var want []modelEvent
			missed := false
			whole := rd.scope.Bucket == "" // misses nothing
			for _, e := range k.log {
				if e.rev > rd.next && inScope(rd.scope, e.key) {
					want = append(want, e)
					missed = missed || e.rev <= k.dropped && !whole
				}
			}
			if errors.Is(err, ErrCompacted) {
				if rd.next >= k.dropped || whole {
					t.Fatalf("%+v from %d: compacted, but the horizon is %d", rd.scope, rd.next, k.dropped)
				}
				rd.next = -1
				break
			}
			if err != nil || missed || len(got) != len(want) {
				t.Fatalf("%+v from %d, dropped up to %d: %d events, want %d; %v", rd.scope, rd.next, k.dropped, len(got),
					len(want), err)
			}
			for i, e := range got {
				if e.Revision != want[i].rev || string(e.Value) != want[i].value ||
					(e.Prev == nil) != want[i].added && (!whole || e.Prev != nil) {
					t.Fatalf("event %+v, want %+v", e, want[i])
				}
			}
			rd.next = k.head
		}
		if err := s.check(); err != nil {
			t.Fatalf("after operation %d: %v", op, err)
		}
		if got := s.Kept("b"); got != k.dropped {
			t.Fatalf("after operation %d: dropped up to %d, want %d", op, got, k.dropped)
		}
		if got, want := s.Status().Events, int(k.head-max(1, k.compacted)); got != want {
			t.Fatalf("after operation %d: %d events, want %d", op, got, want)
		}
	}
	if kept == 0 || pages == 0 {
		t.Errorf("%d watches began below the horizon, and %d pages were there", kept, pages)
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

// TestUnread compacts what watchers of the whole store have not read: it is kept for those of WatchKept, within a
// limit, until they have read it or are closed.
func TestUnread(t *testing.T) {
	small, large := strings.Repeat("x", 10), strings.Repeat("x", maxUnread/4)
	for _, c := range []struct {
		name   string
		kept   bool
		values []string
		want   string // of the first Next
		left   int    // kept until the watcher is closed
	}{
		{"kept", true, []string{small, small, small}, "2 3 4", 3},
		{"not kept", false, []string{small, small, small}, ErrCompacted.Error(), 0},
		{"within the limit", true, []string{large, large, large}, "2 3 4", 3},
		{"beyond the limit", true, []string{large, large, large, large}, ErrCompacted.Error(), 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := testStore()
			watch := s.Watch
			if c.kept {
				watch = s.WatchKept
			}
			w, err := watch(Scope{}, 1)
			if err != nil {
				t.Fatal(err)
			}
			for i, value := range c.values {
				mustPut(t, s, "n/a", value)
				if i%2 > 0 {
					if err := s.Compact(s.Status().Head); err != nil {
						t.Fatal(err)
					}
				}
			}
			_ = s.Compact(s.Status().Head)
			got := ""
			events, err := w.Next(0, 0)
			if err != nil {
				got = err.Error()
			}
			for _, e := range events {
				got += fmt.Sprintf(" %d", e.Revision)
				if e.Prev != nil {
					t.Errorf("%d keeps the version before it in memory", e.Revision)
				}
			}
			if got = strings.TrimSpace(got); got != c.want || len(s.unread.events) != c.left {
				t.Errorf("got %s and %d are kept, want %s and %d", got, len(s.unread.events), c.want, c.left)
			}
			w.Close()
			if len(s.unread.events) > 0 {
				t.Errorf("%d events are kept for nobody", len(s.unread.events))
			}
		})
	}
}

// TestKeptPerBucket keeps the events of one bucket, and checks who sees them, and until when.
func TestKeptPerBucket(t *testing.T) {
	s := New(func() time.Time { return time.Unix(0, 0) })
	need := retained{"kept": 0}
	s.SetRetainer(need)
	put := func(bucket, value string) int64 {
		t.Helper()
		var present int64
		if v, _, _ := s.Get(bucket, "a", 0); v != nil {
			present = v.Revision
		}
		e, err := s.Put(bucket, "a", present, fixed(value))
		if err != nil {
			t.Fatal(err)
		}
		return e.Revision
	}
	first := put("kept", "1")
	put("other", "1")
	put("kept", "2")
	last := put("other", "2")
	if err := s.Compact(last); err != nil {
		t.Fatal(err)
	}
	watch := func(bucket string, kept bool) error {
		open := s.Watch
		if kept {
			open = s.WatchKept
		}
		w, err := open(Scope{Bucket: bucket}, first)
		if err == nil {
			w.Close()
		}
		return err
	}
	if err := watch("kept", true); err != nil {
		t.Errorf("a watch of kept events: %v", err)
	}
	for bucket, kept := range map[string]bool{"kept": false, "other": true} {
		if err := watch(bucket, kept); !errors.Is(err, ErrCompacted) {
			t.Errorf("a watch of %s: %v", bucket, err)
		}
	}
	if _, _, err := s.Get("kept", "a", first); !errors.Is(err, ErrCompacted) {
		t.Errorf("a read of etcd below the horizon: %v", err)
	}
	if page, err := s.Range("kept", Query{Revision: first, Kept: true}); err != nil || string(page.Items[0].Value) != "1" {
		t.Errorf("a page of what is kept: %v %v", page, err)
	}
	if page, err := s.Range("none", Query{Revision: first, Kept: true}); err != nil || len(page.Items) > 0 {
		t.Errorf("a page of a bucket without events: %v %v", page, err)
	}
	late, err := s.WatchKept(Scope{Bucket: "kept"}, first)
	if err != nil {
		t.Fatal(err)
	}
	need["kept"] = last
	s.Trim()
	if err := watch("kept", true); !errors.Is(err, ErrCompacted) {
		t.Errorf("a watch of what has been dropped: %v", err)
	}
	<-late.Ready()
	if _, err := late.Next(0, 0); !errors.Is(err, ErrCompacted) {
		t.Errorf("a watcher that has fallen behind gets %v", err)
	}
	if got := len(s.Recent("kept")); got != 0 {
		t.Errorf("%d events are kept", got)
	}
}

// retained are the revisions from which a retainer needs the events of buckets; all others it does
// not need.
type retained map[string]int64

func (r retained) Retain(bucket string, _ []*Event, _ int64) int64 {
	if rev, ok := r[bucket]; ok {
		return rev
	}
	return 1 << 62
}
