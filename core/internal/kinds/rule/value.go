package rule

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
)

// OneOf is for a text that is one of a list. Errors list them in this order.
type OneOf []string

func (o OneOf) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	text, _ := v.(string)
	if slices.Contains(o, text) {
		return nil, proceed
	}
	return field.ErrorList{field.NotSupported(at, text, o...)}, proceed
}

// Enum is for a text that is one of a list, such as those of package enum. Errors list them in
// alphabetical order.
type Enum []string

func (e Enum) check(root map[string]any, v any, at field.Path) (field.ErrorList, next) {
	if text, _ := v.(string); slices.Contains(e, text) {
		return nil, proceed
	}
	return OneOf(slices.Sorted(slices.Values(e))).check(root, v, at)
}

// Form is for a text of some form. The function returns the violations; the package field/syntax
// has most of them.
type Form func(text string) (wrong []string)

func (f Form) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	text, _ := v.(string)
	wrong := f(text)
	if len(wrong) == 0 { // converting the text to any costs an allocation
		return nil, proceed
	}
	return Invalid(at, text, wrong), proceed
}

// Invalid returns a violation for each of the messages about a value.
func Invalid(at field.Path, value any, wrong []string) field.ErrorList {
	var errs field.ErrorList
	for _, w := range wrong {
		errs.Add(field.Invalid(at, value, w))
	}
	return errs
}

// MaxBytes is for a text of at most that many bytes.
type MaxBytes int

func (m MaxBytes) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	if text, _ := v.(string); len(text) > int(m) {
		return field.ErrorList{field.TooLong(at, int(m))}, proceed
	}
	return nil, proceed
}

// Range is for a number from Min to Max. A missing one is 0.
type Range struct {
	Min, Max int64
	// From is reported in place of Min, if it is greater.
	From int64
}

func (r Range) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	n, _ := v.(int64)
	if n >= r.Min && n <= r.Max {
		return nil, proceed
	}
	return field.ErrorList{field.Invalid(at, n, syntax.Between(int(max(r.Min, r.From)), int(r.Max)))}, proceed
}

// AtLeast is for a number that is not less than Min. A missing one is 0.
type AtLeast struct {
	Min    int64
	Detail string
}

func (a AtLeast) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	if n, _ := v.(int64); n < a.Min {
		return field.ErrorList{field.Invalid(at, n, a.Detail)}, proceed
	}
	return nil, proceed
}

// AtMost is for a number that is not greater than Max. A missing one is 0.
type AtMost struct {
	Max    int64
	Detail string
}

func (a AtMost) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	if n, _ := v.(int64); n > a.Max {
		return field.ErrorList{field.Invalid(at, n, a.Detail)}, proceed
	}
	return nil, proceed
}
