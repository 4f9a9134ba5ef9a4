package managedfields

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
)

// TestCreate compares the fast path for new objects with the general one, for every type.
func TestCreate(t *testing.T) {
	for _, r := range table.Resources() {
		if r.Type() == nil || r.Virtual {
			continue
		}
		short := 0
		for seed := range uint64(25) {
			g := newGen(seed, 1, seed%4 == 3)
			obj := g.stored(t, r)
			w := write(r, "m")
			if checkCreate(t, w, obj) {
				short++
			}
		}
		if short < 3 && r.Plural != "customresourcedefinitions" && r.Plural != "certificatesigningrequests" {
			t.Errorf("%s: the short way was taken for %d of 25", r.GroupResource(), short)
		}
	}
}

// checkCreate reports whether the fast path was taken.
func checkCreate(t *testing.T, w Write, obj map[string]any) bool {
	t.Helper()
	g, got := w.group(), object.DeepCopy(obj)
	short := w.create(g, got)
	if !short {
		if encode(got) != encode(obj) {
			t.Fatalf("given up, but changed: %s", encode(got))
		}
		return false
	}
	m := newManaged()
	if err := w.update(g, g.empty(), obj, m, w.manager(operationUpdate, g.apiVersion)); err != nil {
		t.Fatal(err)
	}
	want := object.DeepCopy(obj)
	if err := setEntries(want, m, false); err != nil {
		t.Fatal(err)
	}
	if encode(got) != encode(want) {
		t.Fatalf("%s\n%s\nwant\n%s", encode(obj), encode(object.Meta(got)["managedFields"]),
			encode(object.Meta(want)["managedFields"]))
	}
	return true
}
