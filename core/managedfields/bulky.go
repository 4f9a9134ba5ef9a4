package managedfields

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// structured-merge-diff keeps sets as sorted lists, into which it puts what it meets one
// by one. Maps and lists with many entries that come in no order cost the square of their
// number then: each entry moves those behind it. So objects that have such are shown to
// it in order, and merged here.

// bulk is how many entries make a map or list too large to be shown as it is.
var bulk = 1000

// bulky reports whether anything in a value has that many entries.
func bulky(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		if len(v) >= bulk {
			return true
		}
		for _, e := range v {
			if bulky(e) {
				return true
			}
		}
	case []any:
		return len(v) >= bulk || slices.ContainsFunc(v, bulky)
	}
	return false
}

// read makes a typed value of a tree, if it fits the type.
func read(tree any, t typed.ParseableType, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	return typed.AsTyped(shown(tree, t.Schema, t.TypeRef), t.Schema, t.TypeRef, opts...)
}

// again returns another tree of the same type.
func again(tree any, like *typed.TypedValue) *typed.TypedValue {
	return typed.AsTypedUnvalidated(shown(tree, like.Schema(), like.TypeRef()), like.Schema(), like.TypeRef())
}

// shown returns a tree as structured-merge-diff gets to see it.
func shown(tree any, s *smd.Schema, ref smd.TypeRef) value.Value {
	if !bulky(tree) {
		return value.NewValueInterface(tree)
	}
	types := types{s}
	return root{inOrder(types.arranged(tree, ref)), tree}
}

// root is a tree that is shown in order, and is still what it is.
type root struct {
	value.Value
	tree any
}

func (r root) Unstructured() any { return r.tree }

// removed takes some fields out of an object.
func removed(obj *typed.TypedValue, fields *fieldpath.Set) *typed.TypedValue {
	plain := typed.AsTypedUnvalidated(value.NewValueInterface(obj.AsValue().Unstructured()), obj.Schema(), obj.TypeRef())
	return again(plain.RemoveItems(fields).AsValue().Unstructured(), obj)
}

// same reports whether two objects are the same, the order of all lists included.
func same(a, b *typed.TypedValue) bool {
	return value.Equals(value.NewValueInterface(a.AsValue().Unstructured()),
		value.NewValueInterface(b.AsValue().Unstructured()))
}

// merged returns what comes of merging wanted into live.
func merged(live, wanted *typed.TypedValue) (*typed.TypedValue, error) {
	was, is := live.AsValue().Unstructured(), wanted.AsValue().Unstructured()
	if bulky(was) || bulky(is) {
		m := merger{types: types{live.Schema()}}
		if tree := m.merge(was, is, live.TypeRef()); !m.unsure {
			return again(tree, live), nil
		}
	}
	made, err := live.Merge(wanted)
	if err != nil {
		return nil, err
	}
	return again(made.AsValue().Unstructured(), live), nil
}

// types finds its way in a schema.
type types struct{ *smd.Schema }

// field returns the type of what a map has under a name.
func (types) field(m *smd.Map, name string) smd.TypeRef {
	if f, ok := m.FindField(name); ok {
		return f.Type
	}
	return m.ElementType
}

// keys returns the path elements of a list's items, by which they are known; nil if there is
// one that has none.
func (t types) keys(l *smd.List, items []any) []fieldpath.PathElement {
	keys := make([]fieldpath.PathElement, len(items))
	for i, item := range items {
		if len(l.Keys) == 0 {
			switch item.(type) {
			case nil, map[string]any, []any:
				return nil
			}
			keys[i] = fieldpath.ValueElement(value.NewValueInterface(item))
			continue
		}
		m, ok := item.(map[string]any)
		if !ok {
			return nil
		}
		var fields value.FieldList
		for _, name := range l.Keys {
			v, ok := m[name]
			if !ok {
				atom, _ := t.Resolve(l.ElementType)
				if atom.Map == nil {
					return nil
				}
				field, _ := atom.Map.FindField(name)
				if v = field.Default; v == nil {
					continue
				}
			}
			fields = append(fields, value.Field{Name: name, Value: value.NewValueInterface(v)})
		}
		if len(fields) == 0 {
			return nil
		}
		fields.Sort()
		keys[i] = fieldpath.PathElement{Key: &fields}
	}
	return keys
}

// arranged returns a tree in which the lists whose items are known by their keys are in the
// order of these. Nothing is changed.
func (t types) arranged(v any, ref smd.TypeRef) any {
	atom, _ := t.Resolve(ref)
	switch v := v.(type) {
	case map[string]any:
		if atom.Map == nil || atom.Map.ElementRelationship == smd.Atomic {
			return v
		}
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = t.arranged(e, t.field(atom.Map, name))
		}
		return out
	case []any:
		if atom.List == nil || atom.List.ElementRelationship != smd.Associative {
			return v
		}
		keys := t.keys(atom.List, v)
		if keys == nil {
			return v
		}
		order := make([]int, len(v))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return keys[a].Compare(keys[b]) })
		out := make([]any, len(v))
		for i, at := range order {
			out[i] = t.arranged(v[at], atom.List.ElementType)
		}
		return out
	}
	return v
}

// A merger merges trees as structured-merge-diff does.
type merger struct {
	types
	unsure bool // the library has to merge after all
}

func (m *merger) merge(was, is any, ref smd.TypeRef) any {
	atom, ok := m.Resolve(ref)
	if m.unsure = m.unsure || !ok || was == nil || is == nil; m.unsure {
		return nil
	}
	switch is := is.(type) {
	case map[string]any:
		was, ok := was.(map[string]any)
		if !ok || atom.Map == nil || atom.Map.ElementRelationship == smd.Atomic || len(was) == 0 && len(is) == 0 {
			return is
		}
		out := make(map[string]any, len(was)+len(is))
		for name, v := range was {
			out[name] = v
		}
		for name, v := range is {
			if old, there := was[name]; there {
				v = m.merge(old, v, m.field(atom.Map, name))
			}
			out[name] = v
		}
		return out
	case []any:
		was, ok := was.([]any)
		if !ok || atom.List == nil || atom.List.ElementRelationship != smd.Associative || len(was) == 0 && len(is) == 0 {
			return is
		}
		return m.list(was, is, atom.List)
	}
	return is
}

// list merges two lists whose items are known by their keys. Items of both are where
// the new list has them; those that only the old list has stay between those that they
// were between.
func (m *merger) list(was, is []any, l *smd.List) []any {
	old, new := m.ids(was, l), m.ids(is, l)
	if m.unsure {
		return nil
	}
	before, now := map[string]int{}, map[string]int{}
	for i, id := range old {
		if _, twice := before[id]; twice {
			i = -1 // what is there twice is not merged with what is new
		}
		before[id] = i
	}
	var shared []string // what both have, in the new order
	for i, id := range new {
		now[id] = i
		if _, ok := before[id]; ok {
			shared = append(shared, id)
		}
	}
	out, done := make([]any, 0, max(len(was), len(is))), map[string]bool{}
	take := func(id string) {
		done[id] = true
		v := is[now[id]]
		if at, ok := before[id]; ok && at >= 0 {
			v = m.merge(was[at], v, l.ElementType)
		}
		out = append(out, v)
	}
	next := func() {
		if len(shared) > 0 {
			shared = shared[1:]
		}
	}
	for i, j := 0, 0; i < len(old) || j < len(new); {
		if i < len(old) && j < len(new) {
			if old[i] == new[j] {
				take(new[j])
				i, j = i+1, j+1
				next()
				continue
			}
			if _, ok := now[old[i]]; ok && len(shared) > 0 && shared[0] != old[i] {
				i++ // it comes later
				continue
			}
		}
		if i < len(old) {
			if _, ok := now[old[i]]; !ok {
				out = append(out, was[i])
				i++
				continue
			}
			if done[old[i]] {
				i++
			}
		}
		if j < len(new) {
			take(new[j])
			if len(shared) > 0 && shared[0] == new[j] {
				next()
			}
			j++
		}
	}
	return out
}

// ids returns the keys of items as texts.
func (m *merger) ids(items []any, l *smd.List) []string {
	keys := m.keys(l, items)
	if m.unsure = m.unsure || keys == nil; m.unsure {
		return nil
	}
	ids := make([]string, len(keys))
	for i, key := range keys {
		var err error
		if ids[i], err = fieldpath.SerializePathElement(key); err != nil {
			m.unsure = true
		}
	}
	return ids
}
