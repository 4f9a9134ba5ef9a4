package valid

import (
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
)

// ImmutableSpec is rule.Immutable for fields of the spec.
func ImmutableSpec(spec, was map[string]any, names ...string) field.ErrorList {
	errs := rule.Immutable(spec, was, names...)
	for _, e := range errs {
		e.Field = "spec." + e.Field
	}
	return errs
}

// CountOrPercent returns the violations of a number of pods or a percentage of them.
func CountOrPercent(v any, at field.Path) field.ErrorList {
	if text, ok := v.(string); ok {
		return rule.Invalid(at, text, syntax.Percent(text))
	}
	if n, _ := v.(int64); n < 0 {
		return field.ErrorList{field.Invalid(at, n, rule.MustNotBeNegative)}
	}
	return nil
}

// ParseCount returns the number in a count or percentage, and which of the two it is.
func ParseCount(v any) (n int64, percent bool) {
	if text, ok := v.(string); ok {
		if syntax.Percent(text) != nil {
			n, _ = strconv.ParseInt(text, 10, 64) // as the real server does
			return n, false
		}
		n, _ = strconv.ParseInt(strings.TrimSuffix(text, "%"), 10, 64)
		return n, true
	}
	n, _ = v.(int64)
	return n, false
}

// AtMost100Percent returns the violation of a percentage above 100.
func AtMost100Percent(v any, at field.Path) field.ErrorList {
	if n, percent := ParseCount(v); percent && n > 100 {
		return field.ErrorList{field.Invalid(at, v, "must not be greater than 100%")}
	}
	return nil
}
