package tables

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// field is the value of a map's key.
type field string

func (f field) from(w *work, values []any) (found []any, err error) {
	for _, v := range values {
		if m, ok := v.(map[string]any); ok {
			if child, ok := m[string(f)]; ok {
				found = append(found, child)
			}
		}
	}
	return found, nil
}

// children returns the values in a map, by their keys, or in a list.
func children(v any) (all []any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = append(all, v[key])
		}
	case []any:
		return v
	}
	return all
}

// wildcard is all values in a map or a list.
type wildcard struct{}

func (wildcard) from(w *work, values []any) (found []any, err error) {
	for _, v := range values {
		below := children(v)
		if err := w.spend(len(below)); err != nil {
			return nil, err
		}
		found = append(found, below...)
	}
	return found, nil
}

// recursion is every non-empty map and list, at any depth.
type recursion struct{}

func (r recursion) from(w *work, values []any) (found []any, err error) {
	return r.all(w, nil, values)
}

func (r recursion) all(w *work, found, values []any) (_ []any, err error) {
	for _, v := range values {
		below := children(v)
		if len(below) == 0 {
			continue
		}
		if err := w.spend(1 + len(below)); err != nil {
			return nil, err
		}
		if found, err = r.all(w, append(found, v), below); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// literal is a value of the path itself.
type literal struct{ value any }

func (l literal) from(w *work, values []any) ([]any, error) {
	found := make([]any, len(values))
	for i := range found {
		found[i] = l.value
	}
	return found, nil
}

// command is a keyword of client-go's templates. It is parsed, but does nothing.
type command string

func (c command) from(*work, []any) ([]any, error) {
	return nil, fmt.Errorf("%q does nothing in a column", string(c))
}

// union is the results of several paths.
type union []Path

func (u union) from(w *work, values []any) (found []any, err error) {
	for _, p := range u {
		part, err := p.from(w, values)
		if err != nil {
			return nil, err
		}
		found = append(found, part...)
	}
	return found, nil
}

// slice is a part of a list. Negative bounds count from its end; nil ones are its ends.
type slice struct{ start, end, step *int }

var errIndex = errors.New("the list has not so many elements")

// parseSlice parses "1", "1:3" or "1:3:2"; "*" is everything, and nothing is "0".
func parseSlice(text string) (s slice, err error) {
	switch text {
	case "*":
		return s, nil
	case "":
		text = "0"
	}
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return s, fmt.Errorf("%q is not an index", text)
	}
	for i, part := range parts {
		if part == "" && len(parts) > 1 {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || part[0] == '+' {
			return s, fmt.Errorf("%q is not an index", text)
		}
		*[]**int{&s.start, &s.end, &s.step}[i] = &n
	}
	if next := new(int); len(parts) == 1 {
		if *next = *s.start + 1; *next != 0 { // [-1] ends where the list does
			s.end = next
		}
	}
	return s, nil
}

func (s slice) from(w *work, values []any) (found []any, err error) {
	for _, v := range values {
		if v == nil {
			continue
		}
		list, ok := v.([]any)
		if !ok {
			return nil, fmt.Errorf("%T is not a list", v)
		}
		start, end, step := bound(s.start, 0, len(list)), bound(s.end, len(list), len(list)), 1
		if s.step != nil {
			step = *s.step
		}
		switch {
		case start == end:
			return found, nil
		case start < 0, start >= len(list), end < 0, end > len(list), start > end:
			return nil, errIndex
		case step <= 0:
			return nil, errors.New("a step goes forward")
		}
		if err := w.spend((end - start) / step); err != nil {
			return nil, err
		}
		for i := start; i < end; i += step {
			found = append(found, list[i])
		}
	}
	return found, nil
}

// bound returns a bound of a list of n elements.
func bound(b *int, absent, n int) int {
	switch {
	case b == nil:
		return absent
	case *b < 0:
		return *b + n
	}
	return *b
}

// filter is the elements of a list for which a comparison is true, or without an operator those in
// which left finds something.
type filter struct {
	left, right Path
	operator    string
}

func (f filter) from(w *work, values []any) (found []any, err error) {
	for _, v := range values {
		list, ok := v.([]any)
		if !ok {
			return nil, fmt.Errorf("%T is not a list", v)
		}
		for _, e := range list {
			holds, err := f.holds(w, e)
			if err != nil {
				return nil, err
			}
			if holds {
				found = append(found, e)
			}
		}
	}
	return found, nil
}

func (f filter) holds(w *work, element any) (bool, error) {
	lefts, err := f.left.from(w, []any{element})
	if f.operator == "" && err != errWork {
		return err == nil && len(lefts) > 0, nil
	}
	if err != nil || len(lefts) == 0 {
		return false, err
	}
	rights, err := f.right.from(w, []any{element})
	if err != nil || len(rights) == 0 {
		return false, err
	}
	if len(lefts) > 1 || len(rights) > 1 {
		return false, errors.New("only single values can be compared")
	}
	return compare(lefts[0], f.operator, rights[0])
}

var errCompare = errors.New("the values cannot be compared")

// compare evaluates a comparison. Only values of the same type can be compared, and bools only for
// equality.
func compare(a any, operator string, b any) (bool, error) {
	order, ok := 0, false
	switch a := a.(type) {
	case bool:
		if b, same := b.(bool); same && (operator == "==" || operator == "!=") {
			return (a == b) == (operator == "=="), nil
		}
	case string:
		var text string
		text, ok = b.(string)
		order = cmp.Compare(a, text)
	case int64:
		var n int64
		n, ok = b.(int64)
		order = cmp.Compare(a, n)
	case float64:
		var f float64
		f, ok = b.(float64)
		order = cmp.Compare(a, f)
	}
	if !ok {
		return false, errCompare
	}
	switch operator {
	case "==":
		return order == 0, nil
	case "!=":
		return order != 0, nil
	case "<":
		return order < 0, nil
	case "<=":
		return order <= 0, nil
	case ">":
		return order > 0, nil
	case ">=":
		return order >= 0, nil
	}
	return false, errCompare
}
