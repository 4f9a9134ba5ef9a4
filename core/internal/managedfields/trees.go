package managedfields

import (
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Trees are merged here, with the result of structured-merge-diff's Merge, which takes quadratic
// time for long lists.

// merged returns the result of merging wanted into live, both of which match their type.
func merged(live, wanted *typed.TypedValue) *typed.TypedValue {
	tree := types{live.Schema()}.merge(live.AsValue().Unstructured(), wanted.AsValue().Unstructured(), live.TypeRef())
	return again(tree, live)
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

// sortedBy returns the indices of path elements in the order of these.
func sortedBy(keys []fieldpath.PathElement) []int {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return keys[a].Compare(keys[b]) })
	return order
}

// merge returns a tree of both, in which what is replaces what was. Neither is changed.
func (t types) merge(was, is any, ref smd.TypeRef) any {
	atom, _ := t.Resolve(ref)
	switch is := is.(type) {
	case nil: // removes no part that may have another owner
		switch was := was.(type) {
		case map[string]any:
			if atom.Map != nil && atom.Map.ElementRelationship != smd.Atomic && len(was) > 0 {
				return was
			}
		case []any:
			if associative(atom) && atom.Map == nil && atom.Scalar == nil && len(was) > 0 {
				return was
			}
		}
	case map[string]any:
		was, ok := was.(map[string]any)
		if !ok || atom.Map == nil || atom.Map.ElementRelationship == smd.Atomic || len(was) == 0 {
			return is
		}
		out := make(map[string]any, len(was)+len(is))
		maps.Copy(out, was)
		for name, v := range is {
			if old, there := was[name]; there {
				v = t.merge(old, v, t.field(atom.Map, name))
			}
			out[name] = v
		}
		return out
	case []any:
		if was, ok := was.([]any); ok && associative(atom) && len(was) > 0 {
			return t.list(was, is, atom.List)
		}
	}
	return is
}

func associative(atom smd.Atom) bool {
	return atom.List != nil && atom.List.ElementRelationship == smd.Associative
}

// list merges two associative lists. Items of both are in the order of the new list; items of the
// old list only stay between their neighbours.
func (t types) list(was, is []any, l *smd.List) []any {
	keys := t.keys(l, slices.Concat(was, is))
	if keys == nil { // they do not match the type
		return is
	}
	ids := make([]int, len(keys)) // equal for equal keys
	order := sortedBy(keys)
	for i, at := range order[1:] {
		ids[at] = ids[order[i]]
		if keys[at].Compare(keys[order[i]]) != 0 {
			ids[at]++
		}
	}
	old, new := ids[:len(was)], ids[len(was):]
	now, done := make([]bool, len(ids)), make([]bool, len(ids))
	before := make([]int, len(ids)) // where an old item is, plus 1; duplicates, which are not merged, have -1
	for i, id := range old {
		if before[id] == 0 {
			before[id] = i + 1
		} else {
			before[id] = -1
		}
	}
	var shared []int // the items of both that are not yet merged, in the new order
	for _, id := range new {
		now[id] = true
		if before[id] != 0 {
			shared = append(shared, id)
		}
	}
	out := make([]any, 0, max(len(was), len(is)))
	for i, j := 0, 0; i < len(old) || j < len(new); {
		if i < len(old) {
			switch id := old[i]; {
			case !now[id]:
				out = append(out, was[i])
				i++
				continue
			case j < len(new) && id != new[j] && len(shared) > 0 && id != shared[0]: // it has another place
				i++
				continue
			case done[id] || j < len(new) && id == new[j]:
				i++
			}
		}
		if j == len(new) {
			continue
		}
		id, v := new[j], is[j]
		if at := before[id]; at > 0 {
			v = t.merge(was[at-1], v, l.ElementType)
		}
		if before[id] != 0 {
			shared = shared[1:]
		}
		done[id], out = true, append(out, v)
		j++
	}
	return out
}
