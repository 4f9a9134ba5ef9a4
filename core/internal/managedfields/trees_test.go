package managedfields

import (
	"cmp"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
	"github.com/tabernetes/tabernetes/core/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// customLists has a list of each type, and values of which the schema does not know what they are.
const customLists = `{"properties":{
"numbers":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"number"}},
"ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["p","q"],
	"items":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
	"properties":{"p":{"type":"integer"},"q":{"type":"string","default":"TCP"}}}},
"atomic":{"type":"object","x-kubernetes-map-type":"atomic","x-kubernetes-preserve-unknown-fields":true},
"list":{"type":"array","items":{"x-kubernetes-preserve-unknown-fields":true}},
"any":{"x-kubernetes-preserve-unknown-fields":true},
"names":{"x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-list-type":"set","items":{"type":"string"}}}}`

// custom returns an object of that schema.
func (g gen) custom() map[string]any {
	obj := map[string]any{}
	for name, values := range map[string][]any{
		"numbers": {int64(1), 1.0, 1.5, int64(2), int64(-3), 1e21},
		"ports": {map[string]any{"p": int64(1)}, map[string]any{"p": int64(1), "q": "UDP", "x": g.Word()},
			map[string]any{"p": int64(2), "x": map[string]any{g.Word(): g.Word()}}, map[string]any{"q": "UDP"}},
		"list":   {int64(1), "a", map[string]any{"a": g.Word()}},
		"names":  {"a", "b", "c", "d"},
		"any":    {map[string]any{"b": g.Word()}, int64(1)},
		"atomic": {},
	} {
		list := []any{}
		for _, i := range g.Perm(len(values)) {
			if g.OneIn(2) {
				list = append(list, values[i])
			}
		}
		obj[name] = list
	}
	for _, name := range []string{"any", "names", "atomic"} {
		if kind := g.IntN(4); name == "atomic" || kind == 0 {
			obj[name] = map[string]any{g.Word(): g.Word(), g.Word(): map[string]any{g.Word(): g.Word()}}
		} else if kind == 1 {
			obj[name] = g.Word()
		}
	}
	return obj
}

// scatter replaces a few values of a tree by null and by empty ones.
func (g gen) scatter(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if g.scatter(e); g.OneIn(12) {
				v[k] = []any{nil, nil, map[string]any{}, []any{}}[g.IntN(4)]
			}
		}
	case []any:
		for _, e := range v {
			g.scatter(e)
		}
	}
}

// Trees are merged as structured-merge-diff does it, duplicates, nulls and the order of lists included.
func TestMerged(t *testing.T) {
	crontabs := &schema.Resource{Custom: &schema.Custom{Schema: structural.Parse(objecttest.Parse(t, customLists))}}
	kinds := []*schema.Resource{pods, services, deployments, configMaps, namespaces, scalersV2, widgets, crontabs, nil}
	count := make([]int, len(kinds))
	for i := range 9000 {
		g, which := newGen(uint64(i), 5, i%2 == 0), i%len(kinds)
		r := cmp.Or(kinds[which], pods)
		random := func(opts ...typed.ValidationOptions) (any, *typed.TypedValue) {
			var obj map[string]any
			switch kinds[which] {
			case nil:
				obj = randomPod(g.Rand, len(opts) > 0)
			case crontabs:
				obj = g.custom()
			default:
				obj = g.Object(cmp.Or(r.Type(), configMaps.Type()), 0)
			}
			if !g.OneIn(3) {
				g.scatter(obj)
			}
			v, err := typed.AsTyped(value.NewValueInterface(obj), parserOf(r).Schema, parserOf(r).TypeRef, opts...)
			if err != nil {
				return obj, nil
			}
			return obj, v
		}
		live, was := random(typed.AllowDuplicates)
		wanted, is := random()
		if was == nil || is == nil {
			continue
		}
		count[which]++
		before := encode(live) + encode(wanted)
		made, err := was.Merge(is)
		if err != nil {
			t.Fatal(err)
		}
		want := encode(made.AsValue().Unstructured())
		if got := encode(merged(was, is).AsValue().Unstructured()); got != want {
			t.Fatalf("%s with\n%s is\n%s want\n%s", encode(live), encode(wanted), got, want)
		}
		if encode(live)+encode(wanted) != before {
			t.Fatalf("merging has changed %s to %s%s", before, encode(live), encode(wanted))
		}
	}
	t.Log(count)
	for which, n := range count {
		if n < 100 {
			t.Errorf("kind %d: only %d were merged", which, n)
		}
	}
}
