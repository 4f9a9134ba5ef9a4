package managedfields

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// structured-merge-diff keeps sets as sorted lists, into which it inserts items one by one. With
// many entries in random order that takes quadratic time: each insertion moves the entries after
// it. So large objects are passed to it in order, and lists are merged here.

// largeSize is the number of entries from which a map or list is passed in order.
var largeSize = 1000

// isLarge reports whether any map or list in a value is that large.
func isLarge(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		if len(v) >= largeSize {
			return true
		}
		for _, e := range v {
			if isLarge(e) {
				return true
			}
		}
	case []any:
		return len(v) >= largeSize || slices.ContainsFunc(v, isLarge)
	}
	return false
}

// read makes a typed value of a tree, if it matches the type.
func read(tree any, t typed.ParseableType, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	return typed.AsTyped(shown(tree, t.Schema, t.TypeRef), t.Schema, t.TypeRef, opts...)
}

// again returns another tree of the same type.
func again(tree any, like *typed.TypedValue) *typed.TypedValue {
	return typed.AsTypedUnvalidated(shown(tree, like.Schema(), like.TypeRef()), like.Schema(), like.TypeRef())
}

// shown returns a tree in the form for structured-merge-diff.
func shown(tree any, s *smd.Schema, ref smd.TypeRef) value.Value {
	if !isLarge(tree) {
		return value.NewValueInterface(tree)
	}
	types := types{s}
	return root{inOrder(types.arranged(tree, ref)), tree}
}

// root is a tree that is iterated in order, and can be got back.
type root struct {
	value.Value
	tree any
}

func (r root) Unstructured() any { return r.tree }

// removed returns an object without some fields.
func removed(obj *typed.TypedValue, fields *fieldpath.Set) *typed.TypedValue {
	plain := typed.AsTypedUnvalidated(value.NewValueInterface(obj.AsValue().Unstructured()), obj.Schema(), obj.TypeRef())
	return again(plain.RemoveItems(fields).AsValue().Unstructured(), obj)
}

// same reports whether two objects are equal, including the order of all lists.
func same(a, b *typed.TypedValue) bool {
	return value.Equals(value.NewValueInterface(a.AsValue().Unstructured()),
		value.NewValueInterface(b.AsValue().Unstructured()))
}

// merged returns the result of merging wanted into live.
func merged(live, wanted *typed.TypedValue) (*typed.TypedValue, error) {
	was, is := live.AsValue().Unstructured(), wanted.AsValue().Unstructured()
	if isLarge(was) || isLarge(is) {
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

// types looks up types in a schema.
type types struct{ *smd.Schema }

// field returns the type of an entry of a map.
func (types) field(m *smd.Map, name string) smd.TypeRef {
	if f, ok := m.FindField(name); ok {
		return f.Type
	}
	return m.ElementType
}

// keys returns the path elements of the items of an associative list; nil if one of them has none.
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

// arranged returns a tree in which associative lists are sorted by their keys. Nothing is changed.
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
	unsure bool // the library has to do it
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

// list merges two associative lists. Items of both are in the order of the new list; items of the
// old list only stay between their neighbours.
func (m *merger) list(was, is []any, l *smd.List) []any {
	old, new := m.ids(was, l), m.ids(is, l)
	if m.unsure {
		return nil
	}
	before, now := map[string]int{}, map[string]int{}
	for i, id := range old {
		if _, twice := before[id]; twice {
			i = -1 // duplicates are not merged with new items
		}
		before[id] = i
	}
	var shared []string // the items of both, in the new order
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

// ids returns the keys of items as strings.
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
