package mvcc

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
)

// model is the naive store: a full copy of the keys for every revision.
type model struct {
	states    map[int64]map[string]string // revision -> key -> value
	log       []modelEvent
	head      int64
	compacted int64
}

type modelEvent struct {
	rev     int64
	key     string
	value   string
	deleted bool
	added   bool
}

func newModel() *model { return &model{states: map[int64]map[string]string{1: {}}, head: 1} }

// scopes are those that are watched.
var scopes = []Scope{{}, {Bucket: "b"}, {Bucket: "b", Group: "n1/"}, {Bucket: "b", Key: "n2/a"}}

// eachSeed runs a test that goes by chance several times.
func eachSeed(t *testing.T, run func(t *testing.T, seed uint64)) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			run(t, seed)
		})
	}
}

// anyKey returns one of a few keys.
func anyKey(r *rand.Rand) string { return fmt.Sprintf("n%d/%c", r.IntN(3), 'a'+rune(r.IntN(5))) }

func (m *model) write(key, value string, deleted bool) {
	next := map[string]string{}
	for k, v := range m.states[m.head] {
		next[k] = v
	}
	_, existed := next[key]
	m.head++
	if deleted {
		delete(next, key)
	} else {
		next[key] = value
	}
	m.states[m.head] = next
	m.log = append(m.log, modelEvent{m.head, key, value, deleted, !existed})
}

func (m *model) list(rev int64, group, start string) (keys []string) {
	for k := range m.states[rev] {
		if strings.HasPrefix(k, group) && k >= start {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	return keys
}

// TestModel runs random operations against the store and the model and compares
// ranges at every retained revision, pages, and watches from every revision.
func TestModel(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) { runModel(t, rand.New(rand.NewPCG(seed, 1)), 300) })
}

func runModel(t *testing.T, r *rand.Rand, operations int) {
	s := New(func() time.Time { return time.Unix(0, 0) })
	m := newModel()
	type reader struct {
		*Watcher
		scope Scope
		next  int64
		lost  bool
	}
	var readers []*reader
	for op := range operations {
		key := anyKey(r)
		current, _, _ := s.Get("b", key, 0)
		switch p := r.IntN(100); {
		case p < 60:
			value := fmt.Sprintf("%s@%d", key, op)
			mustPut(t, s, key, value)
			m.write(key, value, false)
		case p < 80 && current != nil:
			if _, err := s.By(&Author{User: "u"}).Delete("b", key, current.Revision, fixed("gone")); err != nil {
				t.Fatal(err)
			}
			m.write(key, "gone", true)
		case p < 84:
			rev := m.compacted + r.Int64N(m.head-m.compacted+1)
			err := s.Compact(rev)
			if rev == m.compacted {
				if !errors.Is(err, ErrCompacted) {
					t.Fatalf("compact %d again: %v", rev, err)
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			m.compacted = rev
		case p < 90:
			scope := scopes[r.IntN(len(scopes))]
			start := max(1, m.head-r.Int64N(20))
			w, err := s.Watch(scope, start)
			if start < m.compacted {
				if !errors.Is(err, ErrCompacted) {
					t.Fatalf("watch from %d below %d: %v", start, m.compacted, err)
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			readers = append(readers, &reader{Watcher: w, scope: scope, next: start})
		case len(readers) > 0:
			rd := readers[r.IntN(len(readers))]
			if rd.lost {
				break
			}
			limit, upTo := r.IntN(4), max(0, r.Int64N(2*m.head)-m.head)
			got, err := rd.Next(limit, upTo)
			var want []modelEvent
			missed, held := false, false
			for _, e := range m.log {
				switch {
				case e.rev <= rd.next || !inScope(rd.scope, e.key):
				case upTo > 0 && e.rev > upTo:
					held = true
				case limit == 0 || len(want) < limit:
					want = append(want, e)
					missed = missed || e.rev <= m.compacted
				}
			}
			if err != nil {
				if !errors.Is(err, ErrCompacted) || rd.next >= m.compacted {
					t.Fatalf("%+v from %d, horizon %d: %v", rd.scope, rd.next, m.compacted, err)
				}
				rd.lost = true
				break
			}
			if missed {
				t.Fatalf("%+v from %d: events below the horizon %d were skipped", rd.scope, rd.next, m.compacted)
			}
			if len(got) != len(want) {
				t.Fatalf("%+v from %d: %d events, want %d", rd.scope, rd.next, len(got), len(want))
			}
			for i, e := range got {
				if e.Revision != want[i].rev || e.Key != want[i].key || string(e.Value) != want[i].value ||
					e.Deleted != want[i].deleted || (e.Prev == nil) != want[i].added {
					t.Fatalf("event %+v, want %+v", e, want[i])
				}
				rd.next = e.Revision
			}
			switch first := rd.Upcoming(); {
			case limit > 0 && len(got) == limit: // there may be more
			case held:
				rd.next = max(rd.next, upTo)
				if first == nil || first.Revision <= upTo {
					t.Fatalf("%+v up to %d: held back is %v", rd.scope, upTo, first)
				}
			default:
				rd.next = max(rd.next, m.head)
				if first != nil {
					t.Fatalf("%+v up to %d: event %d is held back", rd.scope, upTo, first.Revision)
				}
			}
		}
		if err := s.check(); err != nil {
			t.Fatalf("after operation %d: %v", op, err)
		}
	}
	compareAll(t, s, m, r)
	if _, err := s.Range("b", Query{Revision: m.head + 1}); !errors.Is(err, ErrFuture) {
		t.Errorf("range above the head: %v", err)
	}
	for _, rev := range []int64{m.compacted - 1, m.head + 1} {
		if _, _, err := s.Events(rev); rev > 0 && !errors.Is(err, ErrCompacted) && !errors.Is(err, ErrFuture) {
			t.Errorf("events at %d of %d to %d: %v", rev, m.compacted, m.head, err)
		}
	}
	least := max(1, m.compacted)
	for _, head := range []int64{m.head, least, least + r.Int64N(m.head-least+1)} {
		reloaded, then := reload(t, s, head), m.until(head)
		compareAll(t, reloaded, then, r)
		if e, err := reloaded.Put("b", "new", 0, fixed("new")); err != nil || e.Revision != head+1 {
			t.Fatalf("the first write behind %d: %v, %v", head, e, err)
		}
	}
}

// compareAll compares what can be read at every revision, and watched from it.
func compareAll(t *testing.T, s *Store, m *model, r *rand.Rand) {
	t.Helper()
	for rev := int64(1); rev <= m.head; rev++ {
		compareAt(t, s, m, rev, r)
		for _, scope := range scopes {
			compareWatch(t, s, m, scope, rev)
		}
	}
}

// until returns the model at a revision.
func (m *model) until(rev int64) *model {
	then := *m
	then.head = rev
	then.log = slices.DeleteFunc(slices.Clone(m.log), func(e modelEvent) bool { return e.rev > rev })
	return &then
}

func compareAt(t *testing.T, s *Store, m *model, rev int64, r *rand.Rand) {
	t.Helper()
	for _, group := range []string{"", "n0/", "n1/", "n9/"} {
		page, err := s.Range("b", Query{Group: group, Revision: rev})
		if rev < m.compacted {
			if !errors.Is(err, ErrCompacted) {
				t.Fatalf("range at %d below %d: %v", rev, m.compacted, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		want := m.list(rev, group, "")
		compareItems(t, page.Items, want, m.states[rev])
		bare, err := s.Range("b", Query{Group: group, Revision: rev, ValuesOnly: true})
		if err != nil || len(bare.Values) != len(want) || bare.Items != nil {
			t.Fatalf("at %d: %d values, %v, %v, want %d", rev, len(bare.Values), bare.Items, err, len(want))
		}
		for i, value := range bare.Values {
			if string(value) != m.states[rev][want[i]] {
				t.Fatalf("at %d: %s holds %q, want %q", rev, want[i], value, m.states[rev][want[i]])
			}
		}
		named, err := s.Range("b", Query{Group: group, Name: "a", Revision: rev})
		if err != nil {
			t.Fatal(err)
		}
		compareItems(t, named.Items, slices.DeleteFunc(slices.Clone(want),
			func(key string) bool { return !strings.HasSuffix(key, "/a") }), m.states[rev])
		compareSelected(t, s, want, m.states[rev], group, rev, r)
		// The same, page by page.
		var items []Item
		limit := 1 + r.IntN(4)
		for start := ""; ; {
			page, err := s.Range("b", Query{Group: group, Revision: rev, Start: start, Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, page.Items...)
			if page.Remaining != len(want)-len(items) || page.More != (page.Remaining > 0) {
				t.Fatalf("at %d: %d remain (more: %v), want %d", rev, page.Remaining, page.More, len(want)-len(items))
			}
			if !page.More {
				break
			}
			start = page.Next
		}
		compareItems(t, items, want, m.states[rev])
	}
}

// compareWatch watches a scope from a revision to the head.
func compareWatch(t *testing.T, s *Store, m *model, scope Scope, from int64) {
	t.Helper()
	w, err := s.Watch(scope, from)
	if from < m.compacted {
		if !errors.Is(err, ErrCompacted) {
			t.Fatalf("watch from %d below %d: %v", from, m.compacted, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	events, err := w.Next(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range m.log {
		if e.rev <= from || !inScope(scope, e.key) {
			continue
		}
		if len(events) == 0 || events[0].Revision != e.rev || events[0].Key != e.key || string(events[0].Value) != e.value {
			t.Fatalf("%+v from %d: %v, want %+v next", scope, from, events, e)
		}
		events = events[1:]
	}
	if len(events) > 0 {
		t.Fatalf("%+v from %d: %v is too much", scope, from, events)
	}
}

func compareItems(t *testing.T, got []Item, want []string, state map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d items, want %d", len(got), len(want))
	}
	for i, item := range got {
		if item.Key != want[i] || string(item.Value) != state[item.Key] {
			t.Fatalf("item %s=%s, want %s=%s", item.Key, item.Value, want[i], state[want[i]])
		}
	}
}

// reload returns another store with the content of the store at a revision.
func reload(t *testing.T, s *Store, rev int64) *Store {
	t.Helper()
	events, at, err := s.Events(rev)
	if err != nil || at.Head != rev {
		t.Fatalf("at %d: %+v, %v", rev, at, err)
	}
	next := New(s.now)
	for _, e := range events {
		r := Record{Bucket: e.Bucket, Key: e.Key, Revision: e.Revision, Created: e.Created, Deleted: e.Deleted, Time: e.Time,
			Value: e.Value, Author: e.Author}
		if err := next.Load(r, attrsOf(string(r.Value))); err != nil {
			t.Fatal(err)
		}
	}
	if err := next.Position(at.Head, at.Compacted); err != nil {
		t.Fatal(err)
	}
	if err := next.check(); err != nil {
		t.Fatalf("reloaded: %v", err)
	}
	if again, _, err := next.Events(0); err != nil || !slices.EqualFunc(again, events, sameAuthor) {
		t.Fatalf("reloaded, the authors are others: %v", err)
	}
	return next
}

func sameAuthor(a, b *Event) bool { return a.Author == b.Author }

func inScope(s Scope, key string) bool {
	return (s.Group == "" || strings.HasPrefix(key, s.Group)) && (s.Key == "" || s.Key == key)
}

func fixed(value string) Build {
	return func(int64) ([]byte, any) { return []byte(value), attrsOf(value) }
}
