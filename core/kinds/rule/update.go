package rule

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
)

// FieldImmutable is what is said of a field that may not change.
const FieldImmutable = "field is immutable"

// Immutable are fields of an object that may not change.
type Immutable []string

// Check returns the violations of an object that is at a path and was old.
func (names Immutable) Check(obj, old map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range names {
		if !object.Equal(obj[name], old[name]) {
			errs.Add(field.Invalid(at.Child(name), obj[name], FieldImmutable))
		}
	}
	return errs
}
