package mvcc

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// TestWhileGathered: what is saved of a store is what readers see at that revision, however many keys are written,
// deleted, created again and compacted meanwhile.
func TestWhileGathered(t *testing.T) {
	const keys = 2 * atOnce
	s := New(time.Now)
	write := func(r *rand.Rand) {
		bucket, key := fmt.Sprint("b", r.IntN(3)), fmt.Sprintf("ns%d/k%d", r.IntN(3), r.IntN(keys))
		v := s.Latest(bucket, key)
		value := func(rev int64) ([]byte, any) { return fmt.Appendf(nil, "%s at %d", key, rev), nil }
		var err error
		switch {
		case v == nil:
			_, err = s.Put(bucket, key, 0, value)
		case r.IntN(2) == 0:
			_, err = s.Delete(bucket, key, v.Revision, value)
		default:
			_, err = s.Put(bucket, key, v.Revision, value)
		}
		if err != nil {
			t.Error(err)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 * keys {
		write(r)
	}
	var others sync.WaitGroup
	end := make(chan struct{})
	others.Go(func() {
		r := rand.New(rand.NewPCG(3, 4))
		for n := 1; ; n++ {
			select {
			case <-end:
				return
			default:
			}
			if write(r); n%2000 == 0 {
				head, _ := s.Bounds()
				if err := s.Compact(head - 10_000); err != nil && err != ErrCompacted {
					t.Error(err)
				}
			}
		}
	})
	for range 8 {
		events, at, err := s.Events(0)
		if err != nil {
			t.Fatal(err)
		}
		loaded := New(time.Now)
		for _, e := range events {
			record := Record{Bucket: e.Bucket, Key: e.Key, Revision: e.Revision, Created: e.Created, Deleted: e.Deleted,
				Time: e.Time, Value: e.Value}
			if err := loaded.Load(record, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := loaded.Position(at.Head, at.Compacted); err != nil {
			t.Fatal(err)
		}
		for _, bucket := range []string{"b0", "b1", "b2"} {
			want, err := s.Range(bucket, Query{Revision: at.Head})
			if err == ErrCompacted {
				continue
			}
			got, e := loaded.Range(bucket, Query{})
			if err != nil || e != nil || len(got.Items) != len(want.Items) {
				t.Fatalf("%s at %d: %d keys of %d, %v %v", bucket, at.Head, len(got.Items), len(want.Items), err, e)
			}
			for i, item := range want.Items {
				if is := got.Items[i]; is.Key != item.Key || string(is.Value) != string(item.Value) {
					t.Fatalf("%s at %d: %s is %s, want %s", bucket, at.Head, is.Key, is.Value, item.Value)
				}
			}
		}
	}
	close(end)
	others.Wait()
	if err := s.check(); err != nil {
		t.Error(err)
	}
}

// TestCompactInPieces: others get the lock while many events are dropped, and find the store as its horizon says.
func TestCompactInPieces(t *testing.T) {
	const keys = 20 * atOnce
	s := New(time.Now)
	for i := range keys {
		if _, err := s.Put("b", fmt.Sprintf("ns/k%d", i), 0, func(int64) ([]byte, any) { return nil, nil }); err != nil {
			t.Fatal(err)
		}
	}
	w, err := s.Watch(Scope{Bucket: "b"}, keys-10)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.compacted = keys - 5
	s.late["b"] = s.buckets["b"]
	if more := s.dropFrom(s.buckets["b"], s.compacted); !more || s.buckets["b"].dropped >= s.compacted {
		t.Errorf("all was dropped at once, up to %d", s.buckets["b"].dropped)
	}
	s.mu.Unlock()
	if _, err := w.Next(0, 0); err != ErrCompacted {
		t.Errorf("a watcher below the horizon: %v", err)
	}
	if _, _, err := s.Get("b", "ns/k1", keys-6); err != ErrCompacted {
		t.Errorf("a read below the horizon: %v", err)
	}
	if v, _, err := s.Get("b", "ns/k1", 0); v == nil || err != nil {
		t.Errorf("a key from below the horizon: %v %v", v, err)
	}
	if err := s.Compact(keys - 2); err != nil {
		t.Fatal(err)
	}
	if err := s.check(); err != nil {
		t.Error(err)
	}
	if n := s.Status().Events; n != 3 {
		t.Errorf("%d events above the horizon, want 3", n)
	}
}
