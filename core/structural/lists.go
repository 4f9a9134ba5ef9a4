package structural

import (
	"encoding/json"

	"github.com/tabernetes/tabernetes/core/field"
)

// ValidateLists says which items the lists of an object have twice that are sets or
// maps.
func ValidateLists(obj map[string]any, s *Schema) field.ErrorList {
	var errs field.ErrorList
	listsIn(&errs, obj, s, "")
	return errs
}

func listsIn(errs *field.ErrorList, obj map[string]any, s *Schema, at field.Path) {
	for _, name := range sortedKeys(obj) {
		if p := s.Properties[name]; p != nil {
			lists(errs, obj[name], p, at.Child(name))
		} else if s.Additional != nil {
			lists(errs, obj[name], s.Additional, at.Key(name))
		}
	}
}

func lists(errs *field.ErrorList, v any, s *Schema, at field.Path) {
	switch v := v.(type) {
	case map[string]any:
		listsIn(errs, v, s, at)
	case []any:
		switch s.ListType {
		case "set":
			for _, i := range repeated(v) {
				errs.Add(field.Duplicate(at.Index(i), v[i]))
			}
		case "map":
			if len(s.ListMapKeys) == 0 {
				break // not so: definitions are validated
			}
			listMap(errs, v, s, at)
		}
		if s.Items != nil {
			for i, e := range v {
				lists(errs, e, s.Items, at.Index(i))
			}
		}
	}
}

// listMap looks for items with the same keys.
func listMap(errs *field.ErrorList, l []any, s *Schema, at field.Path) {
	keys, shown := make([]any, len(l)), make([]any, len(l))
	for i, e := range l {
		item, ok := e.(map[string]any)
		if !ok && e != nil {
			errs.Add(field.Invalid(at.Index(i), e, "must be an object for an array of list-type map"))
			return
		}
		key := map[string]any{}
		for _, name := range s.ListMapKeys {
			if v, ok := item[name]; ok {
				key[name] = v
			}
		}
		keys[i], shown[i] = key, key
		if len(s.ListMapKeys) == 1 {
			keys[i] = unspecified{}
			if v, ok := key[s.ListMapKeys[0]]; ok {
				keys[i] = v
			}
		}
	}
	for _, i := range repeated(keys) {
		errs.Add(field.Duplicate(at.Index(i), shown[i]))
	}
}

// unspecified is a key that an item does not have.
type unspecified struct{}

// compound is a list or an object as text.
type compound string

// repeated are the positions of values that are there already, each value once. A
// number is the same as another one if it is of the same type, too.
func repeated(l []any) []int {
	seen := make(map[any]int, len(l))
	var again []int
	for i, v := range l {
		switch v.(type) {
		case map[string]any, []any:
			text, _ := json.Marshal(v) // no error: it is a tree
			v = compound(text)
		}
		if seen[v]++; seen[v] == 2 {
			again = append(again, i)
		}
	}
	return again
}
