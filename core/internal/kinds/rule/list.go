package rule

import (
	"maps"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// MaxItems is for a list of at most that many entries. The entries of a longer one are not checked.
type MaxItems int

func (m MaxItems) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	if list, _ := v.([]any); len(list) > int(m) {
		return field.ErrorList{field.TooMany(at, len(list), int(m))}, stopValue
	}
	return nil, proceed
}

// UniqueKey is for a list of objects with unique values of a field, or of unique texts if the key
// is empty.
type UniqueKey string

func (u UniqueKey) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	list, _ := v.([]any)
	return Duplicates(list, string(u), at), proceed
}

// Duplicates returns the indexes of entries whose text, or text under a key, an earlier entry has.
func Duplicates(list []any, key string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	var before Seen[string]
	for i, e := range list {
		text, _ := e.(string)
		if key != "" {
			obj, _ := e.(map[string]any)
			text, _ = obj[key].(string)
		}
		if before.Again(text) {
			errs.Add(field.Duplicate(at.Index(i), text))
		}
	}
	return errs
}

// StarAlone is for a list in which "*" must be the only entry. Its value is the name of the
// entries in the violation.
type StarAlone string

func (a StarAlone) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	if list, _ := v.([]any); len(list) > 1 && slices.Contains(list, any("*")) {
		return field.ErrorList{field.Invalid(at, v, "if '*' is present, must not specify other "+string(a))}, proceed
	}
	return nil, proceed
}

// Seen is a set of values. The zero value is empty. Comparing each entry with all before it would
// take quadratic time, and lists can be as long as a request; but most are short, and need no map.
type Seen[T comparable] struct {
	first [4]T
	n     int // of first
	rest  map[T]bool
}

// Has reports whether a value is in the set.
func (s *Seen[T]) Has(v T) bool { return slices.Contains(s.first[:s.n], v) || s.rest[v] }

// Again adds a value and reports whether it was there.
func (s *Seen[T]) Again(v T) bool {
	switch {
	case s.Has(v):
		return true
	case s.n < len(s.first):
		s.first[s.n] = v
		s.n++
		return false
	case s.rest == nil:
		s.rest = map[T]bool{}
	}
	s.rest[v] = true
	return false
}

// Clone returns a copy.
func (s *Seen[T]) Clone() Seen[T] { return Seen[T]{s.first, s.n, maps.Clone(s.rest)} }
