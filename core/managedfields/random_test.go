package managedfields

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// gen makes objects. Names and values are few, so that writes meet what others
// have written.
type gen struct {
	*rand.Rand
	// wild says that lists may hold items twice, and texts need escapes.
	wild bool
}

func (g gen) oneIn(n int) bool { return g.IntN(n) == 0 }

func (g gen) word() string {
	if g.wild && g.oneIn(8) {
		return []string{`"`, `\`, "<&>", "é", " \u2028", "a,b", "\x01"}[g.IntN(7)]
	}
	return string(rune('a' + g.IntN(3)))
}

// stored is an object of a resource type, named x, as the server has it.
func (g gen) stored(t *testing.T, r *schema.Resource) map[string]any {
	t.Helper()
	obj := g.object(r.Type(), 0)
	object.SetTypeMeta(obj, r.APIVersion(), r.Kind)
	object.Meta(obj)["name"] = "x"
	obj, _, err := object.Normalize(obj, r.Type())
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

// given are fields of metadata that tests set, or nobody does.
var given = []string{"managedFields", "name", "namespace", "uid", "resourceVersion", "generation", "deletionTimestamp"}

// object is a struct with some of its fields. Deep down there are few.
func (g gen) object(t *schema.Type, depth int) map[string]any {
	m := map[string]any{}
	for i := range t.Fields {
		f := &t.Fields[i]
		if depth == 0 && (f.Name == "kind" || f.Name == "apiVersion") || depth <= 1 && slices.Contains(given, f.Name) {
			continue
		}
		listType, keys := listType(f)
		if !g.oneIn(2+depth+len(t.Fields)/5) && !((listType == "map" || listType == "set" || f.Name == "spec" || f.Name == "metadata") && g.oneIn(2)) {
			continue
		}
		if len(keys) > 0 {
			m[f.Name] = g.keyed(f.Type.Elem, keys, depth)
		} else {
			m[f.Name] = g.value(f.Type, depth+1)
		}
	}
	return m
}

// keyed is a list of items with keys, some of which may be left out.
func (g gen) keyed(t *schema.Type, keys []string, depth int) []any {
	l, used := []any{}, []string{}
	for range g.IntN(4) {
		item := g.object(t, depth+2)
		id := ""
		for i, name := range keys {
			var v any = g.word()
			if k := t.Field(name).Type.Kind; k == schema.Int32 || k == schema.Int64 {
				v = int64(80 + g.IntN(3))
			} else if name == "protocol" {
				v = []any{"TCP", "UDP"}[g.IntN(2)]
			}
			item[name] = v
			if i > 0 && g.oneIn(3) {
				delete(item, name)
				v = defaultOf(t.Field(name))
			}
			id += "|" + encode(v)
		}
		if !slices.Contains(used, id) || g.wild && g.oneIn(6) {
			l = append(l, item)
		}
		used = append(used, id)
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
			if v := g.value(t.Elem, depth+1); g.wild || t.Elem.Kind != schema.String || !slices.Contains(l, v) {
				l = append(l, v)
			}
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
	case schema.Union:
		return true
	}
	return map[string]any{"a": int64(1)}
}
