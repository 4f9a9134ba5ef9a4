package lesson

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// compare reports whether a value is as a condition wants it.
func compare(op Op, left any, right string) bool {
	l := text(left)
	switch op {
	case Equal:
		return l == right
	case NotEqual:
		return l != right
	case Contains, Lacks:
		in := false
		if list, ok := left.([]any); ok {
			in = slices.ContainsFunc(list, func(v any) bool { return text(v) == right })
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

// shown returns a value in a message: short.
func shown(v any) string {
	s := text(v)
	if s == "" {
		return "empty"
	}
	if len(s) > 48 {
		s = strings.ToValidUTF8(s[:45], "") + "…"
	}
	return s
}

func joinInts(n []int) string {
	words := make([]string, len(n))
	for i, v := range n {
		words[i] = strconv.Itoa(v)
	}
	return strings.Join(words, " or ")
}
