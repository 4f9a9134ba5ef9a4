package patch

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
)

// mergeList merges a list as its field says: by its key, or as a set if its items are no maps. The
// items of the patch come in its order, the others stay where they were in between. deletes is set
// for a list of items to delete, which only lists of scalars have.
//
// Items of old are deleted in place, and new ones follow. A caller that then sorts by the order in
// old finds new items at the positions of deleted ones, as in the real server.
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
		gone := ranksOf(patch, false, "")
		return slices.DeleteFunc(slices.Clone(old), func(v any) bool { return gone.position(v) >= 0 }), nil
	case !maps:
		all := slices.Concat(old, patch)
		ranks := ranksOf(all, false, "")
		for i, item := range all {
			if ranks.position(item) == i {
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
	places := positionsOf(merged, f.mergeKey)
	for _, item := range patch {
		m := item.(map[string]any)
		key, err := keyOf(m, f.mergeKey)
		if err != nil {
			return nil, err
		}
		at, err := places.find(key)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			places.add(m, len(merged))
			merged = append(merged, m)
			continue
		}
		new, err := mergeStruct(merged[at].(map[string]any), m, f.typed)
		if err != nil {
			return nil, err
		}
		places.changed(key, new)
		merged[at] = new
	}
	return merged, nil
}

// directives applies the items of a patch that are directives, and returns both lists without the
// items concerned.
func directives(old, patch []any, mergeKey string) (rest, plain []any, err error) {
	replace := false
	plain = []any{}
	gone := deletion{list: old, mergeKey: mergeKey}
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
			gone.delete(key)
		case "replace":
			replace = true
		case "merge":
			return nil, nil, errors.New("merging lists cannot yet be specified in the patch")
		default:
			return nil, nil, badDirective(d, m)
		}
	}
	if rest = gone.rest(); replace {
		return plain, nil, nil
	}
	return rest, plain, nil
}

// deletion removes items from a list in place, all at once, but so that the array is left as if
// each had been removed separately: after the end of the remaining items comes, for each removed
// one, the item that was last before.
type deletion struct {
	list     []any
	mergeKey string
	places   *positions
	gone     []bool
	last     int   // the position of the last remaining item
	tail     []any // the last items, in the order of the deletions
}

// delete removes all items with a key.
func (d *deletion) delete(key any) {
	if d.places == nil {
		d.places, d.gone, d.last = positionsOf(d.list, d.mergeKey), make([]bool, len(d.list)), len(d.list)-1
	}
	if !isScalar(key) {
		return
	}
	for _, at := range d.places.at[key] {
		d.tail = append(d.tail, d.list[d.last])
		for d.gone[at] = true; d.last >= 0 && d.gone[d.last]; d.last-- {
		}
	}
	delete(d.places.at, key)
}

// rest returns the remaining list.
func (d *deletion) rest() []any {
	if len(d.tail) == 0 {
		return d.list
	}
	rest := d.list[:0]
	for at, item := range d.list {
		if !d.gone[at] {
			rest = append(rest, item)
		}
	}
	for i, item := range d.tail {
		d.list[len(d.list)-1-i] = item
	}
	return rest
}

// split separates the items of a list that are in an order from the others.
func split(list, order []any, mergeKey string) (ordered, others []any, err error) {
	var places *positions
	var ranks ranks
	if mergeKey == "" {
		ranks = ranksOf(order, false, "")
	} else {
		places = positionsOf(order, mergeKey)
	}
	for _, item := range list {
		in := false
		if mergeKey == "" {
			in = ranks.position(item) >= 0
		} else {
			key, err := keyOf(item, mergeKey)
			if err != nil {
				return nil, nil, err
			}
			at, err := places.find(key)
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

// arrange merges the two parts of a list: each keeps its order, and of both the next item is the
// one that was in front before; if one of them is new, the one that the patch orders.
func arrange(ordered, others, order, before []any, maps bool, mergeKey string) ([]any, error) {
	ordered, err := inOrder(ordered, order, maps, mergeKey)
	if err != nil {
		return nil, err
	}
	if others, err = inOrder(others, before, maps, mergeKey); err != nil {
		return nil, err
	}
	all := make([]any, 0, len(ordered)+len(others))
	ranks := ranksOf(before, maps, mergeKey)
	for len(ordered) > 0 && len(others) > 0 {
		this, other := ranks.position(ordered[0]), ranks.position(others[0])
		if this >= 0 && other >= 0 && other < this {
			all, others = append(all, others[0]), others[1:]
		} else {
			all, ordered = append(all, ordered[0]), ordered[1:]
		}
	}
	return append(append(all, ordered...), others...), nil
}

// inOrder sorts a list. Items to be deleted go to its end.
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
	// An item that is not in the order is less than any, even itself. The result is that of the real
	// server, since it uses the same sort algorithm.
	type ranked struct {
		item any
		at   int
	}
	ranks, rows := ranksOf(order, maps, mergeKey), make([]ranked, len(list))
	for i, item := range list {
		rows[i] = ranked{item, ranks.position(item)}
	}
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].at < 0 || rows[j].at < 0 || rows[i].at < rows[j].at })
	for i, row := range rows {
		list[i] = row.item
	}
	return append(list, deleted...), nil
}

// splitDeleted separates the items of a list of maps that are delete directives from the others.
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

// ofMaps reports whether the items of all lists are maps. They have to be of one type, and there
// has to be one.
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
