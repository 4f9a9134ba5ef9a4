package structural

import (
	"encoding/json"
	"strconv"

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
	keys := make([]any, len(l))
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
		keys[i] = key
	}
	for _, i := range repeated(keys) {
		errs.Add(field.Duplicate(at.Index(i), keys[i]))
	}
}

// repeated are the positions of values that are there already, each value once.
func repeated(l []any) []int {
	seen := make(map[string]int, len(l))
	var again []int
	for i, v := range l {
		text, err := json.Marshal(v)
		if err != nil {
			text = strconv.AppendInt(nil, int64(i), 10) // not so: it is a tree
		}
		if seen[string(text)]++; seen[string(text)] == 2 {
			again = append(again, i)
		}
	}
	return again
}
