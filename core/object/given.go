package object

import (
	"github.com/tabernetes/tabernetes/core/schema"
)

// Given is what the tree of a text does not hold, although the real server's structs do: which lists and
// maps without entries were given. Defaults and validation may depend on it, and violations show it. It
// holds nothing for most texts. A nil Given is empty.
type Given struct{ values []givenValue }

type givenValue struct {
	path  []frame
	value Emptiness
}

// EmptyList and EmptyMap are what Put leaves for lists and maps without entries. They are no lists and
// maps, so they are missing for code that does not look for them.
const (
	EmptyList Emptiness = "[]"
	EmptyMap  Emptiness = "{}"
)

// Emptiness is the type of EmptyList and EmptyMap: their JSON.
type Emptiness string

// MarshalJSON implements json.Marshaler.
func (e Emptiness) MarshalJSON() ([]byte, error) { return []byte(e), nil }

// Any reports whether anything was given.
func (g *Given) Any() bool { return g != nil && len(g.values) > 0 }

// Put puts what was given into a tree, where it has nothing else. Take must follow before the tree is
// used for anything but defaults and validation.
func (g *Given) Put(obj map[string]any) {
	if g == nil {
		return
	}
	for _, v := range g.values {
		if m, key := v.in(obj); m != nil && m[key] == nil {
			m[key] = v.value
		}
	}
}

// Take undoes Put.
func (g *Given) Take(obj map[string]any) {
	if g == nil {
		return
	}
	for _, v := range g.values {
		if m, key := v.in(obj); m != nil && m[key] == v.value {
			delete(m, key)
		}
	}
}

// in returns the object of a tree that has the value, and its key there, or nil.
func (v *givenValue) in(obj map[string]any) (m map[string]any, key string) {
	var at any = obj
	for i := range v.path {
		f := &v.path[i]
		if list, ok := at.([]any); ok {
			if f.index < 0 || f.index >= len(list) {
				return nil, ""
			}
			at = list[f.index]
			continue
		}
		if m, _ = at.(map[string]any); m == nil {
			return nil, ""
		}
		if key = f.key; f.field != nil {
			key = f.field.Name
		}
		at = m[key]
	}
	return m, key
}

// emptied notes an empty value of a field that the tree does not hold.
func (d *decoder) emptied(f *schema.Field, owner *schema.Type) {
	if d.given == nil {
		return
	}
	v := EmptyList
	switch f.Type.Kind {
	case schema.List:
	case schema.Map:
		v = EmptyMap
	default:
		return
	}
	path := append(append([]frame(nil), d.stack...), frame{owner: owner, field: f})
	d.given.values = append(d.given.values, givenValue{path: path, value: v})
}
