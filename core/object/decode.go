package object

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/schema"
)

// Decode reads one JSON object of type t.
//
// The result is what Kubernetes' Go struct holds after storage: unknown fields are dropped, empty
// optional fields are removed, mandatory ones appear with their zero value, quantities and times
// are canonical. problems lists unknown and duplicate fields (`unknown field "spec.foo"`) in
// document order. With t nil the object is an untyped tree: nothing is dropped, and only duplicates
// are problems.
//
// err is ErrTooDeep for a text that nests deeper than MaxDecoded, or the error of Kubernetes' decoder if the
// text is not JSON or a value does not match its field.
func Decode(data []byte, t *schema.Type) (obj map[string]any, problems []string, err error) {
	return DecodeGiven(data, t, nil)
}

// DecodeGiven is Decode that also tells what the tree does not hold, if given is not nil.
func DecodeGiven(data []byte, t *schema.Type, given *Given) (obj map[string]any, problems []string, err error) {
	d := decoder{data: data, given: given}
	if given != nil {
		given.values = nil
	}
	var root any
	var got outcome
	if t == nil {
		root, got = d.untypedRoot()
	} else {
		stack := stacks.Get().(*[]frame)
		d.stack = *stack
		root, got = d.value(t, nil)
		if all := d.stack[:cap(d.stack)]; len(all) <= maxStack {
			defer func() {
				clear(all)
				*stack = all[:0]
				stacks.Put(stack)
			}()
		}
	}
	if err := d.finish(got); err != nil {
		return nil, nil, err
	}
	obj, ok := root.(map[string]any)
	switch {
	case ok:
	case t == nil: // null
		obj = map[string]any{}
	default:
		obj = zero(t).(map[string]any)
	}
	return obj, d.problems, nil
}

// A Part is what is read of a struct: the fields that it has, and the Part of each; nil stands for all.
type Part map[string]Part

// At returns p with the field at a dotted path, and all that it has.
func (p Part) At(path string) Part {
	if p == nil {
		p = Part{}
	}
	name, rest, more := strings.Cut(path, ".")
	switch inner, known := p[name]; {
	case !more:
		p[name] = nil
	case !known || inner != nil:
		p[name] = inner.At(rest)
	}
	return p
}

// DecodePart is Decode for a part of an object that was encoded here. The other fields have to be JSON, which is not
// looked at.
func DecodePart(data []byte, t *schema.Type, p Part) (map[string]any, error) {
	d := decoder{data: data, part: p, quiet: true}
	root, got := d.value(t, nil)
	err := d.finish(got)
	obj, _ := root.(map[string]any)
	return obj, err
}

// stacks is a pool of decoders' stacks; those of more than maxStack levels are not kept.
var stacks = sync.Pool{New: func() any { s := make([]frame, 0, 16); return &s }}

const maxStack = 64

// DecodeAny reads any JSON value: integers that fit become int64, other numbers float64. Of
// duplicate fields the last one counts. Its error is ErrTooDeep for a text that nests deeper than MaxDecoded.
func DecodeAny(data []byte) (any, error) {
	d := decoder{data: data, quiet: true}
	d.space()
	v, got := d.untyped()
	if err := d.finish(got); err != nil {
		return nil, err
	}
	return v, nil
}

// finish checks that nothing follows the value, and returns the error to report: invalid JSON
// first, then an error that ends Kubernetes' decoding, then the first value that does not match its
// type.
func (d *decoder) finish(got outcome) error {
	if got != failed {
		d.space()
		if d.pos != len(d.data) {
			got = failed
		}
	}
	switch {
	case got == failed && d.depth > MaxDecoded:
		return ErrTooDeep
	case got == failed:
		return syntaxError(d.data)
	case d.fatal != nil:
		return d.fatal
	default:
		return d.saved
	}
}

// syntaxError returns encoding/json's error for an invalid text.
func syntaxError(data []byte) error {
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	return errors.New("invalid JSON")
}

func (d *decoder) untypedRoot() (any, outcome) {
	d.space()
	if d.pos < len(d.data) && d.data[d.pos] != '{' {
		start := d.pos
		if !d.skip() {
			return nil, failed
		}
		if d.data[start] != 'n' {
			d.mismatch(describe(d.data[start]), "map[string]interface {}")
		}
		return nil, nulled
	}
	return d.untyped()
}

// describe returns the kind of a JSON value by its first byte, as type errors name it.
func describe(first byte) string {
	switch first {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	default:
		return "number"
	}
}

// zero returns a new tree of Go's zero value of type t.
func zero(t *schema.Type) any {
	switch t.Kind {
	case schema.Struct:
		m := make(map[string]any, len(t.Always))
		for _, i := range t.Always {
			m[t.Fields[i].Name] = zeroField(&t.Fields[i])
		}
		return m
	case schema.String:
		return ""
	case schema.Bool:
		return false
	case schema.Int32, schema.Int64, schema.IntOrString:
		return int64(0)
	case schema.Float64:
		return float64(0)
	case schema.Duration:
		return "0s"
	case schema.Quantity:
		return "0"
	}
	return nil
}

func zeroField(f *schema.Field) any {
	if f.Pointer {
		return nil
	}
	return zero(f.Type)
}

// empty reports whether omitempty omits v from a field that is no pointer and no struct.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case int64:
		return v == 0
	case float64:
		return v == 0
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case int:
		return v == 0
	case int32:
		return v == 0
	case Emptiness:
		return true
	}
	return false
}
