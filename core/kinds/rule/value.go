package rule

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
)

// OneOf is for a text that is one of some. They are reported in their order.
type OneOf []string

func (o OneOf) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	text, _ := v.(string)
	if slices.Contains(o, text) {
		return nil, goOn
	}
	return field.ErrorList{field.NotSupported(at, text, o...)}, goOn
}

// Enum is for a text that is one of some, like those of package enum. They are reported
// in the order of the alphabet.
type Enum []string

func (e Enum) check(root map[string]any, v any, at field.Path) (field.ErrorList, next) {
	if text, _ := v.(string); slices.Contains(e, text) {
		return nil, goOn
	}
	return OneOf(slices.Sorted(slices.Values(e))).check(root, v, at)
}

// Form is for a text of some form. The function returns what is wrong with one; the
// package field/syntax has most of them.
type Form func(text string) (wrong []string)

func (f Form) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	text, _ := v.(string)
	wrong := f(text)
	if len(wrong) == 0 { // to make an any of the text costs an allocation
		return nil, goOn
	}
	return Invalid(at, text, wrong), goOn
}

// Invalid makes a violation of each thing that is wrong with a value.
func Invalid(at field.Path, value any, wrong []string) field.ErrorList {
	var errs field.ErrorList
	for _, w := range wrong {
		errs.Add(field.Invalid(at, value, w))
	}
	return errs
}

// MaxBytes is for a text of at most so many bytes.
type MaxBytes int

func (m MaxBytes) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	if text, _ := v.(string); len(text) > int(m) {
		return field.ErrorList{field.TooLong(at, int(m))}, goOn
	}
	return nil, goOn
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
		return nil, goOn
	}
	return field.ErrorList{field.Invalid(at, n, syntax.Between(int(max(r.Min, r.From)), int(r.Max)))}, goOn
}

// AtLeast is for a number that is not less than Min. A missing one is 0.
type AtLeast struct {
	Min    int64
	Detail string
}

func (a AtLeast) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	if n, _ := v.(int64); n < a.Min {
		return field.ErrorList{field.Invalid(at, n, a.Detail)}, goOn
	}
	return nil, goOn
}

// AtMost is for a number that is not greater than Max. A missing one is 0.
type AtMost struct {
	Max    int64
	Detail string
}

func (a AtMost) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	if n, _ := v.(int64); n > a.Max {
		return field.ErrorList{field.Invalid(at, n, a.Detail)}, goOn
	}
	return nil, goOn
}
