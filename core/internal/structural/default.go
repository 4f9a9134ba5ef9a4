package structural

import "maps"

// maxDefaults is how many values of defaults an object gets: each of many objects in a list may have many fields with
// defaults. With so many it is refused as object.CheckTree has it.
const maxDefaults = 250_000

// Default sets missing fields that have a default, and null ones that are not nullable. Defaults
// within missing fields do not count. Once they have more than maxDefaults values the others are left out.
func Default(v any, s *Schema) {
	d := defaulter{maxDefaults}
	d.value(v, s)
}

// A defaulter knows how many values it may still set.
type defaulter struct{ left int }

func (d *defaulter) value(v any, s *Schema) {
	if s == nil || d.left < 0 {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, p := range s.Properties {
			if p.Default == nil {
				continue
			}
			if present, ok := v[name]; !ok || present == nil && !p.Nullable {
				v[name] = d.clone(p.Default)
			}
		}
		for name, present := range v {
			if p, ok := s.Properties[name]; ok {
				d.value(present, p)
				continue
			}
			v[name] = d.element(present, s.Additional)
		}
	case []any:
		for i, present := range v {
			v[i] = d.element(present, s.Items)
		}
	}
}

// element returns an element of a map or list with its defaults.
func (d *defaulter) element(v any, s *Schema) any {
	if s == nil {
		return v
	}
	if v == nil && !s.Nullable {
		v = d.clone(s.Default)
	}
	d.value(v, s)
	return v
}

// dropNulls drops the fields that are null but not nullable, and have no default to replace them.
func dropNulls(v any, s *Schema) {
	if s == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, present := range v {
			p, _ := s.property(name)
			if present == nil && p != nil && !p.Nullable && p.Default == nil {
				delete(v, name)
				continue
			}
			dropNulls(present, p)
		}
	case []any:
		for _, present := range v {
			dropNulls(present, s.Items)
		}
	}
}

func (d *defaulter) clone(v any) any {
	d.left--
	switch v := v.(type) {
	case map[string]any:
		m := maps.Clone(v)
		for k, e := range m {
			m[k] = d.clone(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = d.clone(e)
		}
		return l
	}
	return v
}
