package object

import (
	"errors"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/schema"
)

const microTime = "2006-01-02T15:04:05.000000Z07:00"

// zeroTime is the value in a tree of a pointer to Go's zero time, which is written as null.
const zeroTime = "0001-01-01T00:00:00Z"

// special reads a value of a type that has its own decoding code in Kubernetes; c is its first
// byte. An error of such code ends decoding there, so it takes precedence over values of the wrong
// type.
func (d *decoder) special(t *schema.Type, c byte) (any, outcome) {
	switch t.Kind {
	case schema.Union:
		return d.unionValue(t, c)
	case schema.Raw:
		if n := len(d.stack); n > 0 && d.stack[n-1].isFieldsV1() {
			return d.raw()
		}
		if (c == '{' || c == '[') && !d.inSchema() {
			return d.ordered()
		}
		quiet := d.quiet
		d.quiet = true
		v, got := d.untyped()
		d.quiet = quiet
		return v, got
	}
	start := d.pos
	if c == '"' {
		s, ok := d.str()
		if !ok {
			return nil, failed
		}
		if t.Kind == schema.Quantity {
			// The text between the quotes is used, including escapes.
			s = string(d.data[start+1 : d.pos-1])
		}
		return d.specialString(t, s)
	}
	if c == 't' || c == 'f' || c == 'n' || c == '{' || c == '[' {
		if !d.skip() {
			return nil, failed
		}
	} else if _, ok := d.numberText(); !ok {
		return nil, failed
	}
	text := d.data[start:d.pos]
	switch t.Kind {
	case schema.Quantity:
		if c == 'n' {
			return "0", stored
		}
		return d.specialString(t, string(text))
	case schema.IntOrString:
		if c == 'n' {
			return int64(0), stored
		}
		n, fits := int64(0), false
		value := describe(c)
		if value == "number" {
			n, fits = parseInt(text)
			value += " " + string(text)
		}
		if !fits || n != int64(int32(n)) {
			d.end(d.typeError(value, "int32"))
			return nil, kept
		}
		return n, stored
	case schema.Duration:
		if c == 'n' {
			return d.specialString(t, "")
		}
	default:
		if c == 'n' {
			return nil, nulled
		}
	}
	d.end(d.typeError(describe(c), "string"))
	return nil, kept
}

func (d *decoder) specialString(t *schema.Type, s string) (any, outcome) {
	var out string
	var err error
	switch t.Kind {
	case schema.IntOrString:
		return s, stored
	case schema.Quantity:
		out, err = CanonicalQuantity(s)
	case schema.Time:
		return d.timeString(s, time.RFC3339)
	case schema.MicroTime:
		return d.timeString(s, microTime)
	case schema.Duration:
		var span time.Duration
		span, err = time.ParseDuration(s)
		out = span.String()
	}
	if err != nil {
		d.end(err)
		return nil, kept
	}
	return out, stored
}

func (d *decoder) timeString(s, layout string) (any, outcome) {
	at, err := time.Parse(layout, s)
	switch {
	case err != nil:
		d.end(err)
		return nil, kept
	case at.IsZero():
		return zeroTime, zeroed
	}
	// An offset can move a time out of the years that can be formatted; it could not be read again.
	if at = at.UTC(); at.Year() < 0 || at.Year() > 9999 {
		d.end(errors.New("parsing time " + strconv.Quote(s) + ": year out of range"))
		return nil, kept
	}
	return at.Format(layout), stored
}

// unionValue reads a JSONSchemaPropsOrBool, JSONSchemaPropsOrArray or JSONSchemaPropsOrStringArray.
// The fields of a union are its alternatives: a bool, a struct or a list, of which the value is
// one.
func (d *decoder) unionValue(t *schema.Type, c byte) (any, outcome) {
	for i := range t.Fields {
		shape := t.Fields[i].Type
		switch {
		case c == '{' && shape.Kind == schema.Struct, c == '[' && shape.Kind == schema.List,
			(c == 't' || c == 'f') && shape.Kind == schema.Bool:
			return d.shape(shape)
		}
	}
	if !d.skip() {
		return nil, failed
	}
	for i := range t.Fields {
		if t.Fields[i].Type.Kind == schema.Bool {
			d.end(errors.New("boolean or JSON schema expected"))
			return nil, kept
		}
	}
	return nil, nulled // the others ignore anything else
}

// shape reads the value of a union as one of its alternatives: with its own errors, of which the
// reported one ends the decoding outside.
func (d *decoder) shape(t *schema.Type) (any, outcome) {
	union, quiet, saved, fatal := d.union, d.quiet, d.saved, d.fatal
	if d.union == 0 {
		d.union = len(d.stack) + 1
	}
	d.quiet, d.saved, d.fatal = true, nil, nil
	v, got := d.value(t, nil)
	inside := d.fatal
	if inside == nil {
		inside = d.saved
	}
	d.union, d.quiet, d.saved, d.fatal = union, quiet, saved, fatal
	if inside != nil {
		d.end(inside)
	}
	if l, ok := v.([]any); ok && len(l) == 0 {
		return nil, nulled
	}
	return v, got
}
