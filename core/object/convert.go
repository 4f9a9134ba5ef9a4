package object

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tabernetes/tabernetes/core/schema"
)

// Convert gives an untyped tree the type t, as Kubernetes does with the result of a strategic merge
// patch. It is more lenient than Decode: an integer may be written as a fraction, and one too large
// for its field is truncated. unknown are the unknown fields (`unknown field "spec.foo"`), sorted;
// keys of maps are not in their paths. The tree is changed.
//
// given, if it is not nil, gets what the object does not hold, as that of DecodeGiven.
//
// err is Kubernetes' error for the first value that does not match its field, in the order of the
// Go struct.
func Convert(tree map[string]any, t *schema.Type, given *Given) (obj map[string]any, unknown []string, err error) {
	var c converter
	fit, err := c.value(tree, t)
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(c.unknown)
	obj, _, err = DecodeGiven(EncodeAny(nil, fit), t, given)
	return obj, c.unknown, err
}

type converter struct {
	unknown []string
	path    []byte // of the value being converted
}

// value returns v converted to its type, or an error. Null is always accepted.
func (c *converter) value(v any, t *schema.Type) (any, error) {
	if v == nil {
		return nil, nil
	}
	if t.Kind >= schema.Time {
		d := decoder{data: EncodeAny(nil, v), quiet: true}
		_, got := d.value(t, nil)
		return v, d.finish(got)
	}
	switch t.Kind {
	case schema.Struct:
		m, ok := v.(map[string]any)
		if !ok {
			return nil, errors.New("cannot restore struct from: " + goKind(v))
		}
		return m, c.fields(m, t)
	case schema.Map:
		m, ok := v.(map[string]any)
		if !ok {
			return nil, errors.New("cannot restore map from " + goKind(v))
		}
		return m, c.entries(m, t.Elem)
	case schema.List:
		l, ok := v.([]any)
		if !ok {
			return nil, errors.New("cannot restore slice from " + goKind(v))
		}
		return l, c.items(l, t.Elem)
	case schema.Bytes:
		return octets(v)
	}
	return scalar(v, t)
}

func (c *converter) fields(m map[string]any, t *schema.Type) (err error) {
	above := len(c.path)
	for i := range t.Fields {
		name := t.Fields[i].Name
		if v := m[name]; v != nil {
			c.path = appendStep(c.path, name)
			if m[name], err = c.value(v, t.Fields[i].Type); err != nil {
				return err
			}
			c.path = c.path[:above]
		}
	}
	for key := range m {
		if t.Index(key) < 0 {
			c.path = appendStep(c.path, key)
			c.unknown = append(c.unknown, `unknown field "`+string(c.path)+`"`)
			c.path = c.path[:above]
		}
	}
	return nil
}

// appendStep appends the name of a field to the path of its object.
func appendStep(path []byte, name string) []byte {
	if len(path) > 0 {
		path = append(path, '.')
	}
	return append(path, name...)
}

func (c *converter) entries(m map[string]any, elem *schema.Type) (err error) {
	var few [8]string
	for _, key := range sortedKeys(few[:0], m) {
		if m[key], err = c.value(m[key], elem); err != nil {
			return err
		}
	}
	return nil
}

func (c *converter) items(l []any, elem *schema.Type) (err error) {
	above := len(c.path)
	for i, v := range l {
		c.path = append(strconv.AppendInt(append(c.path, '['), int64(i), 10), ']')
		if l[i], err = c.value(v, elem); err != nil {
			return err
		}
		c.path = c.path[:above]
	}
	return nil
}

// octets checks bytes: base64, or a list of numbers.
func octets(v any) (any, error) {
	switch v := v.(type) {
	case string:
		if _, err := base64.StdEncoding.DecodeString(v); err != nil {
			return nil, fmt.Errorf("error decoding from json: %w", err)
		}
		return v, nil
	case []any:
		for i, item := range v {
			if item == nil {
				item = int64(0)
			}
			n, err := scalar(item, &schema.Type{Kind: schema.Int64, GoName: "uint8"})
			if err != nil {
				return nil, err
			}
			v[i] = int64(uint8(n.(int64)))
		}
		return v, nil
	}
	return nil, errors.New("cannot restore slice from " + goKind(v))
}

// scalar converts numbers, and refuses any other change of type.
func scalar(v any, t *schema.Type) (any, error) {
	kind := "string"
	switch t.Kind {
	case schema.String:
		switch v.(type) {
		case string:
			return v, nil
		case int64: // Go would convert it to a character
			return nil, errors.New("cannot convert int64 to " + t.GoName)
		}
	case schema.Bool:
		kind = "bool"
		if _, ok := v.(bool); ok {
			return v, nil
		}
	case schema.Float64:
		kind = "float64"
		switch v := v.(type) {
		case float64:
			return v, nil
		case int64:
			return float64(v), nil
		}
	default:
		switch {
		case t.Kind == schema.Int32:
			kind = "int32"
		case t.GoName == "uint8":
			kind = "uint8"
		default:
			kind = "int64"
		}
		switch n := v.(type) {
		case int64:
			return cut(n, t), nil
		case float64:
			if n != math.Trunc(n) {
				return nil, errors.New("cannot convert float64 to " + t.GoName)
			}
			return cut(int64(n), t), nil
		}
	}
	return nil, errors.New("unrecognized type: " + kind)
}

// cut returns what is left of a number in the bits that its type has.
func cut(n int64, t *schema.Type) int64 {
	if t.Kind == schema.Int32 {
		return int64(int32(n))
	}
	return n
}

// goKind names a value's type as Go's reflection does.
func goKind(v any) string {
	switch v.(type) {
	case map[string]any:
		return "map"
	case []any:
		return "slice"
	}
	return fmt.Sprintf("%T", v)
}
