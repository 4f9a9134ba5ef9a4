package structural

import (
	"fmt"
	"math"
	"strconv"
)

// number checks a number, which is given as it is, as a float and as text.
func (c check) number(r *result, v any, f float64, text string) {
	numeric, format := "", ""
	if types := c.types(); len(types) == 1 && (types[0] == "integer" || types[0] == "number") {
		numeric = types[0]
		if KnownFormat(numeric, c.Format) {
			format = c.Format
		}
	}
	var found result
	inRange := func(text, what string) bool {
		if fitsFormat(text, numeric, format) {
			return true
		}
		with := "(default format)"
		if format != "" {
			with = "with format " + format
		}
		found.add(invalid("", "", fmt.Sprintf("%s value must be of type %s %s in %s", what, numeric, with, c.path)))
		return false
	}
	n, isInt := v.(int64)
	inRange(text, "Checked")
	bound := func(b *float64, what string) (native bool, limit any) {
		if inRange(strconv.FormatFloat(*b, 'f', -1, 64), what) && isInt {
			return true, int64(*b)
		}
		return false, *b
	}
	if c.MultipleOf != nil {
		native, factor := bound(c.MultipleOf, "MultipleOf")
		positive, multiple := *c.MultipleOf > 0, false
		var shown any = f
		if native {
			divisor := factor.(int64)
			positive = divisor > 0
			multiple, shown = positive && n%divisor == 0, n
		} else if positive {
			quotient := f / *c.MultipleOf
			if *c.MultipleOf < 1 {
				quotient = 1 / *c.MultipleOf * f
			}
			multiple = nearlyWhole(quotient)
		}
		switch {
		case !positive:
			found.add(invalid(c.path, factor,
				fmt.Sprintf("factor MultipleOf declared for %s must be positive: %v", c.path, factor)))
		case !multiple:
			found.add(invalid(c.path, shown, fmt.Sprintf("%s in body should be a multiple of %v", c.path, factor)))
		}
	}
	compare := func(b *float64, what string, exclusive bool, sign float64, words string) {
		native, limit := bound(b, what)
		over := sign * (f - *b)
		var shown any = f
		if native {
			over, shown = sign*float64(cmpInt(n, limit.(int64))), n
		}
		if over > 0 || exclusive && over == 0 {
			if !exclusive {
				words += " or equal to"
			}
			found.add(invalid(c.path, shown, fmt.Sprintf("%s in body should be %s %v", c.path, words, limit)))
		}
	}
	maximum := func() {
		if c.Maximum != nil {
			compare(c.Maximum, "Maximum boundary", c.ExclusiveMaximum, 1, "less than")
		}
	}
	if c.Minimum != nil {
		compare(c.Minimum, "Minimum boundary", c.ExclusiveMinimum, -1, "greater than")
	}
	maximum()
	r.merge(found)
	r.right++
}

func cmpInt(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// fitsFormat reports whether a number can be of a type and format.
func fitsFormat(text, numeric, format string) bool {
	bits := 64
	if format == "int32" || format == "float" {
		bits = 32
	}
	var err error
	switch {
	case numeric == "integer":
		_, err = strconv.ParseInt(text, 10, bits)
	case format == "float":
		_, err = strconv.ParseFloat(text, bits)
	}
	return err == nil
}

// nearlyWhole reports whether a quotient is an integer up to floating point errors.
func nearlyWhole(f float64) bool {
	if math.Abs(f) > 1<<53 {
		return false
	}
	nearest := math.Trunc(f)
	if f == nearest {
		return true
	}
	const epsilon = 1e-9
	return math.Abs(f-nearest)/(math.Abs(f)+math.Abs(nearest)) < epsilon
}
