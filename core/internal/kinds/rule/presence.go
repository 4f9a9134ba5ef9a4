package rule

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
)

// Required is for a value that must be present: a missing value, an empty text and an empty list
// are violations, which end the checks of the value.
type Required struct {
	// Detail is reported with the violation.
	Detail string
	// First also skips the fields that follow in the object.
	First bool
}

func (r Required) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	switch {
	case !empty(v):
		return nil, proceed
	case r.First:
		return field.ErrorList{field.Required(at, r.Detail)}, stopObject
	}
	return field.ErrorList{field.Required(at, r.Detail)}, stopValue
}

// Present is Required for a value that may be empty.
type Present struct{ Detail string }

func (p Present) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	if v == nil {
		return field.ErrorList{field.Required(at, p.Detail)}, stopValue
	}
	return nil, proceed
}

// IfSet ends the checks of a missing value.
type IfSet struct{}

func (IfSet) check(_ map[string]any, v any, _ field.Path) (field.ErrorList, next) {
	if v == nil {
		return nil, stopValue
	}
	return nil, proceed
}

// IfNotEmpty ends the checks of a missing value, and of an empty text or list.
type IfNotEmpty struct{}

func (IfNotEmpty) check(_ map[string]any, v any, _ field.Path) (field.ErrorList, next) {
	if empty(v) {
		return nil, stopValue
	}
	return nil, proceed
}

func empty(v any) bool {
	list, isList := v.([]any)
	return v == nil || v == "" || isList && len(list) == 0 || v == object.EmptyList || v == object.EmptyMap
}
