package config

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// maxData is the maximum size of all data of a ConfigMap or Secret.
const maxData = 1 << 20

// validateImmutable checks that an object marked as immutable stays so, and its data unchanged.
func validateImmutable(obj, old map[string]any, data ...string) field.ErrorList {
	if !tree.Bool(old, "immutable") {
		return nil
	}
	const why = "field is immutable when `immutable` is set"
	var errs field.ErrorList
	if !tree.Bool(obj, "immutable") {
		errs.Add(field.Forbidden("immutable", why))
	}
	for _, name := range data {
		if !object.Identical(obj[name], old[name]) {
			errs.Add(field.Forbidden(field.Path(name), why))
		}
	}
	return errs
}
