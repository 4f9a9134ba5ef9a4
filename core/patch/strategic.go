package patch

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/schema"
)

// The directives of a strategic merge patch. After a prefix and a slash comes the name of a field.
const (
	directive     = "$patch"
	retainKeys    = "$retainKeys"
	elementOrder  = "$setElementOrder"
	deleteElement = "$deleteFromPrimitiveList"
)

var (
	errOrderFormat  = &Error{BadRequest, "invalid patch format of setElementOrder list"}
	errRetainFormat = &Error{BadRequest, "invalid patch format of retainKeys"}
	errDeleteFormat = &Error{BadRequest, "invalid patch format of primitive list"}
	errListOfLists  = &Error{Rejected, "lists of lists are not supported"}
)

// Strategic merges a patch into an object as the object's type says: structs field by field, lists
// by their merge keys where they have a patchMergeKey, and anything else by replacing it. Both
// trees are changed, and share parts afterwards. Most of its errors are untyped: the real server
// answers them with code 500 and their text.
//
// The real server processes the fields of a patch in random order; here they are sorted. Where it
// panics, on maps in the place of keys, nothing is equal here.
//
// Merging a list costs the items of both sides, and their sorting.
func Strategic(doc, patch map[string]any, t *schema.Type) (map[string]any, error) {
	return mergeStruct(doc, patch, typed{t: t})
}

func mergeStruct(doc, patch map[string]any, at typed) (map[string]any, error) {
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
	for _, key := range slices.Sorted(maps.Keys(patch)) {
		if strings.HasPrefix(key, elementOrder) {
			if err := mergeOrdered(doc, patch, key, at); err != nil {
				return nil, err
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(patch)) {
		if err := mergeField(doc, key, patch[key], at); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// retain applies $retainKeys: fields that are not listed are removed.
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
	ranks := ranksOf(keys, false, "")
	has := func(key string) bool { return ranks.position(key) >= 0 }
	for key, value := range patch {
		if value != nil && !strings.HasPrefix(key, deleteElement) && !strings.HasPrefix(key, elementOrder) && !has(key) {
			return errRetainFormat
		}
	}
	for key := range doc {
		if !has(key) {
			delete(doc, key)
		}
	}
	return nil
}

// mergeField merges one field of a patch into doc.
func mergeField(doc map[string]any, key string, value any, at typed) error {
	deletes := strings.HasPrefix(key, deleteElement)
	if deletes {
		var ok bool
		if _, key, ok = strings.Cut(key, "/"); !ok {
			return errDeleteFormat
		}
	}
	if value == nil {
		delete(doc, key)
		return nil
	}
	old, there := doc[key]
	if !there || reflect.TypeOf(old) != reflect.TypeOf(value) {
		if !deletes {
			dropNulls(value)
			put(doc, key, value)
		}
		return nil
	}
	switch old := old.(type) {
	case map[string]any:
		f, err := at.field(key)
		if err != nil {
			return err
		}
		change := value.(map[string]any)
		if f.strategy != "replace" {
			change, err = mergeStruct(old, change, f.typed)
		}
		doc[key] = change
		return err
	case []any:
		f, err := at.list(key)
		if err != nil {
			return err
		}
		doc[key], err = mergeList(old, value.([]any), f, deletes)
		return err
	}
	put(doc, key, value)
	return nil
}

// put sets a new field of the object to a value without directives.
func put(doc map[string]any, key string, value any) {
	if clean, keep := withoutDirectives(value); keep {
		doc[key] = clean
	} else {
		delete(doc, key)
	}
}

// withoutDirectives removes the maps that are directives from a value.
func withoutDirectives(value any) (any, bool) {
	switch v := value.(type) {
	case map[string]any:
		if _, ok := v[directive]; ok {
			return nil, false
		}
		for key, x := range v {
			put(v, key, x)
		}
	case []any:
		kept := make([]any, 0, len(v))
		for _, x := range v {
			if clean, keep := withoutDirectives(x); keep {
				kept = append(kept, clean)
			}
		}
		return kept, true
	}
	return value, true
}

// mergeOrdered merges a list whose order the patch sets, and removes both list and order from the
// patch.
func mergeOrdered(doc, patch map[string]any, key string, at typed) error {
	value := patch[key]
	delete(patch, key)
	order, ok := value.([]any)
	if !ok {
		return badType(order, value)
	}
	_, key, ok = strings.Cut(key, "/")
	if !ok {
		return errOrderFormat
	}
	before, hasBefore := doc[key]
	change, hasChange := patch[key]
	old, ok := before.([]any)
	if hasBefore && !ok {
		return badType(old, before)
	}
	new, ok := change.([]any)
	if hasChange && !ok {
		return badType(new, change)
	}
	f, err := at.list(key)
	if err != nil {
		return err
	}
	if err := checkOrder(new, order, f.mergeKey); err != nil {
		return err
	}
	merged := old
	switch {
	case hasBefore && hasChange:
		if merged, err = mergeList(old, new, f, false); err != nil {
			return err
		}
	case hasChange:
		clean, _ := withoutDirectives(new)
		merged = clean.([]any)
	case !hasBefore:
		return nil
	}
	ordered, others, err := split(merged, order, f.mergeKey)
	if err != nil {
		return err
	}
	maps, err := ofMaps(old, new)
	if err != nil {
		return err
	}
	doc[key], err = arrange(ordered, others, order, old, maps, f.mergeKey)
	delete(patch, key)
	return err
}

// checkOrder checks that the items of a patch are in the order that it sets.
func checkOrder(patch, order []any, mergeKey string) error {
	if len(order) == 0 || len(patch) == 0 {
		return nil
	}
	staying := patch
	if mergeKey != "" {
		var err error
		if staying, _, err = splitDeleted(patch); err != nil {
			return err
		}
	}
	p, o := 0, 0
	for p < len(staying) && o < len(order) {
		if m, ok := staying[p].(map[string]any); ok {
			if _, ok := m[directive]; ok {
				p++
				continue
			}
		}
		same, err := sameItem(staying[p], order[o], mergeKey)
		if err != nil {
			return err
		}
		if same {
			p++
		}
		o++
	}
	if p < len(staying) {
		return fmt.Errorf("The order in patch list:\n%v\n doesn't match %s list:\n%v\n", patch, elementOrder, order)
	}
	return nil
}

// sameItem reports whether two items have the same merge key, which both must have; without a key,
// whether they are equal.
func sameItem(a, b any, mergeKey string) (bool, error) {
	if mergeKey == "" {
		return equal(a, b), nil
	}
	for _, item := range []any{a, b} {
		if m, ok := item.(map[string]any); !ok {
			return false, badType(m, item)
		}
	}
	x, err := keyOf(a, mergeKey)
	if err != nil {
		return false, err
	}
	y, err := keyOf(b, mergeKey)
	return err == nil && equal(x, y), err
}

func keyOf(item any, mergeKey string) (any, error) {
	m, ok := item.(map[string]any)
	if !ok {
		return nil, badType(m, item)
	}
	key, ok := m[mergeKey]
	if !ok {
		return nil, noMergeKey(m, mergeKey)
	}
	return key, nil
}

// equal compares scalars.
func equal(a, b any) bool {
	switch a.(type) {
	case map[string]any, []any:
		return false
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

func badDirective(d any, m map[string]any) error {
	return fmt.Errorf("unknown patch type: %s in map: %v", d, m)
}

func noMergeKey(m map[string]any, key string) error {
	return fmt.Errorf("map: %v does not contain declared merge key: %s", m, key)
}

func badType(want, got any) error {
	return fmt.Errorf("expected a %s, but received a %s", reflect.TypeOf(want), reflect.TypeOf(got))
}

// errTypes returns the error for lists whose items are not all of one type.
func errTypes(lists ...[]any) error {
	return fmt.Errorf("list element types are not identical: %v", fmt.Sprint(lists))
}

var errNoItems = errors.New("no elements in any of the given slices")
