package valid

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/object"
)

// DecodedLen returns the number of bytes that a base64 text encodes.
func DecodedLen(text string) int {
	return len(text)/4*3 - strings.Count(text[max(0, len(text)-2):], "=")
}

// Quantity parses a text such as "500m", "64Mi" or "1e3".
func Quantity(v any) (q object.Quantity, ok bool) {
	text, ok := v.(string)
	if !ok {
		return q, false
	}
	q, err := object.ParseQuantity(text)
	return q, err == nil
}

// MoreThan reports whether a and b are quantities of which a is greater.
func MoreThan(a, b any) bool {
	if a == b {
		return false
	}
	x, isA := Quantity(a)
	y, isB := Quantity(b)
	return isA && isB && x.Compare(y) > 0
}

// SignOf returns the sign of a quantity without parsing it.
func SignOf(v any) int {
	text, _ := v.(string)
	digits := strings.TrimLeft(text, "+-0.")
	switch {
	case digits == "" || digits[0] < '1' || digits[0] > '9':
		return 0
	case text[0] == '-':
		return -1
	}
	return 1
}

// Positive reports whether a quantity is greater than zero.
func Positive(v any) bool { return SignOf(v) > 0 }

// Negative reports whether a quantity is less than zero.
func Negative(v any) bool { return SignOf(v) < 0 }

// Amount returns the violations of the quantity of a resource.
func Amount(name string, v any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if Negative(v) {
		errs.Add(field.Invalid(at, v, rule.MustNotBeNegative))
	}
	// The names of countable resources come last.
	counted := IsExtended(name) ||
		slices.Contains(quotaResources[6:], name) && !strings.HasSuffix(name, "storage")
	if q, ok := Quantity(v); ok && counted && !q.Whole() {
		errs.Add(field.Invalid(at, v, "must be an integer"))
	}
	return errs
}
