package patches

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/tabernetes/tabernetes/core/schema"
)

// gen makes objects and patches for them. Names and values are few, so that
// patches meet what is there.
type gen struct{ *rand.Rand }

func (g gen) oneIn(n int) bool { return g.IntN(n) == 0 }

func (g gen) word() string { return string(rune('a' + g.IntN(4))) }

// object is a struct of a type with some of its fields. Deep down there are few.
func (g gen) object(t *schema.Type, depth int) map[string]any {
	m := map[string]any{}
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Name == "kind" || f.Name == "apiVersion" || f.Name == "managedFields" {
			continue
		}
		if !g.oneIn(2+depth*2+len(t.Fields)/6) && !g.wanted(f) {
			continue
		}
		if f.Type.Kind == schema.List && f.PatchMergeKey != "" {
			m[f.Name] = g.keyed(f, depth)
			continue
		}
		if f.Type.Kind == schema.List && f.PatchStrategy == "merge" {
			// Of values that are there twice the real code makes what the spare room
			// behind the list lets it.
			m[f.Name] = []any{"a", "b", "c"}[:g.IntN(4)]
			continue
		}
		m[f.Name] = g.value(f.Type, depth+1)
	}
	return m
}

// wanted are fields that objects should have most times: those that merge.
func (g gen) wanted(f *schema.Field) bool {
	return (f.PatchMergeKey != "" || f.PatchStrategy != "" || f.Name == "spec" || f.Name == "metadata" || f.Name == "template") && g.oneIn(2)
}

// keyed is a list whose items have different keys, most times.
func (g gen) keyed(f *schema.Field, depth int) []any {
	l := []any{}
	for range g.IntN(4) {
		item := g.object(f.Type.Elem, depth+2)
		item[f.PatchMergeKey] = g.key(f)
		l = append(l, item)
	}
	return l
}

func (g gen) key(f *schema.Field) any {
	if k := f.Type.Elem.Field(f.PatchMergeKey); k != nil && k.Type.Kind != schema.String {
		return int64(g.IntN(4) + 80)
	}
	return g.word()
}

func (g gen) value(t *schema.Type, depth int) any {
	switch t.Kind {
	case schema.Struct:
		if depth > 8 {
			return map[string]any{}
		}
		return g.object(t, depth)
	case schema.Map:
		m := map[string]any{}
		for range g.IntN(3) {
			m[g.word()] = g.value(t.Elem, depth+1)
		}
		return m
	case schema.List:
		l := []any{}
		for range g.IntN(4) {
			l = append(l, g.value(t.Elem, depth+1))
		}
		return l
	case schema.String:
		return g.word()
	case schema.Bool:
		return g.oneIn(2)
	case schema.Int32, schema.Int64:
		return int64(g.IntN(3))
	case schema.Float64:
		return float64(g.IntN(3)) / 2
	case schema.Bytes:
		return []string{"", "YQ==", "Yg=="}[g.IntN(3)]
	case schema.Time:
		return "2026-01-01T00:00:00Z"
	case schema.MicroTime:
		return "2026-01-01T00:00:00.000001Z"
	case schema.Duration:
		return "1m0s"
	case schema.Quantity:
		return []any{"1", "500m", "1Gi"}[g.IntN(3)]
	case schema.IntOrString:
		return []any{int64(1), "25%"}[g.IntN(2)]
	}
	return map[string]any{"a": int64(1)}
}

// anything is a value of no type.
func (g gen) anything() any {
	return []any{nil, "x", int64(7), int64(1 << 40), 1.5, 2.0, true, []any{}, map[string]any{}, []any{int64(1), "x"}, []any{[]any{"x"}},
		[]any{map[string]any{"name": "a"}, "x"}, map[string]any{"a": nil}, []any{nil}, "$patch",
		json.RawMessage("1.0"), json.RawMessage("1E2"), json.RawMessage(`"\u0061"`), json.RawMessage(`{"a":{"b":null},"a":1,"<":"<"}`), json.RawMessage("-0")}[g.IntN(20)]
}

// patch is a strategic merge patch for a struct. wild is how often (one in) it
// does what no sensible client does.
func (g gen) patch(t *schema.Type, depth, wild int) map[string]any {
	m := map[string]any{}
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Name == "kind" || f.Name == "apiVersion" || f.Name == "managedFields" {
			continue
		}
		if g.oneIn(3+depth*2+len(t.Fields)/6) || g.wanted(f) {
			g.patchField(m, f, depth, wild)
		}
	}
	g.directives(m, wild)
	if g.oneIn(12) {
		m["unknown"] = g.anything()
	}
	return m
}

func (g gen) directives(m map[string]any, wild int) {
	if g.oneIn(12) {
		m["$patch"] = []any{"replace", "delete"}[g.IntN(2)]
	}
	if g.oneIn(wild) {
		m["$patch"] = []any{"merge", "x", nil, int64(1)}[g.IntN(4)]
	}
	if g.oneIn(8) {
		keys := []any{}
		for key := range m {
			if !g.oneIn(wild) {
				keys = append(keys, key)
			}
		}
		if g.oneIn(2) {
			keys = append(keys, "spec", "metadata", "name")
		}
		m["$retainKeys"] = keys
		if g.oneIn(wild) {
			m["$retainKeys"] = g.anything()
		}
	}
}

func (g gen) patchField(m map[string]any, f *schema.Field, depth, wild int) {
	switch {
	case g.oneIn(10):
		m[f.Name] = nil
		return
	case g.oneIn(wild):
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
		entries, _ := g.value(f.Type, depth).(map[string]any)
		if g.oneIn(4) {
			entries[g.word()] = nil
		}
		g.directives(entries, wild)
		m[f.Name] = entries
		return
	case schema.List:
		g.patchList(m, f, depth, wild)
		return
	}
	m[f.Name] = g.value(f.Type, depth)
}

func (g gen) patchList(m map[string]any, f *schema.Field, depth, wild int) {
	var l []any
	switch {
	case f.Type.Elem.Kind == schema.Struct:
		for range g.IntN(4) {
			item := g.patch(f.Type.Elem, depth+2, wild)
			if f.PatchMergeKey != "" && !g.oneIn(wild) {
				item[f.PatchMergeKey] = g.key(f)
			}
			if g.oneIn(6) {
				item = map[string]any{f.PatchMergeKey: g.key(f), "$patch": "delete"}
			}
			if g.oneIn(15) {
				item = map[string]any{"$patch": "replace"}
			}
			l = append(l, item)
		}
	default:
		l, _ = g.value(f.Type, depth).([]any)
	}
	if g.oneIn(wild) {
		l = append(l, g.anything())
	}
	if !g.oneIn(6) || l != nil && g.oneIn(2) {
		m[f.Name] = l
		if l == nil {
			m[f.Name] = []any{}
		}
	}
	if f.Type.Elem.Kind == schema.String && g.oneIn(4) || g.oneIn(wild) {
		m["$deleteFromPrimitiveList/"+f.Name] = []any{g.word(), g.word()}
		if g.oneIn(wild) {
			m["$deleteFromPrimitiveList/"+f.Name] = g.anything()
		}
	}
	if g.oneIn(4) {
		m["$setElementOrder/"+f.Name] = g.order(l, f)
		if g.oneIn(wild) {
			m["$setElementOrder/"+f.Name] = g.anything()
		}
	}
}

// order is the order of a list as kubectl would write it, with more items.
func (g gen) order(l []any, f *schema.Field) []any {
	order := []any{}
	for _, item := range l {
		for g.oneIn(3) {
			order = append(order, g.orderItem(f))
		}
		if m, ok := item.(map[string]any); ok {
			item = map[string]any{f.PatchMergeKey: m[f.PatchMergeKey]}
		}
		if !g.oneIn(8) {
			order = append(order, item)
		}
	}
	for g.oneIn(2) {
		order = append(order, g.orderItem(f))
	}
	return order
}

func (g gen) orderItem(f *schema.Field) any {
	if f.PatchMergeKey != "" {
		return map[string]any{f.PatchMergeKey: g.key(f)}
	}
	if f.Type.Elem.Kind == schema.Struct {
		return map[string]any{"name": g.word()}
	}
	return g.word()
}

// pointer is a path of a JSON patch into a document, most times one that leads
// somewhere.
func (g gen) pointer(doc any) string {
	path := ""
	for !g.oneIn(4) {
		switch v := doc.(type) {
		case map[string]any:
			key := g.word()
			for k := range v {
				if g.oneIn(3) {
					key = k
				}
			}
			path += "/" + key
			doc = v[key]
		case []any:
			i := g.IntN(len(v)+2) - g.IntN(2)
			step := fmt.Sprint(i)
			if g.oneIn(5) {
				step = []string{"-", "-1", "01", "1e0", "", "x", "+1", "-0"}[g.IntN(8)]
			}
			path += "/" + step
			doc = nil
			if i >= 0 && i < len(v) {
				doc = v[i]
			}
		default:
			if g.oneIn(2) {
				return path
			}
			path += []string{"/", "/a", "/~1", "/~0", "/~", "a"}[g.IntN(6)]
		}
	}
	return path
}
