package wire

import (
	"encoding/binary"
	"strconv"

	"github.com/tabernetes/tabernetes/core/cbor/item"
	"github.com/tabernetes/tabernetes/web/text"
)

const (
	selfDescribed = 55799
	maxTags       = 16 // on one item
)

var majorNames = [...]string{"unsigned integer", "negative integer", "byte string", "text string", "array", "map",
	"tag", "simple value"}

// tagNames are the tags that Kubernetes writes or understands.
var tagNames = map[uint64]string{
	0: "time as text", 1: "seconds since 1970", 2: "large number", 3: "large negative number",
	21: "shown as base64url", 22: "shown as base64", 23: "shown as hexadecimal", selfDescribed: "this is CBOR",
}

// CBOR reads one object.
func CBOR(data []byte) *Document {
	d := &cborReader{decoder{data: data}}
	if len(data) == 0 {
		return d.document(fail(0, "there are no bytes"))
	}
	err := d.item(Span{})
	if err == nil && d.at < len(data) {
		err = fail(d.at, "%s after the end of the object", bytesOf(len(data)-d.at))
	}
	return d.document(err)
}

// CBORSequence reads the events of a watch, one item after the other. The last one
// may be cut.
func CBORSequence(data []byte) *Document {
	d := &cborReader{decoder{data: data}}
	for d.at < len(data) {
		if err := d.item(Span{Offset: d.at}); err != nil {
			return d.document(err)
		}
	}
	return d.document(nil)
}

type cborReader struct{ decoder }

// cborHead is what an item begins with.
type cborHead struct {
	major, code byte
	n           uint64 // a value, a length, a count or a tag
	size        int    // in bytes
}

func (h cborHead) endless() bool { return h.code == item.Endless }

// head reads the head at from.
func (d *cborReader) head(from int) (h cborHead, err *Error) {
	if from >= len(d.data) {
		return h, fail(from, "the bytes end where an item should begin")
	}
	h = cborHead{major: d.data[from] >> 5, code: d.data[from] & 31, size: 1}
	switch {
	case h.code < 24:
		h.n = uint64(h.code)
		return h, nil
	case h.code == item.Endless:
		if h.major <= item.Negative || h.major == item.Tag {
			return h, fail(from, "%s cannot end with a break", article(majorNames[h.major]))
		}
		return h, nil
	case h.code > 27:
		return h, fail(from, "the first byte of an item has %d in its lower bits, which is not in use", h.code)
	}
	size := 1 << (h.code - 24)
	if len(d.data)-from-1 < size {
		return h, fail(from, "the bytes end within the head of %s", article(majorNames[h.major]))
	}
	var number [8]byte
	copy(number[8-size:], d.data[from+1:from+1+size])
	h.n, h.size = binary.BigEndian.Uint64(number[:]), 1+size
	if h.major == item.Primitive && h.code == 24 && h.n < 32 {
		return h, fail(from, "simple value %d is written in two bytes", h.n)
	}
	return h, nil
}

func article(name string) string {
	if name[0] == 'a' || name[0] == 'u' {
		return "an " + name
	}
	return "a " + name
}

// item reads the item at d.at. s has what is known of it before: where its span
// begins, which is at the key of a map's entry, its depth, and its name.
func (d *cborReader) item(s Span) *Error {
	h, err := d.head(d.at)
	for tags := ""; err == nil && h.major == item.Tag; h, err = d.head(d.at) {
		d.at += h.size
		s.Parts = append(s.Parts, Part{Tag, h.size})
		name := "tag " + strconv.FormatUint(h.n, 10)
		if known := tagNames[h.n]; known != "" {
			name += ", " + known
		}
		if h.n == selfDescribed && tags == "" && s.Name == "" {
			s.Length, s.Type, s.Parts[0].Role = d.at-s.Offset, name, Magic
			if _, err := d.add(s); err != nil {
				return err
			}
			s = Span{Offset: d.at, Depth: s.Depth}
			continue
		}
		tags += name + "; "
		if s.Type = tags; len(s.Parts) > maxTags {
			return fail(d.at, "an item has more than %d tags", maxTags)
		}
	}
	if err != nil {
		return err
	}
	if s.Depth > maxDepth {
		return fail(d.at, "items nest more than %d levels deep", maxDepth)
	}
	s.Parts = append(s.Parts, Part{Head, h.size})
	d.at += h.size
	switch h.major {
	case item.Unsigned:
		s.Type += majorNames[h.major]
		s.Value, s.Kind = strconv.FormatUint(h.n, 10), text.Number
	case item.Negative:
		s.Type += majorNames[h.major]
		s.Value, s.Kind = item.Negated(h.n), text.Number
	case item.Bytes, item.Text:
		if h.endless() {
			return d.chunks(s, h)
		}
		return d.string(s, h)
	case item.Array, item.Map:
		return d.within(s, h)
	case item.Primitive:
		if h.endless() {
			return fail(d.at-1, "a break ends nothing here")
		}
		d.simple(&s, h)
	}
	s.Length = d.at - s.Offset
	_, err = d.add(s)
	return err
}

func (d *cborReader) simple(s *Span, h cborHead) {
	switch {
	case h.code >= 25:
		s.Type += "float of " + strconv.Itoa(8<<(h.code-24)) + " bits"
		s.Value, s.Kind = strconv.FormatFloat(item.Float(h.code, h.n), 'g', -1, 64), text.Number
	default:
		s.Type += "simple value " + strconv.FormatUint(h.n, 10)
		s.Value, s.Kind = map[uint64]string{20: "false", 21: "true", 22: "null", 23: "undefined"}[h.n], text.Literal
	}
}

// run checks that a string's bytes are there, and passes over them.
func (d *cborReader) run(h cborHead) ([]byte, *Error) {
	if left := len(d.data) - d.at; h.n > uint64(left) {
		return nil, fail(d.at-h.size, "%s has %s, with only %d left", article(majorNames[h.major]),
			counted(h.n, "byte", "bytes"), left)
	}
	run := d.data[d.at : d.at+int(h.n)]
	d.at += len(run)
	return run, nil
}

// string reads the rest of a string. Kubernetes writes text as byte strings too.
func (d *cborReader) string(s Span, h cborHead) *Error {
	run, err := d.run(h)
	if err != nil {
		return err
	}
	if len(run) > 0 {
		s.Parts = append(s.Parts, Part{Payload, len(run)})
	}
	s.Type += majorNames[h.major] + ", " + bytesOf(len(run))
	if printable(run) {
		s.Value, s.Kind = quoted(run), text.String
	}
	s.Length = d.at - s.Offset
	_, err = d.add(s)
	return err
}

// chunks reads the rest of a string that comes in pieces.
func (d *cborReader) chunks(s Span, h cborHead) *Error {
	s.Type += majorNames[h.major] + " in pieces"
	return d.nested(s, func(depth int) *Error {
		piece, err := d.head(d.at)
		switch {
		case err != nil:
			return err
		case piece.major != h.major || piece.endless():
			return fail(d.at, "a chunk of a %s has to be a %[1]s with a length", majorNames[h.major])
		}
		return d.item(Span{Offset: d.at, Depth: depth})
	}, h)
}

// within reads the rest of an array or a map.
func (d *cborReader) within(s Span, h cborHead) *Error {
	i := -1
	read := func(depth int) *Error {
		i++
		return d.item(Span{Offset: d.at, Depth: depth, Name: "[" + strconv.Itoa(i) + "]"})
	}
	one, many := "item", "items"
	if h.major == item.Map {
		one, many, read = "pair", "pairs", d.pair
	}
	if h.endless() {
		s.Type += majorNames[h.major] + " of " + many + " up to a break"
	} else {
		s.Type += majorNames[h.major] + ", " + counted(h.n, one, many)
	}
	return d.nested(s, read, h)
}

// nested reads what is in a span: as many as its head says, or until a break.
func (d *cborReader) nested(s Span, read func(depth int) *Error, h cborHead) *Error {
	at, err := d.add(s)
	if err != nil {
		return err
	}
	for i := uint64(0); h.endless() || i < h.n; i++ {
		if h.endless() && d.at < len(d.data) && d.data[d.at] == item.Break {
			end := Span{Offset: d.at, Length: 1, Depth: s.Depth + 1, Parts: []Part{{Head, 1}}, Type: "break"}
			if _, err := d.add(end); err != nil {
				return err
			}
			d.at++
			break
		}
		if err := read(s.Depth + 1); err != nil {
			return err
		}
	}
	d.spans[at].Length = d.at - s.Offset
	return nil
}

// pair reads an entry of a map: in one span if its key is a plain string, which is
// its name then, otherwise in two.
func (d *cborReader) pair(depth int) *Error {
	s := Span{Offset: d.at, Depth: depth}
	h, err := d.head(d.at)
	if err != nil {
		return err
	}
	if h.major != item.Bytes && h.major != item.Text || h.endless() {
		s.Name = "key"
		if err := d.item(s); err != nil {
			return err
		}
		return d.item(Span{Offset: d.at, Depth: depth, Name: "value"})
	}
	d.at += h.size
	key, err := d.run(h)
	if err != nil {
		return err
	}
	s.Name = string(key)
	if len(key) == 0 || len(key) > maxValue || !printable(key) {
		s.Name = quoted(key)
	}
	s.Parts = []Part{{Key, h.size + len(key)}}
	return d.item(s)
}
