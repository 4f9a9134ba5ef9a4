package wire

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/web/text"
)

// magic begins every object that Kubernetes encodes in protobuf.
const magic = "k8s\x00"

// The wire types, as protobuf's documentation names them.
const (
	varint = 0
	i64    = 1
	length = 2
	i32    = 5
)

var wireNames = map[uint64]string{varint: "VARINT", i64: "I64", length: "LEN", i32: "I32"}

// Protobuf reads an object with its envelope.
func Protobuf(data []byte) *Document {
	d := &protobufReader{decoder{data: data}}
	err := d.envelope(0, len(data))
	return d.document(err)
}

// ProtobufStream reads the events of a watch: each is a length of four bytes and
// a WatchEvent, in which an object has its envelope. The last one may be cut.
func ProtobufStream(data []byte) *Document {
	d := &protobufReader{decoder{data: data}}
	event := fieldsOf(schema.MessageOf(schema.TypeOf("", "v1", "WatchEvent")))
	for d.at < len(data) {
		if err := d.frame(event); err != nil {
			return d.document(err)
		}
	}
	return d.document(nil)
}

type protobufReader struct{ decoder }

func (d *protobufReader) frame(event fields) *Error {
	const head = 4
	if d.left(len(d.data)) < head {
		return fail(d.at, "an event begins with its length in 4 bytes, with only %d left", d.left(len(d.data)))
	}
	size := uint64(binary.BigEndian.Uint32(d.data[d.at:]))
	if rest := d.left(len(d.data)) - head; size > uint64(rest) {
		return fail(d.at, "the event has %s, with only %d left", counted(size, "byte", "bytes"), rest)
	}
	if _, err := d.add(Span{
		Offset: d.at, Length: head + int(size), Parts: []Part{{Size, head}}, Name: "event", Type: "frame, " +
			bytesOf(int(size)),
	}); err != nil {
		return err
	}
	d.at += head
	return d.message(1, d.at+int(size), event)
}

// envelope reads an object's envelope, which ends at end.
func (d *protobufReader) envelope(depth, end int) *Error {
	if !bytes.HasPrefix(d.data[d.at:end], []byte(magic)) {
		return fail(d.at, "an object in protobuf begins with 6b 38 73 00")
	}
	if _, err := d.add(Span{
		Offset: d.at, Length: len(magic), Depth: depth, Parts: []Part{{Magic, len(magic)}},
		Type: "magic", Value: quoted([]byte(magic)), Kind: text.String,
	}); err != nil {
		return err
	}
	d.at += len(magic)
	return d.message(depth, end, d.inside(d.data[d.at:end]))
}

// inside returns the fields of an envelope. The type of its message depends on the other fields, which may come after
// it.
func (d *protobufReader) inside(data []byte) fields {
	var apiVersion, kind, contentType string
	each(data, func(number uint64, value []byte) {
		switch number {
		case 1:
			each(value, func(number uint64, value []byte) {
				switch number {
				case 1:
					apiVersion = string(value)
				case 2:
					kind = string(value)
				}
			})
		case 4:
			contentType = string(value)
		}
	})
	return envelope(typeOf(apiVersion, kind), contentType)
}

// message reads the fields of a message that ends at end.
func (d *protobufReader) message(depth, end int, in fields) *Error {
	for d.at < end {
		if err := d.field(depth, end, in); err != nil {
			return err
		}
	}
	return nil
}

// uvarint reads a varint before end. what names it in errors.
func (d *protobufReader) uvarint(from, end int, what string) (value uint64, size int, err *Error) {
	value, size = binary.Uvarint(d.data[from:end])
	switch {
	case size == 0:
		return 0, 0, fail(from, "the bytes end within %s", what)
	case size < 0:
		return 0, 0, fail(from, "%s has more than 64 bits", what)
	}
	return value, size, nil
}

// field reads one field.
func (d *protobufReader) field(depth, end int, in fields) *Error {
	start := d.at
	tag, n, err := d.uvarint(start, end, "a field's tag")
	if err != nil {
		return err
	}
	s := Span{Offset: start, Depth: depth, Number: tag >> 3, Parts: []Part{{Tag, n}}}
	wire, at := tag&7, start+n
	name, ok := wireNames[wire]
	switch {
	case s.Number == 0 || s.Number > math.MaxInt32>>2:
		return fail(start, "a field cannot have the number %d", s.Number)
	case !ok:
		return fail(start, "field %d has the wire type %d, which is not in use", s.Number, wire)
	}
	f := in.get(s.Number)
	s.Name, s.Type = f.name, name
	var number uint64
	var size int
	switch wire {
	case varint:
		if number, size, err = d.uvarint(at, end, "a field's value"); err != nil {
			return err
		}
	case i64, i32:
		if size = 8; wire == i32 {
			size = 4
		}
		if end-at < size {
			return fail(at, "field %d has %d bytes, with only %d left", s.Number, size, end-at)
		}
		var fixed [8]byte
		copy(fixed[:], d.data[at:at+size])
		number = binary.LittleEndian.Uint64(fixed[:])
	case length:
		return d.delimited(s, f, at, end)
	}
	s.Parts = append(s.Parts, Part{Payload, size})
	s.Length = at + size - start
	s.Value, s.Kind = numberText(f.encoding, wire, number)
	d.at = at + size
	_, err = d.add(s)
	return err
}

// delimited reads the rest of a field that has a length.
func (d *protobufReader) delimited(s Span, f field, at, end int) *Error {
	size, n, err := d.uvarint(at, end, "a field's length")
	if err != nil {
		return err
	}
	s.Parts = append(s.Parts, Part{Size, n})
	if size > uint64(end-at-n) {
		return fail(at, "field %d has %s, with only %d left", s.Number, counted(size, "byte", "bytes"), end-at-n)
	}
	d.at = at + n
	end = d.at + int(size)
	s.Length = end - s.Offset
	s.Type += ", " + bytesOf(int(size))
	value := d.data[d.at:end]
	nested := func(read func() *Error) *Error {
		if _, err := d.add(s); err != nil {
			return err
		}
		return read()
	}
	switch {
	case len(value) == 0 && f.encoding == unknown, s.Depth+1 >= maxDepth:
	case f.encoding == aMessage:
		s.Value, s.Kind = timeText(f.kind, value)
		return nested(func() *Error { return d.message(s.Depth+1, end, f.in) })
	case f.encoding != aString && f.encoding != someBytes && bytes.HasPrefix(value, []byte(magic)):
		return nested(func() *Error { return d.envelope(s.Depth+1, end) })
	case f.encoding == someJSON && printable(value):
		s.Value, s.Kind = cut(value), text.Plain
	case f.encoding == aString, f.encoding != someBytes && printable(value):
		s.Value, s.Kind = quoted(value), text.String
	case f.encoding == unknown && each(value, nil):
		return nested(func() *Error { return d.message(s.Depth+1, end, nil) })
	}
	if len(value) > 0 {
		s.Parts = append(s.Parts, Part{Payload, len(value)})
	}
	d.at = end
	_, err = d.add(s)
	return err
}

// each calls f, unless it is nil, with the fields of a message that have a length. It
// reports whether the bytes can be a message; what is nested is not looked at.
func each(data []byte, f func(number uint64, value []byte)) bool {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 || tag>>3 == 0 || tag>>3 > math.MaxInt32>>2 {
			return false
		}
		data = data[n:]
		size := uint64(0)
		switch tag & 7 {
		case varint:
			if _, n = binary.Uvarint(data); n <= 0 {
				return false
			}
			size = uint64(n)
		case i64:
			size = 8
		case i32:
			size = 4
		case length:
			if size, n = binary.Uvarint(data); n <= 0 {
				return false
			}
			data = data[n:]
		default:
			return false
		}
		if size > uint64(len(data)) {
			return false
		}
		if tag&7 == length && f != nil {
			f(tag>>3, data[:size])
		}
		data = data[size:]
	}
	return true
}

// numberText returns a number as the type of its field has it.
func numberText(as encoding, wire, n uint64) (string, text.Kind) {
	switch {
	case as == aBool && wire == varint:
		return strconv.FormatBool(n != 0), text.Literal
	case as == aSigned32 && wire == varint:
		return strconv.FormatInt(int64(int32(n)), 10), text.Number
	case as == aSigned64 && wire == varint:
		return strconv.FormatInt(int64(n), 10), text.Number
	case wire == i64 && (as == aFloat || as == unknown):
		return strconv.FormatFloat(math.Float64frombits(n), 'g', -1, 64), text.Number
	}
	return strconv.FormatUint(n, 10), text.Number
}

// timeText returns the time or the duration that a message stands for.
func timeText(kind schema.Kind, message []byte) (string, text.Kind) {
	if len(message) == 0 || kind != schema.Time && kind != schema.MicroTime && kind != schema.Duration {
		return "", text.None
	}
	var number [3]uint64
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 || tag&7 != varint || tag>>3 >= uint64(len(number)) {
			return "", text.None
		}
		value, m := binary.Uvarint(message[n:])
		if m <= 0 {
			return "", text.None
		}
		number[tag>>3] = value
		message = message[n+m:]
	}
	if kind == schema.Duration {
		return time.Duration(number[1]).String(), text.Literal
	}
	return time.Unix(int64(number[1]), int64(int32(number[2]))).UTC().Format(time.RFC3339Nano), text.Literal
}
