package patch

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
)

// mergeList merges a list as its field says: by its key, or as a set if its
// items are no maps. The items of the patch come in its order, the others stay
// where they were in between. deletes says that the patch lists what has to go,
// which only lists of scalars know.
//
// Items of old are deleted in its place, and new ones follow there. A caller that
// then asks for their order in old finds the new where the deleted were, as in
// the real server.
func mergeList(old, patch []any, f fieldMeta, deletes bool) ([]any, error) {
	if f.strategy != "merge" && !deletes {
		return patch, nil
	}
	if len(old) == 0 && len(patch) == 0 {
		return old, nil
	}
	maps, err := ofMaps(old, patch)
	if err != nil {
		return nil, err
	}
	var merged []any
	switch {
	case !maps && deletes:
		return slices.DeleteFunc(slices.Clone(old), func(v any) bool { return index(patch, v, false, "") >= 0 }), nil
	case !maps:
		for _, item := range slices.Concat(old, patch) {
			if index(merged, item, false, "") < 0 {
				merged = append(merged, item)
			}
		}
	case f.mergeKey == "":
		return nil, fmt.Errorf("cannot merge lists without merge key for %s", f.kind())
	default:
		if old, patch, err = directives(old, patch, f.mergeKey); err != nil {
			return nil, err
		}
		if merged, err = mergeItems(old, patch, f); err != nil {
			return nil, err
		}
	}
	ordered, others, err := split(merged, patch, f.mergeKey)
	if err != nil {
		return nil, err
	}
	return arrange(ordered, others, patch, old, maps, f.mergeKey)
}

// mergeItems merges each item of a patch into the one with its key.
func mergeItems(merged, patch []any, f fieldMeta) ([]any, error) {
	for _, item := range patch {
		m := item.(map[string]any)
		key, err := keyOf(m, f.mergeKey)
		if err != nil {
			return nil, err
		}
		at, err := find(merged, f.mergeKey, key)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			merged = append(merged, m)
			continue
		}
		if merged[at], err = mergeStruct(merged[at].(map[string]any), m, f.typed); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

// directives carries out the items of a patch that are directives, and returns
// both lists without what they are about.
func directives(old, patch []any, mergeKey string) (rest, plain []any, err error) {
	replace := false
	plain = []any{}
	for _, item := range patch {
		m := item.(map[string]any)
		d, ok := m[directive]
		if !ok {
			plain = append(plain, item)
			continue
		}
		switch d {
		case "delete":
			key, err := keyOf(m, mergeKey)
			if err != nil {
				return nil, nil, err
			}
			for at, _ := find(old, mergeKey, key); at >= 0; at, _ = find(old, mergeKey, key) {
				old = append(old[:at], old[at+1:]...) // keeps what is behind the end, see mergeList
			}
		case "replace":
			replace = true
		case "merge":
			return nil, nil, errors.New("merging lists cannot yet be specified in the patch")
		default:
			return nil, nil, badDirective(d, m)
		}
	}
	if replace {
		return plain, nil, nil
	}
	return old, plain, nil
}

// find is the place in a list of the map with a merge key; -1 if there is none.
func find(list []any, mergeKey string, key any) (int, error) {
	for i, item := range list {
		m, ok := item.(map[string]any)
		if !ok {
			return 0, fmt.Errorf("value for key %v is not a map", i)
		}
		if have, ok := m[mergeKey]; ok && equal(have, key) {
			return i, nil
		}
	}
	return -1, nil
}

// split parts the items of a list that are in an order from the others.
func split(list, order []any, mergeKey string) (ordered, others []any, err error) {
	for _, item := range list {
		in := false
		if mergeKey == "" {
			in = index(order, item, false, "") >= 0
		} else {
			key, err := keyOf(item, mergeKey)
			if err != nil {
				return nil, nil, err
			}
			at, err := find(order, mergeKey, key)
			if err != nil {
				return nil, nil, err
			}
			in = at >= 0
		}
		if in {
			ordered = append(ordered, item)
		} else {
			others = append(others, item)
		}
	}
	return ordered, others, nil
}

// arrange brings the parts of a list together: each in its order, and of both the
// one in front that was in front before; if one of them is new, what the patch
// orders is.
func arrange(ordered, others, order, before []any, maps bool, mergeKey string) ([]any, error) {
	ordered, err := inOrder(ordered, order, maps, mergeKey)
	if err != nil {
		return nil, err
	}
	if others, err = inOrder(others, before, maps, mergeKey); err != nil {
		return nil, err
	}
	all := make([]any, 0, len(ordered)+len(others))
	for len(ordered) > 0 && len(others) > 0 {
		this, other := index(before, ordered[0], maps, mergeKey), index(before, others[0], maps, mergeKey)
		if this >= 0 && other >= 0 && other < this {
			all, others = append(all, others[0]), others[1:]
		} else {
			all, ordered = append(all, ordered[0]), ordered[1:]
		}
	}
	return append(append(all, ordered...), others...), nil
}

// inOrder sorts a list. What is to be deleted goes to its end.
func inOrder(list, order []any, maps bool, mergeKey string) ([]any, error) {
	var deleted []any
	if maps {
		for _, item := range slices.Concat(list, order) {
			if _, err := keyOf(item, mergeKey); err != nil {
				return nil, err
			}
		}
		var err error
		if list, deleted, err = splitDeleted(list); err != nil {
			return nil, err
		}
	}
	// An item that is not in the order is less than any, even itself. What comes of
	// that is as the real server has it, for it sorts by the same algorithm.
	sort.SliceStable(list, func(i, j int) bool {
		x, y := index(order, list[i], maps, mergeKey), index(order, list[j], maps, mergeKey)
		return x < 0 || y < 0 || x < y
	})
	return append(list, deleted...), nil
}

// splitDeleted parts the items of a list of maps that are directives to delete
// from the others.
func splitDeleted(list []any) (staying, deleted []any, err error) {
	for _, item := range list {
		m, ok := item.(map[string]any)
		switch {
		case !ok:
			return nil, nil, badType(m, item)
		case m[directive] == "delete":
			deleted = append(deleted, item)
		default:
			staying = append(staying, item)
		}
	}
	return staying, deleted, nil
}

// index is the place of an item in a list, by its key if it is a map; -1 if it is
// not there.
func index(list []any, item any, maps bool, mergeKey string) int {
	value := func(item any) any {
		if !maps {
			return item
		}
		m, _ := item.(map[string]any)
		return m[mergeKey]
	}
	want := value(item)
	return slices.IndexFunc(list, func(x any) bool { return equal(value(x), want) })
}

// ofMaps says whether the items of all lists are maps. They have to be of one
// type, and there has to be one.
func ofMaps(lists ...[]any) (bool, error) {
	var first reflect.Type
	for i, item := range slices.Concat(lists...) {
		t := reflect.TypeOf(item)
		switch {
		case i == 0 && t != nil && t.Kind() == reflect.Slice:
			return false, errListOfLists
		case i == 0:
			first = t
		case t != first:
			return false, errTypes(lists...)
		}
	}
	if len(slices.Concat(lists...)) == 0 {
		return false, errNoItems
	}
	return first != nil && first.Kind() == reflect.Map, nil
}
