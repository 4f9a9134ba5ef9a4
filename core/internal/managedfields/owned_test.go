package managedfields

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
)

// TestOwned compares the fast path for changes of owned scalars with the general one, for every
// type: of two managers' objects some strings and numbers are changed, and some fields removed.
func TestOwned(t *testing.T) {
	taken := 0
	for _, r := range table.Resources() {
		if r.Type() == nil || r.Virtual {
			continue
		}
		for seed := range uint64(40) {
			g := newGen(seed, 2, seed%4 == 3)
			obj := g.stored(t, r)
			live := object.DeepCopy(obj)
			write(r, "a").Update(nil, live)
			next := object.DeepCopy(live)
			g.change(next, 8)
			second := write(r, "b")
			second.Update(live, next)
			live, next = next, object.DeepCopy(next)
			for range 3 {
				g.change(next, 1)
			}
			w := write(r, []string{"a", "b", "c"}[g.IntN(3)])
			w.Now = w.Now.Add(time.Minute)
			if checkOwned(t, w, live, next) {
				taken++
			}
		}
	}
	if taken < 200 {
		t.Errorf("the short way was taken %d times", taken)
	}
}

// change changes up to n strings and numbers of a tree, outside of lists, or removes a field.
func (g gen) change(m map[string]any, n int) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if n == 0 || name == "apiVersion" || name == "kind" || name == "managedFields" {
			continue
		}
		switch v := m[name].(type) {
		case map[string]any:
			g.change(v, n)
		case string:
			if n--; g.OneIn(2) {
				m[name] = v + "z"
			}
		case int64:
			if n--; g.OneIn(2) {
				m[name] = v + 1
			}
		default:
			if g.OneIn(20) {
				delete(m, name)
				n--
			}
		}
	}
}

// checkOwned reports whether the fast path was taken.
func checkOwned(t *testing.T, w Write, live, obj map[string]any) bool {
	t.Helper()
	g, who := w.group(), w.manager(operationUpdate, w.Resource.APIVersion())
	was, is := differing(live, obj)
	short, err := parse(entriesOf(live))
	if err != nil {
		t.Fatal(err)
	}
	if nothing(was) && nothing(is) || !w.owned(g, was, is, short, who) {
		return false
	}
	long, err := parse(entriesOf(live))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.compare(g, was, is, long, who); err != nil {
		t.Fatal(err)
	}
	got, want := object.DeepCopy(obj), object.DeepCopy(obj)
	if setEntries(got, short, false) != nil || setEntries(want, long, false) != nil {
		t.Fatal("the entries cannot be written")
	}
	if encode(got) != encode(want) {
		t.Fatalf("%s\nto %s\nby %s: %s\nwant\n%s", encode(was), encode(is), w.Manager,
			encode(object.Meta(got)["managedFields"]), encode(object.Meta(want)["managedFields"]))
	}
	return true
}
