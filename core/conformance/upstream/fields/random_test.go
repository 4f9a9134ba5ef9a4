package fields

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tabernetes/tabernetes/core/schema"
)

// gen makes objects. Names and values are few, so that writes meet what others
// have written.
type gen struct {
	*rand.Rand
	// doubles says that lists may have items twice, and empty any that types allow.
	doubles bool
}

func (g gen) oneIn(n int) bool { return g.IntN(n) == 0 }

func (g gen) word() string { return string(rune('a' + g.IntN(3))) }

// left are fields that the server keeps to itself, or that tell nothing here.
var left = []string{"kind", "apiVersion", "managedFields", "name", "namespace", "uid", "resourceVersion", "creationTimestamp",
	"deletionTimestamp", "generation", "selfLink", "deletionGracePeriodSeconds", "generateName"}

// object is a struct of a type with some of its fields. Deep down there are few.
func (g gen) object(t *schema.Type, depth int) map[string]any {
	m := map[string]any{}
	for i := range t.Fields {
		f := &t.Fields[i]
		if depth <= 1 && slices.Contains(left, f.Name) || len(f.Embeds) > 0 && f.Embeds[0].Name == "TypeMeta" {
			continue // protobuf does not have the latter
		}
		merges := f.ListType == "map" || f.ListType == "set" || f.PatchStrategy != "" || f.Name == "spec" || f.Name == "metadata" || f.Name == "template"
		if !g.oneIn(2+depth+len(t.Fields)/5) && !(merges && g.oneIn(2)) {
			continue
		}
		m[f.Name] = g.field(f, depth)
	}
	return m
}

func (g gen) field(f *schema.Field, depth int) any {
	keys := f.ListMapKeys
	if len(keys) == 0 && f.PatchMergeKey != "" {
		keys = []string{f.PatchMergeKey}
	}
	switch {
	case f.Type.Kind != schema.List:
		return g.value(f.Type, depth+1)
	case len(keys) > 0:
		return g.keyed(f.Type.Elem, keys, depth)
	case (f.ListType == "set" || f.PatchStrategy == "merge") && f.Type.Elem.Kind == schema.String:
		l := []any{"a", "b", "c"}
		g.Shuffle(3, func(i, j int) { l[i], l[j] = l[j], l[i] })
		if g.doubles && g.oneIn(8) {
			l = append(l[:1:1], l...)
		}
		return l[:g.IntN(len(l)+1)]
	}
	return g.value(f.Type, depth+1)
}

// keyed is a list of items with keys, some of which may be left out.
func (g gen) keyed(t *schema.Type, keys []string, depth int) []any {
	l, taken := []any{}, map[any]bool{}
	for range g.IntN(4) {
		item := g.object(t, depth+2)
		id := ""
		for i, name := range keys {
			f := t.Field(name)
			var v any = g.word()
			switch {
			case f.Type.Kind == schema.Int32 || f.Type.Kind == schema.Int64:
				v = int64(80 + g.IntN(3))
			case name == "protocol":
				v = []any{"TCP", "UDP"}[g.IntN(2)]
			}
			item[name] = v
			if i > 0 && g.oneIn(3) {
				delete(item, name)
				v = f.Default
			}
			id += "|" + fmt.Sprint(v)
		}
		if !taken[id] || g.doubles && g.oneIn(6) {
			l = append(l, item)
		}
		taken[id] = true
	}
	return l
}

func (g gen) value(t *schema.Type, depth int) any {
	switch t.Kind {
	case schema.Struct:
		if depth > 7 {
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
		for range g.IntN(3) {
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
		return []string{"YQ==", "Yg=="}[g.IntN(2)]
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

// mix puts parts of over into tree: what a client does that changes some fields.
func (g gen) mix(tree, over map[string]any) {
	for k, v := range over {
		was, ok := tree[k].(map[string]any)
		if is, also := v.(map[string]any); ok && also && !g.oneIn(4) {
			g.mix(was, is)
		} else if g.oneIn(2) {
			tree[k] = v
		}
	}
	for k := range tree {
		if g.oneIn(12) && !slices.Contains(left, k) && k != "metadata" {
			delete(tree, k)
		}
	}
}
