package mvcc

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
)

// forkOf returns a fork of a store.
func forkOf(s *Store) *Store {
	f := New(s.now)
	f.Fork(s, func() {})
	return f
}

// fork returns a model that continues by itself.
func (m *model) fork() *model {
	then := m.until(m.head)
	then.states = map[int64]map[string]string{}
	for rev, state := range m.states {
		then.states[rev] = state // which is never changed
	}
	return then
}

// TestForkModel makes a family of stores by forks, and forks of forks, which all continue with random operations: each
// always has what its own model has, so nothing that one of them writes is seen in another.
func TestForkModel(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) { runForks(t, rand.New(rand.NewPCG(seed, 7)), 400) })
}

func FuzzForks(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { runForks(t, rand.New(rand.NewPCG(seed, 8)), 200) })
}

type member struct {
	*Store
	*model
}

func runForks(t *testing.T, r *rand.Rand, operations int) {
	first := New(func() time.Time { return time.Unix(0, 0) })
	first.SetRetainer(retained{})
	family := []member{{first, newModel()}}
	const most = 8
	for op := range operations {
		at := r.IntN(len(family))
		s, m := family[at].Store, family[at].model
		key := anyKey(r)
		current, _, _ := s.Get("b", key, 0)
		switch p := r.IntN(100); {
		case p < 60:
			value := fmt.Sprintf("%s@%d", key, op)
			mustPut(t, s, key, value)
			m.write(key, value, false)
		case p < 80 && current != nil:
			if _, err := s.Delete("b", key, current.Revision, fixed("gone")); err != nil {
				t.Fatal(err)
			}
			m.write(key, "gone", true)
		case p < 85 && m.head > m.compacted:
			rev := m.compacted + 1 + r.Int64N(m.head-m.compacted)
			if err := s.Compact(rev); err != nil {
				t.Fatal(err)
			}
			m.compacted = rev
		case p < 88:
			s.Trim()
		default:
			f := forkOf(s)
			if r.IntN(2) == 0 {
				f.SetRetainer(retained{})
			}
			if next := (member{f, m.fork()}); len(family) < most {
				family = append(family, next)
			} else {
				family[r.IntN(most)] = next
			}
		}
		for i, one := range family {
			if err := one.check(); err != nil {
				t.Fatalf("after operation %d, on %d: store %d: %v", op, at, i, err)
			}
		}
		if op%10 == 0 {
			compareAt(t, s, m, m.head, r)
			compareAt(t, family[0].Store, family[0].model, family[0].head(), r)
		}
	}
	for _, one := range family {
		compareAll(t, one.Store, one.model, r)
		reload(t, one.Store, one.head())
	}
}

func (m member) head() int64 { return m.model.head }

// TestForkOfManyKeys forks a store with more keys under a term than a slice of them has, and changes all of them in
// turns: the sets that are trees are shared, too.
func TestForkOfManyKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	key := func(i int) string { return fmt.Sprintf("n%d/k%03d", i%3, i) }
	value := func(i, j int) string { return fmt.Sprintf("%s@%d", key(i), 1+4*j) }
	first := member{New(func() time.Time { return time.Unix(0, 0) }), newModel()}
	for i := range 200 {
		mustPut(t, first.Store, key(i), value(i, i))
		first.write(key(i), value(i, i), false)
	}
	if k := first.Store.buckets["b"].terms.get(Term{"app", "*"}); k == nil || k.now.tree() == nil {
		t.Fatal("the keys of the term are no tree")
	}
	family := []member{first}
	for range 3 {
		family = append(family, member{forkOf(first.Store), first.model.fork()})
	}
	for step := range 600 {
		one := family[r.IntN(len(family))]
		i := r.IntN(200)
		if v := one.Latest("b", key(i)); v != nil && r.IntN(3) == 0 {
			if _, err := one.Store.Delete("b", key(i), v.Revision, fixed("gone")); err != nil {
				t.Fatal(err)
			}
			one.write(key(i), "gone", true)
		} else {
			mustPut(t, one.Store, key(i), value(i, step))
			one.write(key(i), value(i, step), false)
		}
		if step%50 == 0 {
			family[r.IntN(len(family))].Store.Recent("b")
			for i, one := range family {
				if err := one.check(); err != nil {
					t.Fatalf("step %d, store %d: %v", step, i, err)
				}
			}
		}
	}
	for _, one := range family {
		compareAt(t, one.Store, one.model, one.head(), r)
		compareAt(t, one.Store, one.model, 201, r)
	}
}

// TestForkOfPending forks a store with writes that are not durable yet: the fork is without them, whether they are
// committed or discarded later, and their revisions are its own.
func TestForkOfPending(t *testing.T) {
	for _, commits := range []bool{true, false} {
		s := testStore()
		mustPut(t, s, "n/a", "n/a@1")
		mustPut(t, s, "n/b", "n/b@1")
		head := s.Status().Head
		s.SetJournal(&taker{})
		mustPut(t, s, "n/a", "n/a@2")
		mustPut(t, s, "n/new", "n/new@1")
		if _, err := s.Delete("b", "n/b", s.Latest("b", "n/b").Revision, fixed("gone")); err != nil {
			t.Fatal(err)
		}
		f := forkOf(s)
		if commits {
			s.Commit(head + 3)
		} else {
			s.Discard(errors.New("lost"), func() {})
			s.SetJournal(nil)
			mustPut(t, s, "n/a", "n/a@3")
		}
		for _, one := range []*Store{s, f} {
			if err := one.check(); err != nil {
				t.Fatal(err)
			}
		}
		for _, rev := range []int64{0, head} {
			page, err := f.Range("b", Query{Revision: rev})
			if err != nil || len(page.Items) != 2 || page.Revision != head || string(page.Items[0].Value) != "n/a@1" ||
				string(page.Items[1].Value) != "n/b@1" {
				t.Errorf("committed %t: the fork at %d has %v, %v", commits, rev, page, err)
			}
		}
		if e := mustPut(t, f, "n/a", "n/a@9"); e.Revision != head+1 {
			t.Errorf("the fork's first write is at %d, want %d", e.Revision, head+1)
		}
		if v, _, _ := s.Get("b", "n/a", 0); string(v.Value) == "n/a@9" {
			t.Error("a write in the fork is seen in the other store")
		}
		if err := f.check(); err != nil {
			t.Error(err)
		}
	}
}

// TestForkHasNoWatchers checks that a write in a fork wakes none of the other store's watchers, nor the other way
// round.
func TestForkHasNoWatchers(t *testing.T) {
	s := testStore()
	mustPut(t, s, "n1/a", "1")
	var watchers []*Watcher
	watch := func(s *Store) {
		for _, scope := range []Scope{{}, {Bucket: "b"}, {Bucket: "b", Group: "n1/"}, {Bucket: "b", Key: "n1/a"}} {
			w, err := s.Watch(scope, s.Status().Head)
			if err != nil {
				t.Fatal(err)
			}
			watchers = append(watchers, w)
		}
	}
	watch(s)
	f := forkOf(s)
	if n := f.Status().Watchers; n != 0 {
		t.Errorf("the fork has %d watchers", n)
	}
	watch(f)
	mustPut(t, f, "n1/a", "2")
	for i, w := range watchers {
		events, err := w.Next(0, 0)
		if err != nil || len(events) != i/4 {
			t.Errorf("watcher %d: %d events, %v", i, len(events), err)
		}
		w.Close()
	}
}

// TestForkTellsGuard forks a store without a guard into one that has one: it counts what is there.
func TestForkTellsGuard(t *testing.T) {
	s := testStore()
	mustPut(t, s, "n/a", "1")
	mustPut(t, s, "n/a", "2")
	mustPut(t, s, "n/b", "1")
	f := New(s.now)
	counted := &counter{}
	f.SetGuard(counted)
	f.Fork(s, func() {})
	if want := []int64{2, 3, 4}; !slices.Equal(counted.revisions, want) {
		t.Errorf("the guard counts %d, want %d", counted.revisions, want)
	}
}

type counter struct{ revisions []int64 }

func (*counter) Own(*Write) *Owners                  { return nil }
func (*counter) Judge(*Write, *Owners) (bool, error) { return false, nil }
func (c *counter) Count(e *Event, _ int)             { c.revisions = append(c.revisions, e.Revision) }
func benchForked(b testing.TB, n int) (*Store, string) {
	return indexed(b, n), fmt.Sprintf("ns%d/k%07d", 7%10, 7)
}

// indexed returns a store of n keys in ten groups, with two terms that all have and two that only one has.
func indexed(t testing.TB, n int) *Store {
	t.Helper()
	s := New(time.Now)
	for i := range n {
		x := &testTerms{terms: []Term{{"app", "a"}, {"app", "*"}, {"n", fmt.Sprint(i)}, {"m", fmt.Sprint(i)}}}
		if _, err := s.Put("pods", fmt.Sprintf("ns%d/k%07d", i%10, i), 0,
			func(int64) ([]byte, any) { return nil, x }); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestForksInParallel writes and reads in 200 forks at once, while more are made: for the race detector.
func TestForksInParallel(t *testing.T) {
	s := indexed(t, 1000)
	var all sync.WaitGroup
	for n := range 200 {
		all.Go(func() {
			f := forkOf(s)
			if n%4 == 0 {
				f = forkOf(f)
			}
			for i := range 20 {
				key := fmt.Sprintf("ns%d/k%07d", (i*31)%10, i*31)
				v := f.Latest("pods", key)
				if v == nil {
					t.Errorf("fork %d has no %s", n, key)
					return
				}
				other := &testTerms{terms: []Term{{"app", fmt.Sprint(n)}, {"app", "*"}}}
				if _, err := f.Put("pods", key, v.Revision, func(int64) ([]byte, any) { return nil, other }); err != nil {
					t.Error(err)
					return
				}
			}
			for value, want := range map[string]int{"a": 980, fmt.Sprint(n): 20} {
				terms := [][]Term{{{"app", value}}}
				page, err := f.Range("pods", Query{Terms: terms, Match: matches(terms)})
				if err != nil || len(page.Items) != want {
					t.Errorf("fork %d: %d keys under app=%s, want %d; %v", n, len(page.Items), value, want, err)
				}
			}
			if err := f.Compact(f.Status().Head); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if page, err := s.Range("pods", Query{}); err != nil || len(page.Items) != 1000 || page.Revision != 1001 {
		t.Errorf("%d keys at %d, %v", len(page.Items), page.Revision, err)
	}
}

// TestForkCost checks that forks take no memory for keys, and that the first write to one takes little.
func TestForkCost(t *testing.T) {
	const forks, n = 100, 20_000
	s, key := benchForked(t, n)
	all := make([]*Store, forks)
	before := apitest.InUse()
	for i := range all {
		all[i] = forkOf(s)
	}
	empty := (apitest.InUse() - before) / forks
	before = apitest.InUse()
	for _, f := range all {
		v := f.Latest("pods", key)
		if _, err := f.Put("pods", key, v.Revision, func(int64) ([]byte, any) { return nil, v.Attrs }); err != nil {
			t.Fatal(err)
		}
	}
	written := (apitest.InUse() - before) / forks
	t.Logf("a fork of %d keys takes %d bytes, and its first write %d", n, empty, written)
	if empty > 8<<10 || written > 16<<10 {
		t.Errorf("a fork of %d keys takes %d bytes, and its first write %d", n, empty, written)
	}
	runtime.KeepAlive(all)
}

// BenchmarkFork is a fork of stores of several sizes, without and with a first write.
func BenchmarkFork(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		s, key := benchForked(b, n)
		b.Run(fmt.Sprintf("objects=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				forkOf(s)
			}
		})
		b.Run(fmt.Sprintf("objects=%d/write", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f := forkOf(s)
				v := f.Latest("pods", key)
				if _, err := f.Put("pods", key, v.Revision, func(int64) ([]byte, any) { return nil, v.Attrs }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
