package evaluator

import (
	"reflect"
	"sync"

	"github.com/tabernetes/tabernetes/core/internal/structural"
)

// An oldValue is the value that was at a place of the object before an update. The real server lets a value pass that
// breaks a rule if it has not changed.
type oldValue struct {
	value  any
	schema *structural.Schema // nil: it is not known what was there
	root   bool
	// same reports whether what is around the place is unchanged, which counts where the old value of the place itself
	// is not known.
	same func() bool
}

// equals reports whether a value is unchanged.
func (b oldValue) equals(v any) bool {
	if b.schema == nil {
		return b.same != nil && b.same()
	}
	return equal(v, b.value, b.schema)
}

// around returns what is known of the place without the value.
func (b oldValue) around() oldValue { return oldValue{same: b.same} }

// within returns a function that reports whether v is unchanged. It compares once for all that is in v: to compare all
// of a list for each of its items would cost the square of its length.
func (b oldValue) within(v any) func() bool {
	if b.schema == nil {
		return b.same
	}
	return sync.OnceValue(func() bool { return b.equals(v) })
}

// field returns the old value of a field; same is the result of within.
func (b oldValue) field(name string, same func() bool) oldValue {
	switch {
	case b.schema == nil:
		return b
	case b.root && (name == "apiVersion" || name == "kind"):
		return oldValue{}
	}
	old, _ := b.value.(map[string]any)
	was, ok := old[name]
	s := fieldOf(b.schema, name)
	if !ok || s == nil {
		return oldValue{same: same}
	}
	return oldValue{value: was, schema: s, same: same}
}

// item returns the old value of an item of a list, if it is known; same is the result of within.
func (b oldValue) item(was any, same func() bool) oldValue {
	switch {
	case b.schema == nil:
		return b
	case was == nil || b.schema.Items == nil:
		return oldValue{same: same}
	}
	return oldValue{value: was, schema: b.schema.Items, same: same}
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
