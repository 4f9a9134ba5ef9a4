package format

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Compare reports whether a value is as a condition wants it.
func Compare(op Op, left any, right string) bool {
	l := TextOf(left)
	switch op {
	case Equal:
		return l == right
	case NotEqual:
		return l != right
	case Contains, Lacks:
		in := false
		if list, ok := left.([]any); ok {
			in = slices.ContainsFunc(list, func(v any) bool { return TextOf(v) == right })
		} else {
			in = strings.Contains(l, right)
		}
		return in == (op == Contains)
	}
	n := order(l, right)
	switch op {
	case Less:
		return n < 0
	case LessEq:
		return n <= 0
	case Greater:
		return n > 0
	case GreaterEq:
		return n >= 0
	}
	return false
}

// order compares as numbers if both are, else byte by byte.
func order(a, b string) int {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX == nil && errY == nil {
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	f, errF := strconv.ParseFloat(a, 64)
	g, errG := strconv.ParseFloat(b, 64)
	if errF == nil && errG == nil {
		return cmp.Compare(f, g)
	}
	return strings.Compare(a, b)
}
