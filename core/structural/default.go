package structural

import "maps"

// Default sets missing fields that have a default, and null ones that are not nullable. Defaults
// within missing fields do not count.
func Default(v any, s *Schema) {
	if s == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, p := range s.Properties {
			if p.Default == nil {
				continue
			}
			if present, ok := v[name]; !ok || present == nil && !p.Nullable {
				v[name] = clone(p.Default)
			}
		}
		for name, present := range v {
			if p, ok := s.Properties[name]; ok {
				Default(present, p)
				continue
			}
			v[name] = element(present, s.Additional)
		}
	case []any:
		for i, present := range v {
			v[i] = element(present, s.Items)
		}
	}
}

// element returns an element of a map or list with its defaults.
func element(v any, s *Schema) any {
	if s == nil {
		return v
	}
	if v == nil && !s.Nullable {
		v = clone(s.Default)
	}
	Default(v, s)
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

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := maps.Clone(v)
		for k, e := range m {
			m[k] = clone(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = clone(e)
		}
		return l
	}
	return v
}
