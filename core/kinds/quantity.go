package kinds

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
)

// quantity is the number that a text such as "500m", "64Mi" or "1e3" stands for.
func quantity(v any) (q object.Quantity, ok bool) {
	text, ok := v.(string)
	if !ok {
		return q, false
	}
	q, err := object.ParseQuantity(text)
	return q, err == nil
}

// moreThan reports whether a is a greater quantity than b; both must be some.
func moreThan(a, b any) bool {
	if a == b {
		return false
	}
	x, isA := quantity(a)
	y, isB := quantity(b)
	return isA && isB && x.Compare(y) > 0
}

// signOf is the sign of a quantity, as cheap as looking at its digits.
func signOf(v any) int {
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

func positive(v any) bool { return signOf(v) > 0 }
func negative(v any) bool { return signOf(v) < 0 }
