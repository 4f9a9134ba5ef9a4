package patch

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/tabernetes/tabernetes/core/schema"
)

// The directives of a strategic merge patch.
const (
	directive     = "$patch"
	retainKeys    = "$retainKeys"
	elementOrder  = "$setElementOrder/"
	deleteElement = "$deleteFromPrimitiveList/"
)

var (
	errOrderFormat  = errors.New("invalid patch format of setElementOrder list")
	errRetainFormat = errors.New("invalid patch format of retainKeys")
)

// Strategic merges a patch into an object as the object's type says: structs
// field by field, lists by their merge keys where they have a patchMergeKey, and
// anything else by replacing it. Both trees are changed. Its errors are plain:
// the real server answers them with code 500 and their text.
//
// Merging a list costs the product of the lengths of both sides.
func Strategic(doc, patch map[string]any, t *schema.Type) (map[string]any, error) {
	return mergeStruct(doc, patch, t)
}

func mergeStruct(doc, patch map[string]any, t *schema.Type) (map[string]any, error) {
	if d, ok := patch[directive]; ok {
		switch d {
		case "replace":
			delete(patch, directive)
			return patch, nil
		case "delete":
			return map[string]any{}, nil
		}
		return nil, badDirective(d, patch)
	}
	if doc == nil {
		doc = map[string]any{}
	}
	if err := retain(doc, patch); err != nil {
		return nil, err
	}
	if err := mergeOrdered(doc, patch, t); err != nil {
		return nil, err
	}
	for _, key := range sortedKeys(patch) {
		if err := mergeField(doc, key, patch[key], t); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// mergeField merges one field of a patch into doc.
func mergeField(doc map[string]any, key string, value any, t *schema.Type) error {
	if name, ok := strings.CutPrefix(key, deleteElement); ok {
		return deleteElements(doc, name, value)
	}
	if value == nil {
		delete(doc, key)
		return nil
	}
	old, there := doc[key]
	elem, strategy, mergeKey := fieldOf(t, key)
	var err error
	switch patch := value.(type) {
	case map[string]any:
		if old, ok := old.(map[string]any); ok {
			if strategy == "replace" {
				doc[key] = patch
				return nil
			}
			doc[key], err = mergeStruct(old, patch, elem)
			return err
		}
	case []any:
		if old, ok := old.([]any); ok {
			if !strings.Contains(strategy, "merge") {
				doc[key] = patch
				return nil
			}
			doc[key], err = mergeList(old, patch, patch, elem, mergeKey)
			return err
		}
	}
	if clean, keep := cleaned(value); keep {
		doc[key] = clean
	} else if there {
		delete(doc, key)
	}
	return nil
}

// retain carries out $retainKeys: fields that are not listed go.
func retain(doc, patch map[string]any) error {
	listed, ok := patch[retainKeys]
	if !ok {
		return nil
	}
	delete(patch, retainKeys)
	keys, ok := listed.([]any)
	if !ok {
		return errRetainFormat
	}
	for key, value := range patch {
		if value != nil && !strings.HasPrefix(key, deleteElement) && !strings.HasPrefix(key, elementOrder) && !slices.Contains(keys, any(key)) {
			return errRetainFormat
		}
	}
	for key := range doc {
		if !slices.Contains(keys, any(key)) {
			delete(doc, key)
		}
	}
	return nil
}

// mergeOrdered merges the lists whose order the patch sets, and takes them out
// of the patch.
func mergeOrdered(doc, patch map[string]any, t *schema.Type) error {
	for _, directive := range sortedKeys(patch) {
		key, ok := strings.CutPrefix(directive, elementOrder)
		if !ok {
			continue
		}
		order, ok := patch[directive].([]any)
		if !ok {
			return errOrderFormat
		}
		delete(patch, directive)
		old, hasOld := doc[key].([]any)
		change, hasChange := patch[key].([]any)
		if _, there := doc[key]; there && !hasOld {
			return errOrderFormat
		}
		if v, there := patch[key]; there && !hasChange && v != nil {
			return errOrderFormat
		}
		elem, strategy, mergeKey := fieldOf(t, key)
		if err := checkOrder(change, order, mergeKey); err != nil {
			return err
		}
		merged := old
		switch {
		case hasOld && hasChange:
			merged = change
			if strings.Contains(strategy, "merge") {
				var err error
				if merged, err = mergeList(slices.Clone(old), change, change, elem, mergeKey); err != nil {
					return err
				}
			}
		case hasChange:
			clean, _ := cleaned(change)
			merged = clean.([]any)
		case !hasOld:
			continue
		}
		arranged, err := arrange(merged, order, old, mergeKey)
		if err != nil {
			return err
		}
		doc[key] = arranged
		delete(patch, key)
	}
	return nil
}

// checkOrder makes sure that the items of a patch come in the order that it
// sets.
func checkOrder(patch, order []any, mergeKey string) error {
	if len(order) == 0 {
		return nil
	}
	at := 0
	for _, item := range patch {
		if m, ok := item.(map[string]any); ok && m[directive] != nil {
			continue
		}
		for at < len(order) && !sameItem(item, order[at], mergeKey) {
			at++
		}
		if at == len(order) {
			return fmt.Errorf("The order in patch list:\n%v\n doesn't match %s list:\n%v\n", patch, strings.TrimSuffix(elementOrder, "/"), order)
		}
	}
	return nil
}

// mergeList merges a list by its key, or as a set if its items are no maps. The
// items of the patch come in the order that is given, the others stay where they
// were in between.
func mergeList(old, patch, order []any, elem *schema.Type, mergeKey string) ([]any, error) {
	if len(old) == 0 && len(patch) == 0 {
		return old, nil
	}
	if !ofMaps(old, patch) {
		merged := old
		for _, item := range patch {
			if find(merged, item, "") < 0 {
				merged = append(merged, item)
			}
		}
		return arrange(merged, order, old, "")
	}
	if mergeKey == "" {
		name := ""
		if elem != nil {
			name = elem.GoName
		}
		return nil, fmt.Errorf("cannot merge lists without merge key for %s", name)
	}
	old, patch, err := specialItems(old, patch, mergeKey)
	if err != nil {
		return nil, err
	}
	merged := slices.Clone(old)
	for _, item := range patch {
		m, ok := item.(map[string]any)
		if !ok {
			return nil, errors.New("invalid patch: a list has items of several types")
		}
		if m[mergeKey] == nil {
			return nil, noMergeKey(m, mergeKey)
		}
		at := find(merged, m, mergeKey)
		if at < 0 {
			merged = append(merged, m)
			continue
		}
		if merged[at], err = mergeStruct(merged[at].(map[string]any), m, elem); err != nil {
			return nil, err
		}
	}
	return arrange(merged, patch, old, mergeKey)
}

// specialItems carries out the items of a patch that are directives, and
// returns both lists without what they are about.
func specialItems(old, patch []any, mergeKey string) (rest, plain []any, err error) {
	replace := false
	for _, item := range patch {
		m, ok := item.(map[string]any)
		if !ok {
			return nil, nil, errors.New("invalid patch: a list has items of several types")
		}
		d, ok := m[directive]
		if !ok {
			plain = append(plain, item)
			continue
		}
		switch d {
		case "delete":
			if m[mergeKey] == nil {
				return nil, nil, noMergeKey(m, mergeKey)
			}
			old = slices.DeleteFunc(slices.Clone(old), func(o any) bool { return sameItem(o, m, mergeKey) })
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

// arrange orders a merged list: the items that are in order come in that order,
// the others in the order they had; where both are known from before, the one
// that was in front stays there, and otherwise the first group leads.
func arrange(merged, order, before []any, mergeKey string) ([]any, error) {
	var first, others []any
	for _, item := range merged {
		if m, ok := item.(map[string]any); ok && mergeKey != "" && m[mergeKey] == nil {
			return nil, noMergeKey(m, mergeKey)
		}
		if find(order, item, mergeKey) >= 0 {
			first = append(first, item)
		} else {
			others = append(others, item)
		}
	}
	sort.SliceStable(first, func(i, j int) bool { return find(order, first[i], mergeKey) < find(order, first[j], mergeKey) })
	arranged := make([]any, 0, len(merged))
	for len(first) > 0 && len(others) > 0 {
		f, o := find(before, first[0], mergeKey), find(before, others[0], mergeKey)
		if f >= 0 && o >= 0 && o < f {
			arranged, others = append(arranged, others[0]), others[1:]
		} else {
			arranged, first = append(arranged, first[0]), first[1:]
		}
	}
	return append(append(arranged, first...), others...), nil
}

// deleteElements takes the listed values out of a list of scalars.
func deleteElements(doc map[string]any, key string, value any) error {
	gone, ok := value.([]any)
	if !ok {
		return errors.New("invalid patch format of primitive list")
	}
	if old, ok := doc[key].([]any); ok {
		doc[key] = slices.DeleteFunc(old, func(v any) bool { return slices.ContainsFunc(gone, func(g any) bool { return sameItem(v, g, "") }) })
	}
	return nil
}

// fieldOf is how a field of a type merges: the type of its value, or of its
// items if it is a list; its strategy; and its merge key.
func fieldOf(t *schema.Type, key string) (elem *schema.Type, strategy, mergeKey string) {
	switch {
	case t == nil:
		return nil, "", ""
	case t.Kind == schema.Map:
		return t.Elem, "", ""
	}
	f := t.Field(key)
	if f == nil {
		return nil, "", ""
	}
	elem = f.Type
	if elem.Kind == schema.List {
		elem = elem.Elem
	}
	return elem, f.PatchStrategy, f.PatchMergeKey
}

// cleaned takes the directives and nulls out of a value that is new to the
// object. A map that is a directive itself is not kept.
func cleaned(value any) (any, bool) {
	switch v := value.(type) {
	case map[string]any:
		if _, ok := v[directive]; ok {
			return nil, false
		}
		for key, x := range v {
			if x == nil {
				delete(v, key)
			} else if clean, keep := cleaned(x); keep {
				v[key] = clean
			} else {
				delete(v, key)
			}
		}
	case []any:
		kept := v[:0]
		for _, x := range v {
			if clean, keep := cleaned(x); keep {
				kept = append(kept, clean)
			}
		}
		return kept, true
	}
	return value, true
}

func ofMaps(lists ...[]any) bool {
	for _, list := range lists {
		for _, item := range list {
			_, ok := item.(map[string]any)
			return ok
		}
	}
	return false
}

// find is the place of an item in a list, by the merge key if there is one; -1
// if it is not there.
func find(list []any, item any, mergeKey string) int {
	return slices.IndexFunc(list, func(x any) bool { return sameItem(x, item, mergeKey) })
}

func sameItem(a, b any, mergeKey string) bool {
	x, ok := a.(map[string]any)
	y, also := b.(map[string]any)
	if ok && also {
		return mergeKey != "" && sameItem(x[mergeKey], y[mergeKey], "")
	}
	switch a.(type) {
	case nil, string, bool, int64, float64:
		return a == b
	}
	return false
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

func badDirective(d any, m map[string]any) error {
	return fmt.Errorf("unknown patch type: %v in map: %v", d, m)
}

func noMergeKey(m map[string]any, key string) error {
	return fmt.Errorf("map: %v does not contain declared merge key: %s", m, key)
}
