package patches

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/schema/schematest"
)

// gen makes objects and patches for them.
type gen struct{ schematest.Generator }

func newGen(stream uint64) gen {
	return gen{schematest.Generator{
		Rand: rand.New(rand.NewPCG(*seed, stream)), Words: []string{"a", "b", "c", "d"},
		Without: func(f *schema.Field, _ int) bool { return unpatched(f) },
		// For duplicate values the result of the real code depends on the spare capacity of the list; items
		// may be duplicates.
		Doubles: 1,
	}}
}

// unpatched reports whether neither objects nor patches get a field.
func unpatched(f *schema.Field) bool {
	return f.Name == "kind" || f.Name == "apiVersion" || f.Name == "managedFields"
}

// key returns a key for an item of a list that may have none.
func (g gen) key(f *schema.Field) any {
	if key := f.Type.Elem.Field(f.PatchMergeKey); key != nil {
		return g.Key(key)
	}
	return g.Word()
}

// anything returns a value of any type.
func (g gen) anything() any {
	return []any{nil, "x", int64(7), int64(1 << 40), 1.5, 2.0, true, []any{}, map[string]any{}, []any{int64(1), "x"},
		[]any{[]any{"x"}},
		[]any{map[string]any{"name": "a"}, "x"}, map[string]any{"a": nil}, []any{nil}, "$patch",
		json.RawMessage("1.0"), json.RawMessage("1E2"), json.RawMessage(`"\u0061"`),
		json.RawMessage(`{"a":{"b":null},"a":1,"<":"<"}`), json.RawMessage("-0")}[g.IntN(20)]
}

// patch returns a strategic merge patch for a struct. wild is how often (one in) it contains what
// no sensible client sends.
func (g gen) patch(t *schema.Type, depth, wild int) map[string]any {
	m := map[string]any{}
	for i := range t.Fields {
		f := &t.Fields[i]
		if unpatched(f) {
			continue
		}
		if g.OneIn(3+depth*2+len(t.Fields)/6) || schematest.Merges(f) && g.OneIn(2) {
			g.patchField(m, f, depth, wild)
		}
	}
	g.directives(m, wild)
	if g.OneIn(12) {
		m["unknown"] = g.anything()
	}
	return m
}

func (g gen) directives(m map[string]any, wild int) {
	if g.OneIn(12) {
		m["$patch"] = []any{"replace", "delete"}[g.IntN(2)]
	}
	if g.OneIn(wild) {
		m["$patch"] = []any{"merge", "x", nil, int64(1)}[g.IntN(4)]
	}
	if g.OneIn(8) {
		keys := []any{}
		for _, key := range schematest.Keys(m) {
			if !g.OneIn(wild) {
				keys = append(keys, key)
			}
		}
		if g.OneIn(2) {
			keys = append(keys, "spec", "metadata", "name")
		}
		m["$retainKeys"] = keys
		if g.OneIn(wild) {
			m["$retainKeys"] = g.anything()
		}
	}
}

func (g gen) patchField(m map[string]any, f *schema.Field, depth, wild int) {
	switch {
	case g.OneIn(10):
		m[f.Name] = nil
		return
	case g.OneIn(wild):
		m[f.Name] = g.anything()
		return
	}
	switch f.Type.Kind {
	case schema.Struct:
		if depth <= 6 {
			m[f.Name] = g.patch(f.Type, depth+1, wild)
		}
		return
	case schema.Map:
		entries, _ := g.Value(f.Type, depth).(map[string]any)
		if g.OneIn(4) {
			entries[g.Word()] = nil
		}
		g.directives(entries, wild)
		m[f.Name] = entries
		return
	case schema.List:
		g.patchList(m, f, depth, wild)
		return
	}
	m[f.Name] = g.Value(f.Type, depth)
}

func (g gen) patchList(m map[string]any, f *schema.Field, depth, wild int) {
	var l []any
	switch {
	case f.Type.Elem.Kind == schema.Struct:
		for range g.IntN(4) {
			item := g.patch(f.Type.Elem, depth+2, wild)
			if f.PatchMergeKey != "" && !g.OneIn(wild) {
				item[f.PatchMergeKey] = g.key(f)
			}
			if g.OneIn(6) {
				item = map[string]any{f.PatchMergeKey: g.key(f), "$patch": "delete"}
			}
			if g.OneIn(15) {
				item = map[string]any{"$patch": "replace"}
			}
			l = append(l, item)
		}
	default:
		l, _ = g.Value(f.Type, depth).([]any)
	}
	if g.OneIn(wild) {
		l = append(l, g.anything())
	}
	if !g.OneIn(6) || l != nil && g.OneIn(2) {
		m[f.Name] = l
		if l == nil {
			m[f.Name] = []any{}
		}
	}
	if f.Type.Elem.Kind == schema.String && g.OneIn(4) || g.OneIn(wild) {
		m["$deleteFromPrimitiveList/"+f.Name] = []any{g.Word(), g.Word()}
		if g.OneIn(wild) {
			m["$deleteFromPrimitiveList/"+f.Name] = g.anything()
		}
	}
	if g.OneIn(4) {
		m["$setElementOrder/"+f.Name] = g.order(l, f)
		if g.OneIn(wild) {
			m["$setElementOrder/"+f.Name] = g.anything()
		}
	}
}

// order returns the order of a list as kubectl would write it, with more items.
func (g gen) order(l []any, f *schema.Field) []any {
	order := []any{}
	for _, item := range l {
		for g.OneIn(3) {
			order = append(order, g.orderItem(f))
		}
		if m, ok := item.(map[string]any); ok {
			item = map[string]any{f.PatchMergeKey: m[f.PatchMergeKey]}
		}
		if !g.OneIn(8) {
			order = append(order, item)
		}
	}
	for g.OneIn(2) {
		order = append(order, g.orderItem(f))
	}
	return order
}

func (g gen) orderItem(f *schema.Field) any {
	if f.PatchMergeKey != "" {
		return map[string]any{f.PatchMergeKey: g.key(f)}
	}
	if f.Type.Elem.Kind == schema.Struct {
		return map[string]any{"name": g.Word()}
	}
	return g.Word()
}

// pointer returns a path of a JSON patch into a document, mostly one that exists.
func (g gen) pointer(doc any) string {
	path := ""
	for !g.OneIn(4) {
		switch v := doc.(type) {
		case map[string]any:
			key := g.Word()
			for _, k := range schematest.Keys(v) {
				if g.OneIn(3) {
					key = k
				}
			}
			path += "/" + key
			doc = v[key]
		case []any:
			i := g.IntN(len(v)+2) - g.IntN(2)
			step := fmt.Sprint(i)
			if g.OneIn(5) {
				step = []string{"-", "-1", "01", "1e0", "", "x", "+1", "-0"}[g.IntN(8)]
			}
			path += "/" + step
			doc = nil
			if i >= 0 && i < len(v) {
				doc = v[i]
			}
		default:
			if g.OneIn(2) {
				return path
			}
			path += []string{"/", "/a", "/~1", "/~0", "/~", "a"}[g.IntN(6)]
		}
	}
	return path
}
