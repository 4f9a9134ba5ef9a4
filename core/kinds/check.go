package kinds

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
)

// oneOf checks that the text under key is one of some.
func oneOf(m map[string]any, at field.Path, key string, supported ...string) field.ErrorList {
	value := str(m, key)
	if value == "" {
		return field.ErrorList{field.Required(at.Child(key), "")}
	}
	for _, s := range supported {
		if value == s {
			return nil
		}
	}
	return field.ErrorList{field.NotSupported(at.Child(key), value, supported...)}
}

// notBelowZero checks numbers that may be left out.
func notBelowZero(m map[string]any, at field.Path, keys ...string) field.ErrorList {
	var errs field.ErrorList
	for _, key := range keys {
		if n, ok := num(m, key); ok && n < 0 {
			errs.Add(field.Invalid(at.Child(key), n, notNegative))
		}
	}
	return errs
}

// required checks that there are texts.
func required(m map[string]any, at field.Path, keys ...string) field.ErrorList {
	var errs field.ErrorList
	for _, key := range keys {
		if str(m, key) == "" {
			errs.Add(field.Required(at.Child(key), ""))
		}
	}
	return errs
}

// unchanged checks that fields are what they were.
func unchanged(obj, old map[string]any, names ...string) field.ErrorList {
	var errs field.ErrorList
	for _, name := range names {
		if !object.Equal(obj[name], old[name]) {
			errs.Add(field.Invalid(field.Path(name), obj[name], immutable))
		}
	}
	return errs
}
