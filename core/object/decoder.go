// More than 400 lines: a decoder by recursive descent is one piece.

package object

import (
	"encoding/base64"
	"slices"
	"strconv"

	"github.com/tabernetes/tabernetes/core/schema"
)

// outcome is the result of reading a value.
type outcome uint8

const (
	failed outcome = iota // the text is not JSON; reading stops
	stored                // a value was read
	kept                  // it changes nothing: null for a scalar or struct, or of the wrong type
	nulled                // null where Go sets something to nil
	zeroed                // the zero time, which only a pointer distinguishes from null
)

// maxProblems is how many problems Kubernetes lists.
const maxProblems = 100

// frame is one step from the root to the value being read.
type frame struct {
	owner *schema.Type  // the struct, if the step is one of its fields
	field *schema.Field // the field, likewise
	key   string        // the key in a map
	index int           // the position in a list
}

// decoder reads one text. Its methods read one construct at pos each and advance pos.
type decoder struct {
	data  []byte
	pos   int
	depth int
	stack []frame

	problems []string
	seen     map[string]bool // the problems, once there are any
	quiet    bool            // does not look for problems

	// Unions are read by code that starts a new decoder in Kubernetes: errors inside are reported as
	// those of the struct around it, and without problems. union is the depth of the stack outside,
	// plus one.
	union int

	given *Given // what the tree does not hold, if it is asked for
	part  Part   // of the struct that is read next; nil: all of it

	saved error // the first value that does not match its type
	fatal error // the first error of a type with its own decoding code, which ends decoding in Kubernetes
}

func (d *decoder) space() {
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

// peek skips space and returns the next byte, 0 at the end.
func (d *decoder) peek() byte {
	d.space()
	if d.pos < len(d.data) {
		return d.data[d.pos]
	}
	return 0
}

// enter and leave count the depth of nesting.
func (d *decoder) enter() bool {
	d.depth++
	d.pos++
	return d.depth <= MaxDecoded
}

func (d *decoder) leave() {
	d.depth--
	d.pos++
}

// value reads a value of type t. prev is the value of an earlier duplicate of the field: Go decodes
// into it.
func (d *decoder) value(t *schema.Type, prev any) (any, outcome) {
	c := d.peek()
	if t.Kind >= schema.Time {
		return d.special(t, c)
	}
	switch c {
	case '{':
		switch t.Kind {
		case schema.Struct:
			return d.structure(t, prev)
		case schema.Map:
			return d.mapping(t, prev)
		}
	case '[':
		switch t.Kind {
		case schema.List:
			return d.list(t, prev)
		case schema.Bytes:
			return d.byteList()
		}
	case '"':
		switch t.Kind {
		case schema.String:
			s, ok := d.str()
			if !ok {
				return nil, failed
			}
			return s, stored
		case schema.Bytes:
			return d.bytes()
		}
	case 'n':
		if !d.literal("null") {
			return nil, failed
		}
		switch t.Kind {
		case schema.List, schema.Map, schema.Bytes:
			return nil, nulled
		}
		return nil, kept
	case 't', 'f':
		if t.Kind == schema.Bool {
			if !d.literal(boolText(c)) {
				return nil, failed
			}
			return c == 't', stored
		}
	default:
		switch t.Kind {
		case schema.Int32, schema.Int64, schema.Float64:
			return d.number(t)
		}
	}
	if !d.skip() {
		return nil, failed
	}
	d.mismatch(describe(c), t.GoName)
	return nil, kept
}

func boolText(c byte) string {
	if c == 't' {
		return "true"
	}
	return "false"
}

func (d *decoder) literal(text string) bool {
	if end := d.pos + len(text); end <= len(d.data) && string(d.data[d.pos:end]) == text {
		d.pos = end
		return true
	}
	return false
}

func (d *decoder) structure(t *schema.Type, prev any) (any, outcome) {
	m, again := prev.(map[string]any)
	if !again {
		size := len(t.Always) + 4
		if d.depth == 1 { // below, as in templates, fewer fields are filled in
			size = max(size, t.SizeHint)
		}
		m = make(map[string]any, size)
	}
	var seen seenFields
	part := d.part
	if !d.enter() {
		return nil, failed
	}
	for first := true; ; first = false {
		name, more, ok := d.key(first)
		if !ok {
			return nil, failed
		}
		if !more {
			break
		}
		i := t.Position(name)
		if i < 0 {
			d.problem("unknown field ", string(name))
			if !d.skip() {
				return nil, failed
			}
			continue
		}
		f := &t.Fields[i]
		inner, wanted := part[f.Name]
		if part != nil && !wanted {
			if !d.skip() {
				return nil, failed
			}
			continue
		}
		if !d.quiet && seen.mark(i) {
			d.problem("duplicate field ", f.Name)
		}
		var before any
		if len(m) > 0 {
			before = m[f.Name]
		}
		d.stack = append(d.stack, frame{owner: t, field: f})
		d.part = inner
		v, got := d.fieldValue(f, before)
		d.stack = d.stack[:len(d.stack)-1]
		switch got {
		case failed:
			return nil, failed
		case nulled:
			delete(m, f.Name)
		case stored:
			switch {
			case f.AlwaysWritten():
				m[f.Name] = v
			// An object's own managedFields that are empty ask for their removal.
			case !f.Pointer && empty(v) && !(len(d.stack) == 1 && f.Name == managedFields && t.GoName == objectMeta):
				delete(m, f.Name)
				d.emptied(f, t)
			default:
				m[f.Name] = v
			}
		}
	}
	d.leave()
	for _, i := range t.Always {
		f := &t.Fields[i]
		_, wanted := part[f.Name]
		if _, ok := m[f.Name]; !ok && (part == nil || wanted) {
			m[f.Name] = zeroField(f)
		}
	}
	return m, stored
}

func (d *decoder) fieldValue(f *schema.Field, before any) (any, outcome) {
	if f.Pointer && d.peek() == 'n' {
		if !d.literal("null") {
			return nil, failed
		}
		return nil, nulled
	}
	v, got := d.value(f.Type, before)
	if got == zeroed {
		got = nulled
		if f.Pointer {
			got = stored
		}
	}
	return v, got
}

// seenFields remembers which fields of a struct have been read, by position.
type seenFields struct {
	low  uint64
	high []int
}

// mark reports whether the field was read before.
func (s *seenFields) mark(i int) bool {
	if i < 64 {
		was := s.low&(1<<i) != 0
		s.low |= 1 << i
		return was
	}
	if slices.Contains(s.high, i) {
		return true
	}
	s.high = append(s.high, i)
	return false
}

// key reads a field's name and the colon, after a comma unless it is the first; more is false at the closing brace,
// which it leaves to be read. The name is valid until the next string is read.
func (d *decoder) key(first bool) (name []byte, more, ok bool) {
	c := d.peek()
	if c == '}' {
		return nil, false, true
	}
	if !first {
		if c != ',' {
			return nil, false, false
		}
		d.pos++
		c = d.peek()
	}
	if c != '"' {
		return nil, false, false
	}
	name, ok = d.text()
	if !ok || d.peek() != ':' {
		return nil, false, false
	}
	d.pos++
	return name, true, true
}

func (d *decoder) mapping(t *schema.Type, prev any) (any, outcome) {
	m, again := prev.(map[string]any)
	if !again {
		m = map[string]any{}
	}
	if !d.enter() {
		return nil, failed
	}
	var own map[string]bool // keys of this text, when m holds others
	if again {
		own = map[string]bool{}
	}
	for first := true; ; first = false {
		name, more, ok := d.key(first)
		if !ok {
			return nil, failed
		}
		if !more {
			break
		}
		key := string(name)
		_, duplicate := m[key]
		if again {
			duplicate = own[key]
			own[key] = true
		}
		if duplicate {
			d.problem("duplicate field ", key)
		}
		d.stack = append(d.stack, frame{key: key, index: -1})
		v, got := d.value(t.Elem, nil)
		d.stack = d.stack[:len(d.stack)-1]
		switch {
		case got == failed:
			return nil, failed
		case got == stored:
			m[key] = v
		case t.Elem.Kind == schema.Bytes:
			m[key] = "" // protobuf has no nil among the values of a map
		default:
			m[key] = zero(t.Elem)
		}
	}
	d.leave()
	return m, stored
}

// item moves to item n of a list, if it has more.
func (d *decoder) item(n int) (more, ok bool) {
	switch c := d.peek(); {
	case c == ']':
		return false, true
	case n == 0:
	case c != ',':
		return false, false
	default:
		d.pos++
	}
	return true, true
}

func (d *decoder) list(t *schema.Type, prev any) (any, outcome) {
	before, _ := prev.([]any)
	if !d.enter() {
		return nil, failed
	}
	l := []any{}
	for {
		more, ok := d.item(len(l))
		if !ok {
			return nil, failed
		}
		if !more {
			break
		}
		var was any
		if len(l) < len(before) {
			was = before[len(l)]
		}
		d.stack = append(d.stack, frame{index: len(l)})
		v, got := d.value(t.Elem, was)
		d.stack = d.stack[:len(d.stack)-1]
		switch {
		case got == failed:
			return nil, failed
		case got == stored:
		case was != nil && got == kept:
			v = was
		default:
			v = zero(t.Elem)
		}
		l = append(l, v)
	}
	d.leave()
	return l, stored
}

func (d *decoder) bytes() (any, outcome) {
	s, ok := d.str()
	if !ok {
		return nil, failed
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		d.save(err)
		return nil, kept
	}
	return base64.StdEncoding.EncodeToString(b), stored // without line ends and stray bits
}

// byteList reads bytes that are written as a list of numbers, which Go accepts too.
func (d *decoder) byteList() (any, outcome) {
	octets := &schema.Type{Kind: schema.List, GoName: "[]uint8", Elem: &schema.Type{Kind: schema.Int32, GoName: "uint8"}}
	v, got := d.list(octets, nil)
	if got != stored {
		return nil, got
	}
	b := make([]byte, 0, len(v.([]any)))
	for _, e := range v.([]any) {
		n := e.(int64)
		if n < 0 || n > 255 {
			d.mismatch("number "+strconv.FormatInt(n, 10), "uint8")
		}
		b = append(b, byte(n))
	}
	return base64.StdEncoding.EncodeToString(b), stored
}

// number reads a number that Go holds as an int32, int64 or float64.
func (d *decoder) number(t *schema.Type) (any, outcome) {
	item, ok := d.numberText()
	if !ok {
		return nil, failed
	}
	if t.Kind == schema.Float64 {
		f, err := strconv.ParseFloat(string(item), 64)
		if err != nil {
			d.mismatch("number "+string(item), t.GoName)
			return nil, kept
		}
		return f, stored
	}
	n, fits := parseInt(item)
	if !fits || t.Kind == schema.Int32 && n != int64(int32(n)) {
		d.mismatch("number "+string(item), t.GoName)
		return nil, kept
	}
	return n, stored
}

// parseInt does the work of strconv.ParseInt for the text of a JSON number.
func parseInt(item []byte) (int64, bool) {
	if len(item) > 18 {
		n, err := strconv.ParseInt(string(item), 10, 64)
		return n, err == nil
	}
	digits, sign := item, int64(1)
	if digits[0] == '-' {
		digits, sign = digits[1:], -1
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return sign * n, true
}
