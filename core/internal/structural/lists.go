package structural

import (
	"encoding/json"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// ValidateLists returns the violations of duplicate items in the lists of an object that are sets
// or maps.
func ValidateLists(obj map[string]any, s *Schema) field.ErrorList {
	l := listCheck{budget: NewBudget()}
	l.fields(obj, s, func() field.Path { return "" })
	if l.budget.Spent() {
		return exceeded("")
	}
	return l.errs
}

// A listCheck goes through an object. It makes paths only for errors: names can be long, and many
// values may be below them.
type listCheck struct {
	errs   field.ErrorList
	budget *Budget
}

// duplicate adds the violation of a duplicate item.
func (l *listCheck) duplicate(list field.Path, i int, shown any) {
	if l.budget.spend(stepsOfViolation * (len(list) + 1)) {
		l.errs.Add(field.Duplicate(list.Index(i), shown))
	}
}

func (l *listCheck) fields(obj map[string]any, s *Schema, at func() field.Path) {
	for _, name := range sortedKeys(obj) {
		if p := s.Properties[name]; p != nil {
			l.value(obj[name], p, func() field.Path { return at().Child(name) })
		} else if s.Additional != nil {
			l.value(obj[name], s.Additional, func() field.Path { return at().Key(name) })
		}
	}
}

func (l *listCheck) value(v any, s *Schema, at func() field.Path) {
	switch v := v.(type) {
	case map[string]any:
		l.fields(v, s, at)
	case []any:
		switch s.ListType {
		case "set":
			if again := repeated(v); len(again) > 0 {
				path := at()
				for _, i := range again {
					l.duplicate(path, i, v[i])
				}
			}
		case "map":
			if len(s.ListMapKeys) == 0 {
				break // not so: definitions are validated
			}
			l.listMap(v, s, at)
		}
		if s.Items != nil {
			for i, e := range v {
				l.value(e, s.Items, func() field.Path { return at().Index(i) })
			}
		}
	}
}

// listMap looks for items with the same keys.
func (l *listCheck) listMap(list []any, s *Schema, at func() field.Path) {
	keys, shown := make([]any, len(list)), make([]any, len(list))
	for i, e := range list {
		item, ok := e.(map[string]any)
		if !ok && e != nil {
			l.errs.Add(field.Invalid(at().Index(i), e, "must be an object for an array of list-type map"))
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
	if again := repeated(keys); len(again) > 0 {
		path := at()
		for _, i := range again {
			l.duplicate(path, i, shown[i])
		}
	}
}

// unspecified stands for a key that an item does not have.
type unspecified struct{}

// compound is a list or an object as text.
type compound string

// repeated returns the positions of duplicate values, each value once. Numbers are equal only if
// they have the same type, too.
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
