package wire

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/web/text"
)

const (
	// maxSpans is how many spans a document has at most.
	maxSpans = 20_000
	// maxDepth is how deep they nest at most: in a browser, recursion takes its stack.
	maxDepth = 100
)

// Role says what some bytes of a span are for.
type Role byte

// The roles.
const (
	Payload Role = iota // the value itself
	Magic               // what every document of the representation begins with
	Tag                 // a protobuf field's number and wire type; a CBOR tag
	Size                // the length of what follows
	Key                 // the key of an entry of a CBOR map
	Head                // the type of a CBOR item, with its value or length
)

// A Part is a run of a span's own bytes.
type Part struct {
	Role   Role
	Length int
}

// A Span is a run of bytes that belong together.
type Span struct {
	Offset int // of its first byte
	Length int // in bytes, with all spans that are nested in it
	Depth  int
	// Parts are its own bytes, which are its first ones; those of nested spans follow.
	Parts []Part
	// Number is the field's number in protobuf, 0 for what has none.
	Number uint64
	// Name is the field's name, empty where it is not known.
	Name string
	// Type is what it is on the wire: "LEN, 24 bytes", "map, 3 pairs".
	Type string
	// Value is the value as text, and Kind how it is coloured. Both are empty for most
	// of what has nested spans.
	Value string
	Kind  text.Kind
}

// Own returns the number of the span's own bytes.
func (s *Span) Own() int {
	n := 0
	for _, p := range s.Parts {
		n += p.Length
	}
	return n
}

// A Document is a body that was read.
type Document struct {
	Bytes []byte
	Spans []Span
	// Rest is where reading ended: the number of bytes if all were read.
	Rest int
	// Err is why it ended before; nil also if there were too many spans.
	Err *Error
}

// An Error says where bytes are not what they should be.
type Error struct {
	Offset int // in bytes, from the beginning of the document
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Reason) }

// Read reads a body. The content type of the answer says what it is; a body of any other type is one span.
func Read(contentType, body string) *Document {
	data := []byte(body)
	mime, _, _ := strings.Cut(contentType, ";")
	switch mime = strings.TrimSpace(mime); {
	case mime == "application/vnd.kubernetes.protobuf" && strings.Contains(contentType, "stream=watch"):
		return ProtobufStream(data)
	case mime == "application/vnd.kubernetes.protobuf":
		return Protobuf(data)
	case mime == "application/cbor":
		return CBOR(data)
	case mime == "application/cbor-seq":
		return CBORSequence(data)
	}
	d := &decoder{data: data}
	if len(data) > 0 {
		d.add(Span{Length: len(data), Parts: []Part{{Payload, len(data)}}, Type: bytesOf(len(data))})
	}
	d.at = len(data)
	return d.document(nil)
}

// decoder holds what both readers need.
type decoder struct {
	data  []byte
	at    int
	spans []Span
}

// full is the error that ends reading when there are too many spans.
var full = &Error{Reason: "there are too many fields"}

// document returns what was read until err.
func (d *decoder) document(err *Error) *Document {
	doc := &Document{Bytes: d.data, Spans: d.spans, Rest: d.at}
	if err != full {
		doc.Err = err
	}
	if err != nil {
		doc.Rest = 0
		if n := len(d.spans); n > 0 {
			doc.Rest = d.spans[n-1].Offset + d.spans[n-1].Own()
		}
		for i := range d.spans { // those whose end was not reached
			s := &d.spans[i]
			if s.Length = min(s.Length, doc.Rest-s.Offset); s.Length == 0 {
				s.Length = doc.Rest - s.Offset
			}
		}
	}
	return doc
}

// add appends a span and returns where it is.
func (d *decoder) add(s Span) (int, *Error) {
	if len(d.spans) == maxSpans {
		return 0, full
	}
	d.spans = append(d.spans, s)
	return len(d.spans) - 1, nil
}

// left returns how many bytes there are before end.
func (d *decoder) left(end int) int { return end - d.at }

func fail(offset int, format string, args ...any) *Error {
	return &Error{offset, fmt.Sprintf(format, args...)}
}
