package rule

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// RequireOneOf returns the violation of a text under key that is missing or not in a list.
func RequireOneOf(m map[string]any, at field.Path, key string, supported ...string) field.ErrorList {
	value := tree.Text(m, key)
	if value == "" {
		return field.ErrorList{field.Required(at.Child(key), "")}
	}
	if slices.Contains(supported, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(at.Child(key), value, supported...)}
}

// RequireSetToOneOf is RequireOneOf for a field that is a pointer in the real types: an empty text is not in the list.
func RequireSetToOneOf(m map[string]any, at field.Path, key string, supported ...string) field.ErrorList {
	if m[key] == nil {
		return field.ErrorList{field.Required(at.Child(key), "")}
	}
	if value := tree.Text(m, key); !slices.Contains(supported, value) {
		return field.ErrorList{field.NotSupported(at.Child(key), value, supported...)}
	}
	return nil
}

// NotNegative returns the violations of numbers below 0. They may be left out.
func NotNegative(m map[string]any, at field.Path, keys ...string) field.ErrorList {
	var errs field.ErrorList
	for _, key := range keys {
		if n, ok := tree.Int(m, key); ok && n < 0 {
			errs.Add(field.Invalid(at.Child(key), n, MustNotBeNegative))
		}
	}
	return errs
}

// RequireTexts returns the violations of texts that are missing or empty.
func RequireTexts(m map[string]any, at field.Path, keys ...string) field.ErrorList {
	var errs field.ErrorList
	for _, key := range keys {
		if tree.Text(m, key) == "" {
			errs.Add(field.Required(at.Child(key), ""))
		}
	}
	return errs
}

// Immutable returns the violations of fields that have changed.
func Immutable(obj, old map[string]any, names ...string) field.ErrorList {
	var errs field.ErrorList
	for _, name := range names {
		if !object.Equal(obj[name], old[name]) {
			errs.Add(field.Invalid(field.Path(name), obj[name], FieldImmutable))
		}
	}
	return errs
}

// FieldImmutable is the detail of the violation of a changed immutable field.
const FieldImmutable = "field is immutable"

// MustNotBeNegative is the detail of the violation of a number below 0.
const MustNotBeNegative = "must be greater than or equal to 0"
