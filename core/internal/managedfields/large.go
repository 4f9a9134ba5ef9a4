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
// it. So large objects are passed to it in order where it makes sets of fields of them. What is
// stored never comes from there: the order of lists is the clients'.

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
	return root{inOrder(types{s}.arranged(tree, ref)), tree}
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

// arranged returns a tree in which associative lists are sorted by their keys. Nothing is changed.
//
// Items with the same keys stay as they are, in their order: structured-merge-diff compares them as
// a whole, perhaps with those of an object that is not large, and so is not arranged.
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
		out, order := make([]any, len(v)), sortedBy(keys)
		equal := func(i, j int) bool {
			return j >= 0 && j < len(order) && keys[order[i]].Compare(keys[order[j]]) == 0
		}
		for i, at := range order {
			if out[i] = v[at]; !equal(i, i-1) && !equal(i, i+1) {
				out[i] = t.arranged(v[at], atom.List.ElementType)
			}
		}
		return out
	}
	return v
}
