// Package schematest makes random objects of resource types, for tests. Names and values are few,
// so that writers often meet the same ones.
//
// The same source of randomness makes the same objects. An object costs some microseconds for each
// of its fields.
package schematest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/tabernetes/tabernetes/core/schema"
)

// deepest is the approximate maximum depth of nested structs.
const deepest = 7

// A Generator makes objects.
type Generator struct {
	*rand.Rand
	// Words are the strings to choose from; nil: a, b and c.
	Words []string
	// Without reports whether objects lack a field of a struct at that depth; nil: they may have all.
	Without func(f *schema.Field, depth int) bool
	// Doubles is how often, one in so many, a list has an item with the keys of another; 0: never.
	Doubles int
	// DoubleValues allows duplicate values in a set.
	DoubleValues bool
}

// OneIn reports true once in n times.
func (g Generator) OneIn(n int) bool { return g.IntN(n) == 0 }

// Word returns one of the words.
func (g Generator) Word() string {
	if g.Words == nil {
		return string(rune('a' + g.IntN(3)))
	}
	return g.Words[g.IntN(len(g.Words))]
}

// Keys returns the keys of a map, sorted. What is random for each entry repeats only in their order:
// Go's own differs from run to run.
func Keys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// Merges reports whether a field is more likely than others, because it is merged, or leads to such
// a field.
func Merges(f *schema.Field) bool {
	return f.ListType == "map" || f.ListType == "set" || f.PatchMergeKey != "" || f.PatchStrategy != "" ||
		f.Name == "spec" || f.Name == "metadata" || f.Name == "template"
}

// Object returns a struct of a type with some of its fields. At a greater depth there
// are fewer.
func (g Generator) Object(t *schema.Type, depth int) map[string]any {
	m := map[string]any{}
	for i := range t.Fields {
		f := &t.Fields[i]
		if g.Without != nil && g.Without(f, depth) {
			continue
		}
		if g.OneIn(2+depth+len(t.Fields)/5) || Merges(f) && g.OneIn(2) {
			m[f.Name] = g.field(f, depth)
		}
	}
	return m
}

func (g Generator) field(f *schema.Field, depth int) any {
	keys := f.ListMapKeys
	if len(keys) == 0 && f.PatchMergeKey != "" {
		keys = []string{f.PatchMergeKey}
	}
	switch {
	case f.Type.Kind != schema.List:
	case len(keys) > 0:
		return g.keyed(f.Type.Elem, keys, depth)
	case (f.ListType == "set" || f.PatchStrategy == "merge") && f.Type.Elem.Kind == schema.String:
		return g.set()
	}
	return g.Value(f.Type, depth+1)
}

func (g Generator) set() []any {
	l := []any{}
	for range g.IntN(4) {
		if word := g.Word(); g.DoubleValues || !slices.Contains(l, any(word)) {
			l = append(l, word)
		}
	}
	return l
}

// keyed returns a list of items with keys, some of which may be left out.
func (g Generator) keyed(t *schema.Type, keys []string, depth int) []any {
	l, taken := []any{}, map[string]bool{}
	for range g.IntN(4) {
		item := g.Object(t, depth+2)
		id := ""
		for i, name := range keys {
			f := t.Field(name)
			item[name] = g.Key(f)
			v := item[name]
			if i > 0 && g.OneIn(3) {
				delete(item, name)
				v = f.Default
			}
			id += fmt.Sprint("|", v)
		}
		if !taken[id] || g.Doubles > 0 && g.OneIn(g.Doubles) {
			l = append(l, item)
		}
		taken[id] = true
	}
	return l
}

// Key returns a value for a key field of the items of a list.
func (g Generator) Key(f *schema.Field) any {
	switch {
	case f.Type.Kind == schema.Int32 || f.Type.Kind == schema.Int64:
		return int64(80 + g.IntN(3))
	case f.Name == "protocol":
		return []any{"TCP", "UDP"}[g.IntN(2)]
	}
	return g.Word()
}

// Value returns a value of a type.
func (g Generator) Value(t *schema.Type, depth int) any {
	switch t.Kind {
	case schema.Struct:
		if depth > deepest {
			return map[string]any{}
		}
		return g.Object(t, depth)
	case schema.Map:
		m := map[string]any{}
		for range g.IntN(3) {
			m[g.Word()] = g.Value(t.Elem, depth+1)
		}
		return m
	case schema.List:
		l := []any{}
		for range g.IntN(3) {
			l = append(l, g.Value(t.Elem, depth+1))
		}
		return l
	case schema.String:
		return g.Word()
	case schema.Bool:
		return g.OneIn(2)
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
	case schema.Union:
		return true
	}
	return map[string]any{"a": int64(1)}
}
