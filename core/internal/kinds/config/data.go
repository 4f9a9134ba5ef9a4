package config

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
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

// dataKeys returns the violations of the keys of data.
func dataKeys(data map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, key := range tree.Wrong(data, func(key string) bool { return syntax.ConfigMapKey(key) != nil }) {
		for _, wrong := range syntax.ConfigMapKey(key) {
			errs.Add(field.Invalid(at.Key(key), key, wrong))
		}
	}
	return errs
}

// decodedSize returns the size of data in base64.
func decodedSize(data map[string]any) (size int) {
	for _, value := range data {
		text, _ := value.(string)
		size += valid.DecodedLen(text)
	}
	return size
}
