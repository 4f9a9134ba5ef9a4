// More than 400 lines: a decoder by recursive descent is one piece.

package cbor

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/cbor/item"
	"github.com/tabernetes/tabernetes/core/object"
)

// typeNames are the major types as errors name them.
var typeNames = [...]string{
	"positive integer", "negative integer", "byte string", "UTF-8 text string", "array", "map", "tag", "primitives",
}

// The largest numbers of items and pairs that an array and a map may declare.
const (
	maxItems = math.MaxInt32
	maxPairs = 2097152
)

// ToJSON converts a document to JSON. goType is the type that errors name; the item has to be a
// map, or null. With an error there may be a document: then the item is well-formed, and null
// stands for values that JSON cannot represent. The error is object.ErrTooDeep for items that nest deeper than
// object.MaxDecoded, and object.ErrTooMany for more than object.MaxValues values.
func ToJSON(data []byte, goType string) ([]byte, error) {
	d := decoder{data: data, dst: make([]byte, 0, 2*len(data))}
	if len(data) == 0 {
		return nil, io.EOF
	}
	major, err := d.value()
	switch {
	case err != nil:
		return nil, err
	case d.at < len(data):
		return nil, fmt.Errorf("cbor: %d bytes of extraneous data starting at index %d", len(data)-d.at, d.at)
	case d.whole:
		return nil, d.unrepresentable
	case major != item.Map && string(d.dst) != "null":
		return nil, fmt.Errorf("cbor: cannot unmarshal %s into Go value of type %s", typeNames[major], goType)
	}
	return d.dst, d.unrepresentable
}

// A decoder reads one item and writes it as JSON.
type decoder struct {
	data []byte
	at   int
	dst  []byte
	// depth is that of arrays and maps, and of tags on tags.
	depth int
	// values is how many values were begun.
	values int
	// later is the tag of the encoding in which bytes are converted to text; 0 for none.
	later uint64
	// unrepresentable is the first value that JSON cannot represent, and whole is true if it is not in a value
	// but in the document's own map. Errors about items that are not well-formed take precedence.
	unrepresentable error
	whole           bool
}

func (d *decoder) refuse(format string, args ...any) {
	if d.unrepresentable == nil {
		d.unrepresentable = fmt.Errorf("cbor: "+format, args...)
	}
}

// A head is the beginning of an item.
type head struct {
	major, code byte   // code is the lower five bits
	n           uint64 // its number: a length, a count, a tag or a value
}

func (h head) endless() bool { return h.code == item.Endless }

func (d *decoder) head() (h head, err error) {
	if d.at >= len(d.data) {
		return h, io.ErrUnexpectedEOF
	}
	h.major, h.code = d.data[d.at]>>5, d.data[d.at]&31
	d.at++
	if h.code < 24 {
		h.n = uint64(h.code)
		return h, nil
	}
	if h.code > 27 {
		switch {
		case h.code < item.Endless, h.major <= item.Negative, h.major == item.Tag:
			return h, fmt.Errorf("cbor: invalid additional information %d for type %s", h.code, typeNames[h.major])
		case h.major == item.Primitive:
			return h, fmt.Errorf("cbor: unexpected \"break\" code")
		}
		return h, nil
	}
	size := 1 << (h.code - 24)
	if len(d.data)-d.at < size {
		return h, io.ErrUnexpectedEOF
	}
	var number [8]byte
	copy(number[8-size:], d.data[d.at:])
	h.n = binary.BigEndian.Uint64(number[:])
	d.at += size
	if h.major == item.Primitive {
		return h, h.primitive()
	}
	return h, nil
}

// primitive checks a primitive that has a number after it.
func (h head) primitive() error {
	if h.code == 24 {
		if h.n < 32 {
			return fmt.Errorf("cbor: invalid simple value %d for type %s", h.n, typeNames[h.major])
		}
		return nil
	}
	what := ""
	switch f := item.Float(h.code, h.n); {
	case math.IsNaN(f):
		what = "floating-point NaN"
	case math.IsInf(f, 0):
		what = "floating-point infinity"
	default:
		return nil
	}
	return unaccepted(item.Primitive, what)
}

func unaccepted(major byte, what string) error {
	return fmt.Errorf("cbor: data item of cbor type %s is not accepted by protocol: %s", typeNames[major], what)
}

// ended reports whether a break comes next, and reads it.
func (d *decoder) ended() bool {
	if d.at < len(d.data) && d.data[d.at] == item.Break {
		d.at++
		return true
	}
	return false
}

// value reads an item and writes it. It returns its major type, that of its content if it has tags.
// The error says that it is not well-formed.
func (d *decoder) value() (byte, error) {
	h, err := d.head()
	if err != nil {
		return 0, err
	}
	if d.values++; d.values > object.MaxValues+1 { // the document is not in another value
		return 0, object.ErrTooMany
	}
	switch h.major {
	case item.Unsigned:
		if h.n > math.MaxInt64 {
			d.refuse("cannot unmarshal %s into Go value of type int64 (%d overflows Go's int64)", typeNames[h.major], h.n)
		}
		d.dst = strconv.AppendInt(d.dst, int64(h.n), 10)
	case item.Negative:
		if h.n > math.MaxInt64 {
			d.refuse("cannot unmarshal %s into Go value of type int64 (%s overflows Go's int64)", typeNames[h.major],
				item.Negated(h.n))
		}
		d.dst = strconv.AppendInt(d.dst, ^int64(h.n), 10)
	case item.Bytes, item.Text:
		s, err := d.string(h)
		if err != nil {
			return 0, err
		}
		d.dst = object.EncodeAny(d.dst, s)
	case item.Array, item.Map:
		return h.major, d.within(h)
	case item.Tag:
		return d.tag(h)
	case item.Primitive:
		d.primitive(h)
	}
	return h.major, nil
}

func (d *decoder) primitive(h head) {
	switch {
	case h.code >= codeFloat16&31:
		from := len(d.dst)
		d.dst = object.EncodeAny(d.dst, item.Float(h.code, h.n))
		if !strings.ContainsAny(string(d.dst[from:]), ".e") {
			d.dst = append(d.dst, ".0"...) // otherwise it would be read as an integer
		}
		return
	case h.n == codeFalse&31:
		d.dst = append(d.dst, "false"...)
		return
	case h.n == codeTrue&31:
		d.dst = append(d.dst, "true"...)
		return
	case h.n != codeNull&31:
		if d.unrepresentable == nil {
			d.unrepresentable = unaccepted(item.Primitive, fmt.Sprintf("simple value %d is not recognized", h.n))
		}
	}
	d.dst = append(d.dst, "null"...)
}

// string reads the rest of a string, and returns its bytes or the text that represents them.
func (d *decoder) string(h head) (string, error) {
	raw, err := d.bytes(h)
	if err != nil {
		return "", err
	}
	if h.major == item.Text {
		if !utf8.Valid(raw) {
			d.refuse("invalid UTF-8 string")
		}
		return string(raw), nil
	}
	switch d.later {
	case tagBase64URL:
		return base64.RawURLEncoding.EncodeToString(raw), nil
	case tagBase64:
		return base64.StdEncoding.EncodeToString(raw), nil
	case tagHex:
		return hex.EncodeToString(raw), nil
	}
	return string(raw), nil
}

// bytes reads the rest of a string without conversion.
func (d *decoder) bytes(h head) (all []byte, err error) {
	if !h.endless() {
		return d.chunk(h)
	}
	for !d.ended() {
		if d.at >= len(d.data) {
			return nil, io.ErrUnexpectedEOF
		}
		switch first := d.data[d.at]; {
		case first>>5 != h.major:
			return nil, fmt.Errorf("cbor: wrong element type %s for indefinite-length %s", typeNames[first>>5],
				typeNames[h.major])
		case first&31 == item.Endless:
			return nil, fmt.Errorf("cbor: indefinite-length %s chunk is not definite-length", typeNames[h.major])
		}
		next, err := d.head()
		if err != nil {
			return nil, err
		}
		part, err := d.chunk(next)
		if err != nil {
			return nil, err
		}
		if h.major == item.Text && !utf8.Valid(part) {
			d.refuse("invalid UTF-8 string")
		}
		all = append(all, part...)
	}
	return all, nil
}

func (d *decoder) chunk(h head) ([]byte, error) {
	switch {
	case h.n > math.MaxInt:
		return nil, fmt.Errorf("cbor: %s length %d is too large, causing integer overflow", typeNames[h.major], h.n)
	case h.n > uint64(len(d.data)-d.at):
		return nil, io.ErrUnexpectedEOF
	}
	part := d.data[d.at : d.at+int(h.n)]
	d.at += int(h.n)
	return part, nil
}

// within reads the rest of an array or a map.
func (d *decoder) within(h head) error {
	var err error
	switch d.depth++; {
	case d.depth > object.MaxDecoded:
		return object.ErrTooDeep
	case h.endless():
	case h.n > math.MaxInt:
		return fmt.Errorf("cbor: %s length %d is too large, it would cause integer overflow", typeNames[h.major], h.n)
	case h.major == item.Array && h.n > maxItems:
		return fmt.Errorf("cbor: exceeded max number of elements %d for CBOR array", maxItems)
	case h.major == item.Map && h.n > maxPairs:
		return fmt.Errorf("cbor: exceeded max number of key-value pairs %d for CBOR map", maxPairs)
	}
	if h.major == item.Array {
		err = d.array(h)
	} else {
		err = d.object(h)
	}
	d.depth--
	return err
}

// more reports whether an array or a map has an entry at i.
func (d *decoder) more(h head, i uint64) bool {
	if h.endless() {
		return !d.ended()
	}
	return i < h.n
}

func (d *decoder) array(h head) error {
	d.dst = append(d.dst, '[')
	for i := uint64(0); d.more(h, i); i++ {
		if i > 0 {
			d.dst = append(d.dst, ',')
		}
		if _, err := d.value(); err != nil {
			return err
		}
	}
	d.dst = append(d.dst, ']')
	return nil
}

func (d *decoder) object(h head) error {
	top := d.depth == 1
	names, name := map[string]bool{}, ""
	d.dst = append(d.dst, '{')
	for i := uint64(0); d.more(h, i); i++ {
		start := len(d.dst)
		if i > 0 && d.dst[start-1] != '{' {
			d.dst = append(d.dst, ',')
		}
		var ok bool
		var err error
		name, ok, err = d.name(name)
		if err != nil {
			return err
		}
		d.dst = append(object.EncodeAny(d.dst, name), ':')
		if h.endless() && d.at < len(d.data) && d.data[d.at] == item.Break {
			return fmt.Errorf("cbor: unexpected \"break\" code")
		}
		if _, err := d.value(); err != nil {
			return err
		}
		switch {
		case !ok:
			d.dst = d.dst[:start]
		case names[name]:
			if top && d.unrepresentable == nil {
				d.whole = true
			}
			d.refuse("found duplicate map key %q at map element index %d", name, i)
		}
		names[name] = true
	}
	d.dst = append(d.dst, '}')
	return nil
}

// name reads the key of a map; false if an object cannot have it. Null stands for the previous key,
// as in apimachinery.
func (d *decoder) name(before string) (name string, ok bool, err error) {
	later := d.later
	for {
		from := d.at
		h, err := d.head()
		switch {
		case err != nil:
			return "", false, err
		case h.major == item.Tag:
			if err := d.open(h); err != nil {
				return "", false, err
			}
			continue
		case h.major == item.Bytes, h.major == item.Text:
			name, err = d.string(h)
			d.later = later
			return name, true, err
		}
		// Other keys are read and dropped.
		d.at = from
		start, fault := len(d.dst), d.unrepresentable
		if _, err = d.value(); err != nil {
			return "", false, err
		}
		if h.major != item.Primitive {
			d.unrepresentable = fault
		}
		d.later = later
		isNull := string(d.dst[start:]) == "null"
		d.dst = d.dst[:start]
		if !isNull {
			d.refuse("cannot unmarshal %s into Go value of type string", typeNames[h.major])
		}
		return before, isNull, nil
	}
}

// open applies a tag to the item after it.
func (d *decoder) open(h head) error {
	if d.at >= len(d.data) {
		return io.ErrUnexpectedEOF
	}
	major, code := d.data[d.at]>>5, d.data[d.at]&31
	switch h.n {
	case tagBase64URL, tagBase64, tagHex:
		d.later = h.n
	case tagBignum, tagNegBignum:
		return unaccepted(item.Tag, "bignum")
	case tagTime:
		if major != item.Text {
			d.refuse("tag number %d must be followed by text string, got %s", h.n, typeNames[major])
		}
	case tagEpoch:
		if isFloat := major == item.Primitive && code >= codeFloat16&31 && code <= codeFloat64&31; major > item.Negative &&
			!isFloat {
			d.refuse("tag number %d must be followed by integer or floating-point number, got %s", h.n, typeNames[major])
		}
	}
	return nil
}

// tag reads a tagged item.
func (d *decoder) tag(h head) (byte, error) {
	later, depth := d.later, d.depth
	isTime := func() bool { return h.n == tagTime || h.n == tagEpoch }
	err := d.open(h)
	for err == nil && d.data[d.at]>>5 == item.Tag {
		if d.depth++; d.depth > object.MaxDecoded {
			return 0, object.ErrTooDeep
		}
		if isTime() { // it reads the next tag
			break
		}
		if h, err = d.head(); err == nil {
			err = d.open(h)
		}
	}
	if err != nil {
		return 0, err
	}
	read := d.value
	if isTime() {
		read = d.time
	}
	major, err := read()
	d.later, d.depth = later, depth
	return major, err
}
