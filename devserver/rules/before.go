package rules

import (
	"reflect"
	"sync"

	"github.com/tabernetes/tabernetes/core/structural"
)

// A before is what was at a place before, by which the real server decides what to let
// pass: rules that a value breaks that is as it was.
type before struct {
	value  any
	schema *structural.Schema // nil: it is not known what was there
	root   bool
	// same is whether what is around the place is as it was: that counts where it is not
	// known what was at the place itself.
	same func() bool
}

// equals reports whether a value is as it was.
func (b before) equals(v any) bool {
	if b.schema == nil {
		return b.same != nil && b.same()
	}
	return equal(v, b.value, b.schema)
}

// around returns what is known of the place without the value.
func (b before) around() before { return before{same: b.same} }

// within says once, for all that is in v, whether that is as it was. To compare all of a
// list for each of its items would cost the square of its length.
func (b before) within(v any) func() bool {
	if b.schema == nil {
		return b.same
	}
	return sync.OnceValue(func() bool { return b.equals(v) })
}

// field returns what was in a field; same is what within says.
func (b before) field(name string, same func() bool) before {
	switch {
	case b.schema == nil:
		return b
	case b.root && (name == "apiVersion" || name == "kind"):
		return before{}
	}
	old, _ := b.value.(map[string]any)
	was, ok := old[name]
	s := fieldOf(b.schema, name)
	if !ok || s == nil {
		return before{same: same}
	}
	return before{value: was, schema: s, same: same}
}

// item returns what was an item of a list, if it is known; same is what within says.
func (b before) item(was any, same func() bool) before {
	switch {
	case b.schema == nil:
		return b
	case was == nil || b.schema.Items == nil:
		return before{same: same}
	}
	return before{value: was, schema: b.schema.Items, same: same}
}

func fieldOf(s *structural.Schema, name string) *structural.Schema {
	if p := s.Properties[name]; p != nil {
		return p
	}
	return s.Additional
}

// equal compares two values of a schema as the real server does: objects with fields
// that no schema describes are not equal to any, and neither are lists that are maps if
// an item is new.
func equal(v, old any, s *structural.Schema) bool {
	switch v := v.(type) {
	case map[string]any:
		was, ok := old.(map[string]any)
		if !ok || len(was) != len(v) {
			return false
		}
		for name, value := range v {
			before, ok := was[name]
			is := fieldOf(s, name)
			if !ok || is == nil || !equal(value, before, is) {
				return false
			}
		}
		return true
	case []any:
		was, ok := old.([]any)
		if !ok || len(was) != len(v) {
			return false
		}
		if s.ListType != "map" || s.Items == nil {
			return reflect.DeepEqual(v, was)
		}
		l := &list{was, s}
		all := map[any]any{}
		for _, item := range was {
			all[l.identity(item)] = item
		}
		for _, item := range v {
			before, ok := all[l.identity(item)]
			if !ok || !equal(item, before, s.Items) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(v, old)
}
