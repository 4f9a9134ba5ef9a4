package managedfields

import (
	"math/rand/v2"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
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

// TestCreateUntyped does so for types of which nothing is known but that they are objects.
func TestCreateUntyped(t *testing.T) {
	row := &schema.Resource{Group: "a.io", Version: "v1", Plural: "things", Kind: "Thing"}
	r := rand.New(rand.NewPCG(1, 2))
	var value func(depth int) any
	tree := func(depth int) map[string]any {
		m := map[string]any{}
		for range r.IntN(5) {
			m[[]string{"a", "b-c", "name", "kind", "metadata", "uid", "d.e/f", "\u00e9"}[r.IntN(7+depth%2)]] = value(depth - 1)
		}
		return m
	}
	value = func(depth int) any {
		if depth > 0 && r.IntN(2) == 0 {
			return tree(depth)
		}
		return []any{nil, true, int64(1), 1.5, "text", []any{}, []any{map[string]any{"a": "b"}}, map[string]any{}}[r.IntN(8)]
	}
	short := 0
	for range 500 {
		obj := tree(4)
		obj["apiVersion"], obj["kind"], obj["metadata"] = "a.io/v1", "Thing", tree(1)
		if checkCreate(t, write(row, "m"), obj) {
			short++
		}
	}
	if short < 300 {
		t.Errorf("the short way was taken for %d of 500", short)
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
