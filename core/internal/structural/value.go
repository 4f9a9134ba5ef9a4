package structural

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// A check is of a value itself, not of its content.
type check struct {
	*Schema
	path   string
	budget *Budget
}

// wrongType adds the violation of a value, or its type, that is not of a type or format.
func (c check) wrongType(want, value string) violation {
	message := fmt.Sprintf("%s in body must be of type %s: %q", c.path, want, value)
	return violation{c.path, field.TypeWrongType, value, message, message}
}

func (c check) null() (violation, bool) {
	if types := c.types(); len(types) > 0 && !c.Nullable {
		return c.wrongType(commas(types), "null"), false
	}
	return violation{}, true
}

func commas(types []string) string {
	if len(types) == 2 {
		return types[0] + "," + types[1]
	}
	return types[0]
}

// kind checks the type of a value.
func (c check) kind(r *result, v any) {
	types, format := c.types(), c.format()
	name, own := typeOf(v)
	f, isFloat := v.(float64)
	fits := slices.Contains(types, name) ||
		isFloat && whole(f) && slices.Contains(types, "integer") ||
		name == "integer" && slices.Contains(types, "number")
	textual := name == "string" || name == "array"
	numeric := slices.Contains(types, "number") || slices.Contains(types, "integer")
	switch {
	case !textual && format != "" && !fits && own != format:
		r.add(c.wrongType(format, own))
	case !numeric && format != "" && textual, fits:
		r.right++
	case len(types) == 0:
		r.add(c.wrongType("", name))
	default:
		r.add(c.wrongType(commas(types), name))
	}
}

// typeOf returns the type of a value and the format that numbers have by themselves.
func typeOf(v any) (name, format string) {
	switch v.(type) {
	case bool:
		return "boolean", ""
	case string:
		return "string", ""
	case int64:
		return "integer", "int64"
	case float64:
		return "number", "float64"
	case []any:
		return "array", ""
	}
	return "object", ""
}

// whole reports whether a number can be an integer in JSON.
func whole(f float64) bool { return f == math.Trunc(f) && math.Abs(f) < 1<<53 }

func (c check) text(r *result, v string) {
	runes := int64(-1)
	length := func() int64 {
		if runes < 0 {
			runes = int64(utf8.RuneCountInString(v))
		}
		return runes
	}
	switch {
	case c.MaxLength != nil && length() > *c.MaxLength:
		e := field.TooLong("", int(*c.MaxLength))
		r.add(violation{c.path, e.Type, e.BadValue, e.Detail,
			fmt.Sprintf("%s in body should be at most %d chars long", c.path, *c.MaxLength)})
	case c.MinLength != nil && length() < *c.MinLength:
		r.add(invalid(c.path, v, fmt.Sprintf("%s in body should be at least %d chars long", c.path, *c.MinLength)))
	case c.Pattern != "" && (c.pattern == nil || !c.pattern.matches(v, c.budget)):
		r.add(invalid(c.path, v, fmt.Sprintf("%s in body should match '%s'", c.path, c.Pattern)))
	}
}

// enum checks that a value is one of the allowed ones.
func (c check) enum(r *result, v any) {
	if len(c.Enum) == 0 {
		return
	}
	if c.Schema.enum.has(v, c.budget) || !c.budget.spend(stepsOfVisit*len(c.Enum)) {
		return
	}
	words := make([]string, len(c.Enum))
	for i, allowed := range c.Enum {
		words[i] = word(allowed)
	}
	e := field.NotSupported("", v, words...)
	r.add(violation{c.path, e.Type, v, e.Detail, fmt.Sprintf("%s in body should be one of %v", c.path, c.Enum)})
}

// sameValue compares a value with one of an enum. Numbers are compared as the enum's.
func sameValue(v, allowed any) bool {
	switch allowed := allowed.(type) {
	case int64:
		if f, ok := v.(float64); ok {
			return int64(f) == allowed
		}
	case float64:
		if n, ok := v.(int64); ok {
			return float64(n) == allowed
		}
	}
	return reflect.DeepEqual(v, allowed)
}

// word formats a value of an enum for errors.
func word(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
