package mvcc

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A selective is a watcher of terms in a test, beside one of the same scope without them.
type selective struct {
	*Watcher
	all   *Watcher
	terms []Term
}

// has reports whether an event is one of the watcher's terms.
func (w *selective) has(e *Event) bool {
	now, was := termsOf(e.Version), termsOf(e.Prev)
	return slices.ContainsFunc(w.terms, func(t Term) bool {
		return now != nil && now.HasTerm(t) || was != nil && was.HasTerm(t)
	})
}

// next returns the events of the terms among the next ones.
func (w *selective) next(t *testing.T, from *Watcher, limit int, last int64) (found []*Event, expired bool) {
	t.Helper()
	events, err := from.Next(limit, last)
	if err != nil && !errors.Is(err, ErrCompacted) {
		t.Fatal(err)
	}
	for _, e := range events {
		if w.has(e) {
			found = append(found, e)
		}
	}
	return found, err != nil
}

// TestSelectiveWatchers makes random writes, and compares watchers of terms with watchers that every event wakes: the
// events of the terms are the same, in the same order; no other event wakes them; and a compaction ends none that has
// read what there is for it.
func TestSelectiveWatchers(t *testing.T) {
	asked := []Term{{"app", "1"}, {"app", "2"}, {"app", "*"}, {"tier", "0"}}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := New(time.Now)
		keys := []string{"n/a", "n/b", "m/a", "m/c"}
		var watchers []*selective
		defer func() {
			for _, w := range watchers {
				w.Close()
				w.all.Close()
			}
		}()
		read := make(map[*selective][2][]*Event)
		for range 120 {
			key := keys[r.IntN(len(keys))]
			v := s.Latest("b", key)
			switch r.IntN(8) {
			case 0:
				if len(watchers) == 12 {
					continue
				}
				scope := Scope{Bucket: "b", Group: []string{"", "n/", "m/"}[r.IntN(3)]}
				status := s.Status()
				start := status.Compacted + r.Int64N(status.Head-status.Compacted+2)
				all, err := s.Watch(scope, start)
				if err != nil {
					t.Fatal(err)
				}
				for range 1 + r.IntN(2) {
					scope.Terms = append(scope.Terms, asked[r.IntN(len(asked))])
				}
				w, err := s.Watch(scope, start)
				if err != nil {
					t.Fatal(err)
				}
				watchers = append(watchers, &selective{Watcher: w, all: all, terms: scope.Terms})
			case 1:
				if status := s.Status(); status.Head > status.Compacted+1 {
					if err := s.Compact(status.Compacted + 1 + r.Int64N(status.Head-status.Compacted)); err != nil {
						t.Fatal(err)
					}
				}
			case 2, 3:
				if len(watchers) == 0 {
					continue
				}
				w := watchers[r.IntN(len(watchers))]
				last := s.Status().Compacted + r.Int64N(4)
				limit := r.IntN(3)
				seen := read[w]
				found, expired := w.next(t, w.Watcher, limit, last)
				wanted, late := w.next(t, w.all, limit, last)
				if expired && !late {
					t.Fatalf("seed %d: a watcher of terms ended before one that every event wakes", seed)
				}
				if seen[0], seen[1] = append(seen[0], found...), append(seen[1], wanted...); late {
					w.Close()
					w.all.Close()
					watchers = slices.DeleteFunc(watchers, func(o *selective) bool { return o == w })
				}
				read[w] = seen
			case 4:
				if v != nil {
					if _, err := s.Delete("b", key, v.Revision, func(int64) ([]byte, any) { return nil, v.Attrs }); err != nil {
						t.Fatal(err)
					}
				}
			default:
				var expect int64
				if v != nil {
					expect = v.Revision
				}
				idle := map[*selective]bool{}
				for _, w := range watchers {
					idle[w] = !w.pending.Load()
				}
				e, err := s.Put("b", key, expect, func(int64) ([]byte, any) { return nil, someTerms[r.IntN(len(someTerms))] })
				if err != nil {
					t.Fatal(err)
				}
				for w := range idle {
					if group := w.scope.Group; idle[w] && w.pending.Load() != (w.has(e) && (group == "" || group == key[:2])) {
						t.Fatalf("seed %d: woken %t by %s for %v", seed, w.pending.Load(), key, w.terms)
					}
				}
			}
		}
		for _, w := range watchers {
			seen := read[w]
			for i, from := range []*Watcher{w.Watcher, w.all} {
				for from.pending.Load() {
					found, expired := w.next(t, from, 0, 0)
					if seen[i] = append(seen[i], found...); expired {
						break
					}
				}
			}
			if n := len(seen[1]); len(seen[0]) < n || !slices.Equal(seen[0][:n], seen[1]) {
				t.Fatalf("seed %d: %v of %+v, want %v", seed, seen[0], w.scope, seen[1])
			}
		}
	}
}
