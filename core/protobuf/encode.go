package protobuf

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// The wire types.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// Magic begins every encoded object.
const Magic = "k8s\x00"

// Message returns an object's message, without an envelope.
func Message(obj map[string]any, t *schema.Type) []byte {
	e := newEncoder()
	e.message(schema.MessageOf(t), obj)
	return e.taken()
}

// Envelope wraps a message in a runtime.Unknown.
func Envelope(apiVersion, kind string, message []byte) []byte {
	e := newEncoder()
	e.text(4, "") // content type
	e.text(3, "") // content encoding
	e.bytes(2, message)
	e.within(1, func() {
		e.text(2, kind)
		e.text(1, apiVersion)
	})
	e.raw(Magic)
	return e.taken()
}

// AppendEventHead appends a frame of a watch up to the object, of size bytes with its envelope, which ends it: four
// bytes with the length of the message, big-endian, and the beginning of a meta/v1 WatchEvent.
func AppendEventHead(dst []byte, kind string, size int) []byte {
	object := newEncoder()
	object.varint(uint64(size))
	object.tag(1, wireBytes)
	before := object.taken()
	e := newEncoder()
	e.raw(string(before))
	e.varint(uint64(len(before) + size))
	e.tag(2, wireBytes)
	e.text(1, kind)
	head := e.taken()
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(head)+size)), head...)
}

// encoder writes from the end to the beginning, so that the length of a message is known when it
// has to be written.
type encoder struct {
	b  []byte
	at int
}

func newEncoder() *encoder { return &encoder{b: make([]byte, 1024), at: 1024} }

func (e *encoder) taken() []byte { return e.b[e.at:] }

// room grows the buffer at its front by n bytes, and returns them.
func (e *encoder) room(n int) []byte {
	if e.at < n {
		used := len(e.b) - e.at
		grown := make([]byte, 2*len(e.b)+n)
		copy(grown[len(grown)-used:], e.b[e.at:])
		e.b, e.at = grown, len(grown)-used
	}
	e.at -= n
	return e.b[e.at : e.at+n]
}

func (e *encoder) raw(s string) { copy(e.room(len(s)), s) }

func (e *encoder) varint(v uint64) {
	var b [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(b[:], v)
	copy(e.room(n), b[:n])
}

func (e *encoder) tag(number uint64, wire uint64) { e.varint(number<<3 | wire) }

func (e *encoder) number(number uint64, v uint64) {
	e.varint(v)
	e.tag(number, wireVarint)
}

func (e *encoder) text(number uint64, s string) {
	e.raw(s)
	e.varint(uint64(len(s)))
	e.tag(number, wireBytes)
}

func (e *encoder) bytes(number uint64, p []byte) {
	copy(e.room(len(p)), p)
	e.varint(uint64(len(p)))
	e.tag(number, wireBytes)
}

// within writes a message whose fields f writes, the last one first.
func (e *encoder) within(number uint64, f func()) {
	end := len(e.b) - e.at
	f()
	e.varint(uint64(len(e.b) - e.at - end))
	e.tag(number, wireBytes)
}

func (e *encoder) message(p *schema.Message, obj map[string]any) {
	for i := len(p.Fields) - 1; i >= 0; i-- {
		f := &p.Fields[i]
		if f.Embed != nil {
			e.within(f.Number, func() { e.message(f.Embed, obj) })
			continue
		}
		v, ok := obj[f.Field.Name]
		switch {
		case f.Field.Pointer && (!ok || v == nil):
		case f.Field.Type.Kind == schema.List:
			e.list(f.Number, f.Field.Type, v)
		case f.Field.Type.Kind == schema.Map:
			e.mapping(f.Number, f.Field.Type, v)
		case f.Field.Type.Kind == schema.Bytes && v == nil:
		default:
			e.value(f.Number, f.Field.Type, v)
		}
	}
}

// list writes the items of a list as fields of one number; a wrapped one as a message with the
// items in it.
func (e *encoder) list(number uint64, t *schema.Type, v any) {
	items, _ := v.([]any)
	switch {
	case t.Wrapped && items != nil:
		e.within(number, func() { e.items(1, t.Elem, items) })
	case !t.Wrapped:
		e.items(number, t.Elem, items)
	}
}

func (e *encoder) items(number uint64, t *schema.Type, items []any) {
	for _, item := range slices.Backward(items) {
		e.value(number, t, item)
	}
}

func (e *encoder) mapping(number uint64, t *schema.Type, v any) {
	m, _ := v.(map[string]any)
	for _, key := range slices.Backward(slices.Sorted(maps.Keys(m))) {
		e.within(number, func() {
			switch {
			case t.Elem.Kind == schema.Bytes && m[key] == nil:
			case t.Elem.Kind == schema.List:
				items, _ := m[key].([]any)
				e.within(2, func() { e.items(1, t.Elem.Elem, items) })
			default:
				e.value(2, t.Elem, m[key])
			}
			e.text(1, key)
		})
	}
}

// value writes one field; a missing value is written as zero.
func (e *encoder) value(number uint64, t *schema.Type, v any) {
	switch t.Kind {
	case schema.Struct:
		m, _ := v.(map[string]any)
		e.within(number, func() { e.message(schema.MessageOf(t), m) })
	case schema.String:
		s, _ := v.(string)
		e.text(number, s)
	case schema.Bool:
		on, _ := v.(bool)
		e.number(number, bit(on))
	case schema.Int32, schema.Int64:
		e.number(number, uint64(integer(v)))
	case schema.Float64:
		f, ok := v.(float64)
		if !ok {
			f = float64(integer(v))
		}
		binary.LittleEndian.PutUint64(e.room(8), math.Float64bits(f))
		e.tag(number, wireFixed64)
	case schema.Bytes:
		s, _ := v.(string)
		p, _ := base64.StdEncoding.DecodeString(s)
		e.bytes(number, p)
	case schema.Time, schema.MicroTime:
		e.within(number, func() { e.time(t, v) })
	case schema.Duration:
		s, _ := v.(string)
		d, _ := time.ParseDuration(s)
		e.within(number, func() { e.number(1, uint64(d)) })
	case schema.Quantity:
		s, _ := v.(string)
		if v == nil {
			s = "0"
		}
		e.within(number, func() { e.text(1, s) })
	case schema.IntOrString:
		s, isText := v.(string)
		e.within(number, func() {
			e.text(3, s)
			e.number(2, uint64(integer(v)))
			e.number(1, bit(isText))
		})
	case schema.Raw:
		e.within(number, func() {
			if v != nil {
				e.bytes(1, object.EncodeAny(nil, v))
			}
		})
	case schema.Union:
		e.within(number, func() { e.union(t, v) })
	default:
		panic(fmt.Sprintf("protobuf: a field cannot be a %s", t.GoName))
	}
}

func bit(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

func integer(v any) int64 {
	n, _ := v.(int64)
	return n
}

// time writes the fields of a Timestamp; the zero time has none.
func (e *encoder) time(t *schema.Type, v any) {
	s, _ := v.(string)
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return
	}
	nanos := 0
	if t.Kind == schema.MicroTime {
		nanos = at.Nanosecond()
	}
	e.number(2, uint64(nanos))
	e.number(1, uint64(at.Unix()))
}

// union writes the alternative that a value has. A bool is always written: true means that the
// value is a schema, too.
func (e *encoder) union(t *schema.Type, v any) {
	for i := len(t.Fields) - 1; i >= 0; i-- {
		f := &t.Fields[i]
		number := uint64(f.Proto)
		switch shape := f.Type.Kind; v := v.(type) {
		case map[string]any:
			if shape == schema.Struct {
				e.value(number, f.Type, v)
			} else if shape == schema.Bool {
				e.number(number, 1)
			}
		case []any:
			if shape == schema.List {
				e.items(number, f.Type.Elem, v)
			}
		case bool:
			if shape == schema.Bool {
				e.number(number, bit(v))
			}
		default:
			if shape == schema.Bool {
				e.number(number, 0)
			}
		}
	}
}
