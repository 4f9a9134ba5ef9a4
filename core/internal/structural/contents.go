package structural

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

func (p valueContext) list(r *result, l []any, s *Schema, path string) {
	if s.Items != nil {
		places := p.items()
		for i, e := range l {
			if p.budget.Spent() {
				return
			}
			r.merge(places(e).value(e, s.Items, path+"["+strconv.Itoa(i)+"]"))
		}
	}
	size := int64(len(l))
	if s.MinItems != nil && size < *s.MinItems {
		r.add(invalid(path, size, fmt.Sprintf("%s in body should have at least %d items", path, *s.MinItems)))
	}
	if s.MaxItems != nil && size > *s.MaxItems {
		r.add(tooMany(path, size, *s.MaxItems, "items"))
	}
	r.right++
}

func tooMany(path string, size, most int64, what string) violation {
	e := field.TooMany("", int(size), int(most))
	return violation{path, e.Type, e.BadValue, e.Detail,
		fmt.Sprintf("%s in body should have at most %d %s", path, most, what)}
}

func (p valueContext) fields(r *result, m map[string]any, s *Schema, path string) {
	size := int64(len(m))
	if s.MinProperties != nil && size < *s.MinProperties {
		r.add(invalid(path, size, fmt.Sprintf("%s in body should have at least %d properties", path, *s.MinProperties)))
	}
	if s.MaxProperties != nil && size > *s.MaxProperties {
		r.add(tooMany(path, size, *s.MaxProperties, "properties"))
	}
	if s.Closed || s.Additional != nil {
		for _, name := range sortedKeys(m) {
			if s.Properties[name] != nil {
				continue
			}
			if p.budget.Spent() {
				return
			}
			if s.Closed {
				r.add(invalid(path, name, fmt.Sprintf("%s.%s in body is a forbidden property", path, name)))
				continue
			}
			r.merge(p.field(name).value(m[name], s.Additional, path+"."+name))
		}
	}
	if len(s.Properties) > 0 {
		for _, name := range sortedKeys(m) {
			if field := s.Properties[name]; field != nil && !p.budget.Spent() {
				r.merge(p.field(name).value(m[name], field, join(path, name)))
			}
		}
	}
	for _, name := range s.Required {
		if _, ok := m[name]; !ok {
			at := path + "." + name
			r.add(violation{name: at, kind: field.TypeRequired, value: "", message: at + " in body is required"})
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
