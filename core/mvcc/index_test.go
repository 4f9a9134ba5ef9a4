package mvcc

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// testTerms are the Attrs of versions in tests.
type testTerms struct{ terms []Term }

func (x *testTerms) Terms(f func(Term)) {
	for _, t := range x.terms {
		f(t)
	}
}

func (x *testTerms) HasTerm(t Term) bool { return slices.Contains(x.terms, t) }
func (x *testTerms) NumTerms() int       { return len(x.terms) }

// someTerms are those of the values of models: versions share them, as those of objects do.
var someTerms = func() (some []*testTerms) {
	for i := range 12 {
		x := &testTerms{}
		if i%4 > 0 {
			x.terms = append(x.terms, Term{"app", fmt.Sprint(i % 4)}, Term{"app", "*"})
		}
		if i%3 == 0 {
			x.terms = append(x.terms, Term{"tier", "0"})
		}
		some = append(some, x)
	}
	return some
}()

// attrsOf returns the terms of a value "key@number"; nil for most others.
func attrsOf(value string) any {
	if value == "gone" { // of a deletion, which is under no term
		return someTerms[3]
	}
	_, number, ok := strings.Cut(value, "@")
	if !ok {
		return nil
	}
	n, _ := strconv.Atoi(number)
	return someTerms[n%len(someTerms)]
}

// termQueries are what is asked for: one of each list.
var termQueries = [][][]Term{
	{{{"app", "1"}}},
	{{{"app", "*"}}, {{"app", "2"}}},
	{{{"app", "1"}, {"app", "3"}}},
	{{{"tier", "0"}}, {{"app", "1"}, {"app", "2"}, {"app", "4"}}},
	{{{"no", "such"}}},
}

// matches is the Match of a query by terms.
func matches(query [][]Term) func(string, *Version) bool {
	return func(_ string, v *Version) bool {
		x, _ := v.Attrs.(Indexed)
		for _, terms := range query {
			if x == nil || !slices.ContainsFunc(terms, x.HasTerm) {
				return false
			}
		}
		return true
	}
}

// compareSelected compares ranges by terms with the keys of the model, and with the same ranges without an
// index, page by page.
func compareSelected(
	t *testing.T, s *Store, keys []string, state map[string]string, group string, rev int64, r *rand.Rand,
) {
	t.Helper()
	for _, terms := range termQueries {
		match := matches(terms)
		want := slices.DeleteFunc(slices.Clone(keys),
			func(key string) bool { return !match(key, &Version{Attrs: attrsOf(state[key])}) })
		var items []Item
		limit := r.IntN(4)
		for start := ""; ; {
			q := Query{Group: group, Revision: rev, Start: start, Limit: limit, Match: match}
			plain, err := s.Range("b", q)
			if err != nil {
				t.Fatal(err)
			}
			q.Terms = terms
			page, err := s.Range("b", q)
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, page.Items...)
			if page.More != plain.More || page.Next != plain.Next || page.Remaining != plain.Remaining ||
				!slices.Equal(page.Items, plain.Items) {
				t.Fatalf("at %d, %q from %q, at most %d of %v: %+v, without an index %+v", rev, group, start, limit, terms,
					page, plain)
			}
			if !page.More {
				break
			}
			start = page.Next
		}
		compareItems(t, items, want, state)
	}
}

// checkIndex verifies the index of a bucket, and adds its size.
func (s *Store) checkIndex(b *bucket, size *indexSize) error {
	type place struct{ now, past map[string]*history }
	places := map[Term]place{}
	all := func(h *history) bool {
		last := 0 // the version at the head
		for i, e := range h.events {
			if e.Revision <= s.head {
				last = i
			}
		}
		found := map[Term]bool{}
		for i, e := range slices.Backward(h.events) {
			x, _ := e.Attrs.(*testTerms)
			if x == nil || e.Deleted {
				continue
			}
			for _, t := range x.terms {
				if found[t] {
					continue
				}
				found[t] = true
				if places[t].now == nil {
					places[t] = place{map[string]*history{}, map[string]*history{}}
				}
				if i >= last {
					places[t].now[h.key] = h
				} else {
					places[t].past[h.key] = h
				}
			}
		}
		return true
	}
	b.live.Ascend(all)
	b.dead.Ascend(all)
	kept := b.terms.flat()
	if len(places) != len(kept) {
		return fmt.Errorf("%d terms are kept, want %d", len(kept), len(places))
	}
	for t, k := range kept {
		for name, c := range map[string]struct {
			keySet
			want map[string]*history
		}{"now": {k.now, places[t].now}, "in the past": {k.past, places[t].past}} {
			got := c.all()
			if c.len() != len(got) || !slices.Equal(got, inOrder(c.want)) {
				return fmt.Errorf("under %v are %s %d keys, counted as %d, want %d", t, name, len(got), c.len(), len(c.want))
			}
			size.all += entryCost * int64(len(got))
		}
		size.all += termCost
		size.past += entryCost * int64(len(places[t].past))
		if len(places[t].now) == 0 {
			size.past += termCost
		}
	}
	return nil
}

func (k *keySet) all() (all []*history) {
	merge([]*sortedKeys{k.from("", "")}).each(func(h *history) bool { all = append(all, h); return true })
	return all
}

func inOrder(keys map[string]*history) (all []*history) {
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		all = append(all, keys[key])
	}
	return all
}

// TestKeySet compares sets of keys with maps, while they grow and shrink.
func TestKeySet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	var keys []*history
	for i := range 300 {
		keys = append(keys, &history{key: fmt.Sprintf("k%03d", i)})
	}
	var k keySet
	model := map[string]*history{}
	grown, shrunk := 0, 0
	for step := range 20_000 {
		h := keys[r.IntN(len(keys))]
		in := r.IntN(100) < []int{70, 2}[step/2000%2]
		was := k.tree() != nil
		if k.set(h, in); in {
			model[h.key] = h
		} else {
			delete(model, h.key)
		}
		switch is := k.tree() != nil; {
		case is && !was:
			grown++
		case was && !is:
			shrunk++
		}
		if k.len() != len(model) {
			t.Fatalf("step %d: %d keys, want %d", step, k.len(), len(model))
		}
		if step%50 > 0 {
			continue
		}
		from, end := keys[r.IntN(len(keys))].key, keys[r.IntN(len(keys))].key
		if r.IntN(2) == 0 {
			end = ""
		}
		want := slices.DeleteFunc(inOrder(model), func(h *history) bool { return h.key < from || end != "" && h.key >= end })
		var got []*history
		for list := k.from(from, end); list.peek() != nil; list.take() {
			got = append(got, list.peek())
		}
		if !slices.Equal(got, want) || !slices.Equal(k.all(), inOrder(model)) {
			t.Fatalf("step %d, from %q to %q: %d keys, want %d", step, from, end, len(got), len(want))
		}
	}
	if grown == 0 || shrunk == 0 {
		t.Errorf("the set became a tree %d times, and a slice %d times", grown, shrunk)
	}
}

// TestSelectedManyKeys compares ranges by terms with those without an index among so many keys that the sets
// under terms are trees, while keys are deleted and their terms change.
func TestSelectedManyKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	s := New(func() time.Time { return time.Unix(0, 0) })
	s.SetJournal(&taker{})
	compacted := int64(1)
	for op := range 12_000 {
		key := fmt.Sprintf("n%d/k%03d", r.IntN(3), r.IntN(200))
		switch p := r.IntN(100); {
		case p < 75:
			mustPut(t, s, key, fmt.Sprintf("%s@%d", key, r.IntN(60)))
		case p < 95:
			if v := s.Latest("b", key); v != nil {
				if _, err := s.Delete("b", key, v.Revision, fixed("gone")); err != nil {
					t.Fatal(err)
				}
			}
		case p < 98:
			s.Commit(s.last - r.Int64N(3))
		default:
			s.Discard(errDisk, func() {})
		}
		if op%3000 == 2999 {
			compacted += r.Int64N(s.head - compacted)
			if err := s.Compact(compacted); err != nil {
				t.Fatal(err)
			}
		}
		if op%250 > 0 {
			continue
		}
		if err := s.check(); err != nil {
			t.Fatal(err)
		}
		rev := compacted + r.Int64N(s.head-compacted+1)
		if r.IntN(2) == 0 {
			rev = s.head
		}
		for _, group := range []string{"", "n1/"} {
			page, err := s.Range("b", Query{Group: group, Revision: rev})
			if err != nil {
				t.Fatal(err)
			}
			state := map[string]string{}
			var keys []string
			for _, item := range page.Items {
				state[item.Key] = string(item.Value)
				keys = append(keys, item.Key)
			}
			compareSelected(t, s, keys, state, group, rev, r)
		}
	}
	if k := s.buckets["b"].terms.get(Term{"app", "*"}); k.now.tree() == nil {
		t.Errorf("%d keys under a term are no tree", k.now.len())
	}
}
