package managedfields

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/tabernetes/tabernetes/core/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Many writes change strings and numbers that only their manager owns: a status that is reported
// again and again. Then all entries stay as they are, except for the time of the manager's.

// owned does what compare would, if a write is of that kind; otherwise it returns false. live and
// obj are reduced to their differences; all entries have the write's version.
func (w Write) owned(g group, live, obj map[string]any, m *managed, who manager) bool {
	if g.kind == nil { // the schema of a custom resource may have changed meanwhile
		return false
	}
	id := who.id()
	own, ok := m.fields[id]
	if !ok {
		return false
	}
	sets := make([]*fieldpath.Set, 0, len(m.fields))
	for _, entry := range m.fields {
		sets = append(sets, entry.Set())
	}
	changed := fieldpath.NewSet()
	if !scalars(g.kind, live, obj, nil, sets, changed) {
		return false
	}
	if g.filter != nil {
		changed = g.filter.Filter(changed)
	}
	if changed = changed.Difference(stripped); changed.Empty() {
		return true
	}
	if !changed.Difference(own.Set()).Empty() {
		return false
	}
	for other, entry := range m.fields {
		if other != id && !entry.Set().Intersection(changed).Empty() {
			return false
		}
	}
	m.times[id] = w.time()
	return true
}

// scalars adds the paths of the differences to changed. It returns false if there is any difference
// other than changed scalars, and removed fields that are in none of sets, at this path.
func scalars(t *schema.Type, live, obj map[string]any, at fieldpath.Path, sets []*fieldpath.Set,
	changed *fieldpath.Set) bool {
	for name := range obj {
		if _, ok := live[name]; !ok {
			return false
		}
	}
	for _, name := range names(live) {
		was := live[name]
		step := fieldpath.PathElement{FieldName: &name}
		is, ok := obj[name]
		if !ok {
			for _, set := range sets {
				if _, below := set.Children.Get(step); below || set.Members.Has(step) {
					return false
				}
			}
			continue
		}
		path := append(at[:len(at):len(at)], step)
		switch was := was.(type) {
		case map[string]any:
			is, ok := is.(map[string]any)
			part := granular(t, name)
			if !ok || part == nil {
				return false
			}
			var below []*fieldpath.Set
			for _, set := range sets {
				if child, ok := set.Children.Get(step); ok {
					below = append(below, child)
				}
			}
			if !scalars(part, was, is, path, below, changed) {
				return false
			}
		case string, bool, int64:
			if reflect.TypeOf(was) != reflect.TypeOf(is) {
				return false
			}
			changed.Insert(path)
		default:
			return false
		}
	}
	return true
}

// names returns the keys of a map; sorted if there are many, as a set needs them.
func names(m map[string]any) []string {
	all := make([]string, 0, len(m))
	for name := range m {
		all = append(all, name)
	}
	if len(all) >= largeSize {
		slices.Sort(all)
	}
	return all
}

// granular returns the type of an entry of a struct or a map whose parts have their own owners;
// otherwise nil.
func granular(t *schema.Type, name string) *schema.Type {
	part, mapType := t.Elem, ""
	if t.Kind == schema.Struct {
		f := t.Field(name)
		if f == nil {
			return nil
		}
		part, mapType = f.Type, f.MapType
	}
	if part.Kind != schema.Struct && part.Kind != schema.Map || cmp.Or(mapType, part.MapType) == "atomic" {
		return nil
	}
	return part
}
