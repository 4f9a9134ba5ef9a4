package mvcc

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// TestFollow copies a store, without a bucket, while it is written and compacted, and compares what
// the two answer.
func TestFollow(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 2))
		var now int64
		clock := func() time.Time { now++; return time.Unix(now, 0) }
		from, to := New(clock), New(clock)
		observed := 0
		to.OnCommit(func(*Event) { observed++ })
		cursor, err := from.Watch(Scope{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		watcher, err := to.Watch(Scope{Bucket: "seen"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		var watched, followed []string
		catchUp := func() {
			events, err := cursor.Next(0, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if e.Bucket == "hidden" {
					err = to.Skip(e.Revision, e.Time)
				} else {
					followed = append(followed, fmt.Sprint(e.Revision, e.Key, e.Deleted))
					err = to.Follow(Record{
						Bucket: e.Bucket, Key: e.Key, Revision: e.Revision, Created: e.Created, Deleted: e.Deleted,
						Time: e.Time, Value: e.Value,
					}, nil)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			events, err = watcher.Next(0, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				watched = append(watched, fmt.Sprint(e.Revision, e.Key, e.Deleted))
			}
		}
		for op := range 300 {
			bucket, key := []string{"seen", "hidden"}[r.IntN(2)], anyKey(r)
			current := from.Latest(bucket, key)
			switch p := r.IntN(100); {
			case p < 20 && current != nil:
				_, err = from.Delete(bucket, key, current.Revision, fixed("gone"))
			case p < 90:
				var expect int64
				if current != nil {
					expect = current.Revision
				}
				_, err = from.Put(bucket, key, expect, fixed(fmt.Sprint(op)))
			case p < 95:
				catchUp()
				if rev := from.Status().Head - 5; rev > from.Status().Compacted && rev > 1 {
					_, _ = from.Compact(rev), to.Compact(rev)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		catchUp()
		if !reflect.DeepEqual(watched, followed) || observed != len(followed) || len(followed) == 0 {
			t.Errorf("%d events were watched and %d observed of %d", len(watched), observed, len(followed))
		}
		if err := to.check(); err != nil {
			t.Error(err)
		}
		a, b := from.Status(), to.Status()
		if a.Head != b.Head || a.Compacted != b.Compacted {
			t.Errorf("%+v and %+v", a, b)
		}
		for rev := int64(1); rev <= a.Head; rev++ {
			want, errWant := from.Range("seen", Query{Revision: rev})
			got, err := to.Range("seen", Query{Revision: rev})
			if err != errWant || len(got.Items) != len(want.Items) {
				t.Fatalf("revision %d: %d items, %v, want %d, %v", rev, len(got.Items), err, len(want.Items), errWant)
			}
			for i := range want.Items {
				if !reflect.DeepEqual(got.Items[i], want.Items[i]) {
					t.Errorf("revision %d: %+v, want %+v", rev, got.Items[i], want.Items[i])
				}
			}
		}
		for at := range now {
			// A run of hidden commits has one event each here.
			if got, want := to.RevisionAt(time.Unix(at, 0)), from.RevisionAt(time.Unix(at, 0)); got != want {
				t.Errorf("at %d: revision %d, want %d", at, got, want)
			}
		}
		if err := to.Skip(a.Head, time.Time{}); err == nil {
			t.Error("a revision was used twice")
		}
	})
}
