// Package jsoniter is what the browser's binary has as
// github.com/json-iterator/go: as much of it as structured-merge-diff uses to read
// and write the sets of fields in managedFields. The module itself would be a
// twentieth of the binary, most of it for encoding Go types, of which there are
// none here.
//
// The names are that module's, and so is what is read, written and reported as an
// error, oddities included; the tests compare them. Nobody imports this package:
// the site's builder replaces the module by it when it compiles ./wasm. What else
// structured-merge-diff comes to use has to be added here.
package jsoniter

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// An API is a way to read and write JSON.
type API struct{}

// ConfigCompatibleWithStandardLibrary is the only way that there is.
var ConfigCompatibleWithStandardLibrary API

// A ValueType is a kind of value, as WhatIsNext tells it.
type ValueType int

// The kinds, in the module's order: errors name them by number.
const (
	InvalidValue ValueType = iota
	StringValue
	NumberValue
	NilValue
	BoolValue
	ArrayValue
	ObjectValue
)

// maxDepth is how deep values may be nested.
const maxDepth = 10000

// An Iterator reads JSON piece by piece. Its Error is the first thing that went
// wrong, io.EOF when more was asked for than there is.
type Iterator struct {
	Error error

	reader io.Reader // what follows, if not nil
	buf    []byte
	head   int // the next byte in buf
	depth  int
}

// Parse reads what a reader gives.
func Parse(_ API, r io.Reader, size int) *Iterator {
	return &Iterator{reader: r, buf: make([]byte, 0, size)}
}

// NewIterator returns an iterator over nothing.
func NewIterator(API) *Iterator { return &Iterator{} }

// Pool hands out iterators.
func (iter *Iterator) Pool() IteratorPool { return IteratorPool{} }

// An IteratorPool hands out iterators.
type IteratorPool struct{}

// BorrowIterator returns an iterator over data.
func (IteratorPool) BorrowIterator(data []byte) *Iterator { return &Iterator{buf: data} }

// ReturnIterator does nothing: iterators are cheap.
func (IteratorPool) ReturnIterator(*Iterator) {}

// ReportError notes an error unless there is one already, with what is around.
func (iter *Iterator) ReportError(operation, message string) {
	if iter.Error != nil && iter.Error != io.EOF {
		return
	}
	around := func(n int) (from int, text []byte) {
		from = max(iter.head-n, 0)
		return from, iter.buf[from:min(iter.head+n, len(iter.buf))]
	}
	from, near := around(10)
	_, far := around(50)
	iter.Error = fmt.Errorf("%s: %s, error found in #%v byte of ...|%s|..., bigger context ...|%s|...",
		operation, message, iter.head-from, near, far)
}

// WhatIsNext tells the kind of the next value and leaves it there.
func (iter *Iterator) WhatIsNext() ValueType {
	kind := InvalidValue
	switch c := iter.token(); {
	case c == '"':
		kind = StringValue
	case c == '-' || '0' <= c && c <= '9':
		kind = NumberValue
	case c == 'n':
		kind = NilValue
	case c == 't' || c == 'f':
		kind = BoolValue
	case c == '[':
		kind = ArrayValue
	case c == '{':
		kind = ObjectValue
	}
	iter.back()
	return kind
}

// more reads on, at the end of the buffer.
func (iter *Iterator) more() bool {
	if iter.reader == nil {
		if iter.Error == nil {
			iter.head = len(iter.buf)
			iter.Error = io.EOF
		}
		return false
	}
	for {
		n, err := iter.reader.Read(iter.buf[:cap(iter.buf)])
		if n > 0 {
			iter.buf, iter.head = iter.buf[:n], 0
			return true
		}
		if err != nil {
			if iter.Error == nil {
				iter.Error = err
			}
			return false
		}
	}
}

// byte takes the next byte; 0 when there is none.
func (iter *Iterator) byte() byte {
	if iter.head == len(iter.buf) && !iter.more() {
		return 0
	}
	iter.head++
	return iter.buf[iter.head-1]
}

// token takes the next byte that is no white space; 0 when there is none.
func (iter *Iterator) token() byte {
	for {
		for i := iter.head; i < len(iter.buf); i++ {
			switch c := iter.buf[i]; c {
			case ' ', '\n', '\t', '\r':
			default:
				iter.head = i + 1
				return c
			}
		}
		if !iter.more() {
			return 0
		}
	}
}

// back puts the last byte back, unless there has been an error.
func (iter *Iterator) back() {
	if iter.Error == nil {
		iter.head--
	}
}

// expect takes the rest of a word.
func (iter *Iterator) expect(rest, operation string) {
	for i := range len(rest) {
		if iter.byte() != rest[i] {
			iter.ReportError(operation, "expect "+rest)
			return
		}
	}
}

func (iter *Iterator) null() { iter.expect("ull", "skipThreeBytes") }

func (iter *Iterator) deeper() bool {
	iter.depth++
	if iter.depth <= maxDepth {
		return true
	}
	iter.ReportError("incrementDepth", "exceeded max depth")
	return false
}

func (iter *Iterator) higher() bool {
	iter.depth--
	if iter.depth >= 0 {
		return true
	}
	iter.ReportError("decrementDepth", "unexpected negative nesting")
	return false
}

// Read takes the next value, whatever it is. Numbers are float64.
func (iter *Iterator) Read() any {
	switch kind := iter.WhatIsNext(); kind {
	case StringValue:
		return iter.string()
	case NumberValue:
		return iter.number("readFloat64", 64)
	case NilValue:
		iter.expect("null", "skipFourBytes")
		return nil
	case BoolValue:
		return iter.bool()
	case ArrayValue:
		list := []any{}
		iter.array(func() { list = append(list, iter.element()) })
		return list
	case ObjectValue:
		object := map[string]any{}
		iter.ReadMapCB(func(_ *Iterator, key string) bool {
			object[key] = iter.element()
			return true
		})
		return object
	default:
		iter.ReportError("Read", fmt.Sprintf("unexpected value type: %v", kind))
		return nil
	}
}

func (iter *Iterator) bool() bool {
	switch c := iter.token(); c {
	case 't':
		iter.expect("rue", "skipThreeBytes")
		return true
	case 'f':
		iter.expect("alse", "skipFourBytes")
	default: // after an error, which is kept
		iter.ReportError("ReadBool", "expect t or f, "+found(c))
	}
	return false
}

// element takes a value within another.
func (iter *Iterator) element() any {
	depth := iter.depth
	v := iter.Read()
	if iter.depth != depth {
		iter.ReportError("ReadVal", "unexpected mismatched nesting")
	}
	return v
}

func found(c byte) string { return "but found " + string([]byte{c}) }

// array takes a list, or null.
func (iter *Iterator) array(element func()) {
	switch c := iter.token(); {
	case c == 'n':
		iter.null()
		return
	case c != '[':
		iter.ReportError("ReadArrayCB", "expect [ or n, "+found(c))
		return
	case !iter.deeper():
		return
	}
	c := iter.token()
	if c != ']' {
		iter.back()
		for element(); ; element() {
			if c = iter.token(); c != ',' {
				break
			}
		}
		if c != ']' {
			iter.ReportError("ReadArrayCB", "expect ] in the end, "+found(c))
		}
	}
	iter.higher()
}

// ReadMapCB takes an object, or null, and calls for each value in it. It tells
// whether it got to the end, as the callback wanted.
func (iter *Iterator) ReadMapCB(value func(*Iterator, string) bool) bool {
	return iter.object("ReadMapCB", true, value)
}

// ReadObjectCB is ReadMapCB, but for what it does after a missing colon: it
// reads on.
func (iter *Iterator) ReadObjectCB(value func(*Iterator, string) bool) bool {
	return iter.object("ReadObjectCB", false, value)
}

func (iter *Iterator) object(operation string, strict bool, value func(*Iterator, string) bool) bool {
	switch c := iter.token(); {
	case c == 'n':
		iter.null()
		return true
	case c != '{':
		iter.ReportError(operation, "expect { or n, "+found(c))
		return false
	case !iter.deeper():
		return false
	}
	c := iter.token()
	if c != '"' && c != '}' {
		iter.ReportError(operation, `expect " after {, `+found(c))
		iter.higher()
		return false
	}
	if c == '}' {
		return iter.higher()
	}
	for iter.back(); ; {
		key := iter.string()
		if colon := iter.token(); colon != ':' && strict {
			// What it names is what came before the key.
			iter.ReportError(operation, "expect : after object field, "+found(c))
			iter.higher()
			return false
		} else if colon != ':' {
			iter.ReportError("ReadObject", "expect : after object field, "+found(colon))
		}
		if !value(iter, key) {
			iter.higher()
			return false
		}
		if c = iter.token(); c != ',' {
			break
		}
	}
	if c != '}' {
		iter.ReportError(operation, "object not ended with }")
		iter.higher()
		return false
	}
	return iter.higher()
}

// string takes a string, or null for an empty one.
func (iter *Iterator) string() string {
	switch c := iter.token(); c {
	case '"':
	case 'n':
		iter.null()
		return ""
	default:
		iter.ReportError("ReadString", `expects " or n, `+found(c))
		return ""
	}
	for i := iter.head; i < len(iter.buf); i++ {
		c := iter.buf[i]
		if c == '"' {
			s := string(iter.buf[iter.head:i])
			iter.head = i + 1
			return s
		}
		if c == '\\' {
			break
		}
		if c < ' ' {
			iter.ReportError("ReadString", fmt.Sprintf("invalid control character found: %d", c))
			return ""
		}
	}
	var s []byte
	for iter.Error == nil {
		switch c := iter.byte(); c {
		case '"':
			return string(s)
		case '\\':
			s = iter.escaped(iter.byte(), s)
		default:
			s = append(s, c) // control characters too, after an escaped one
		}
	}
	iter.ReportError("readStringSlowPath", "unexpected end of input")
	return ""
}

// plain are the characters that an escape of one letter stands for.
var plain = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escaped reads on after a backslash and c.
func (iter *Iterator) escaped(c byte, s []byte) []byte {
	if c != 'u' {
		p, ok := plain[c]
		if !ok {
			iter.ReportError("readEscapedChar", `invalid escape char after \`)
			return nil
		}
		return append(s, p)
	}
	r := iter.hex()
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(s, r)
	}
	c = iter.byte()
	if iter.Error != nil {
		return nil
	}
	if c != '\\' {
		iter.back()
		return utf8.AppendRune(s, r)
	}
	c = iter.byte()
	if iter.Error != nil {
		return nil
	}
	if c != 'u' {
		return iter.escaped(c, utf8.AppendRune(s, r))
	}
	second := iter.hex()
	if iter.Error != nil {
		return nil
	}
	if both := utf16.DecodeRune(r, second); both != utf8.RuneError {
		return utf8.AppendRune(s, both)
	}
	return utf8.AppendRune(utf8.AppendRune(s, r), second)
}

// hex takes four digits.
func (iter *Iterator) hex() (r rune) {
	for range 4 {
		c := iter.byte()
		if iter.Error != nil {
			return r
		}
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			iter.ReportError("readU4", "expects 0~9 or a~f, "+found(c))
			return r
		}
	}
	return r
}

// number takes a number of as many bits, for the operation.
func (iter *Iterator) number(operation string, bits int) float64 {
	if iter.token() == '-' {
		return -iter.positive(operation, bits)
	}
	iter.back()
	return iter.positive(operation, bits)
}

func (iter *Iterator) positive(operation string, bits int) float64 {
	switch rest := iter.buf[iter.head:]; {
	case len(rest) == 0:
	case strings.IndexByte(",]} \t\n", rest[0]) >= 0:
		iter.ReportError(operation, "empty number")
		return 0
	case rest[0] == '.':
		iter.ReportError(operation, "leading dot is invalid")
		return 0
	case rest[0] == '0' && len(rest) > 1 && '0' <= rest[1] && rest[1] <= '9':
		iter.ReportError(operation, "leading zero is invalid")
		return 0
	}
	text := iter.digits()
	if iter.Error != nil && iter.Error != io.EOF {
		return 0
	}
	if wrong := wrongNumber(text); wrong != "" {
		iter.ReportError(operation+"SlowPath", wrong)
		return 0
	}
	f, err := strconv.ParseFloat(text, bits)
	if err != nil {
		iter.Error = err
		return 0
	}
	return f
}

// digits takes whatever a number may consist of. What a reader ends with is
// read and yet left there.
func (iter *Iterator) digits() string {
	var text []byte
	for {
		for i := iter.head; i < len(iter.buf); i++ {
			c := iter.buf[i]
			if strings.IndexByte("+-.eE0123456789", c) < 0 {
				iter.head = i
				return iter.some(text)
			}
			text = append(text, c)
		}
		if !iter.more() {
			return iter.some(text)
		}
	}
}

// some is a number's text, which must not be empty.
func (iter *Iterator) some(text []byte) string {
	if len(text) == 0 {
		iter.ReportError("readNumberAsString", "invalid number")
	}
	return string(text)
}

// wrongNumber says what of a number is wrong that strconv would let pass.
func wrongNumber(text string) string {
	_, fraction, dot := strings.Cut(text, ".")
	switch {
	case text[0] == '-':
		return "-- is not valid"
	case dot && fraction == "":
		return "dot can not be last character"
	case dot && (fraction[0] < '0' || fraction[0] > '9'):
		return "missing digit after dot"
	}
	return ""
}

// Skip takes the next value and forgets it.
func (iter *Iterator) Skip() {
	switch c := iter.token(); c {
	case '"':
		iter.skipString()
	case 'n':
		iter.null()
	case 't':
		iter.expect("rue", "skipThreeBytes")
	case 'f':
		iter.expect("alse", "skipFourBytes")
	case '0':
		iter.back()
		iter.number("readFloat32", 32)
	case '-', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		iter.skipNumber()
	case '[':
		iter.back()
		iter.array(iter.Skip)
	case '{':
		iter.back()
		iter.ReadObjectCB(func(*Iterator, string) bool { iter.Skip(); return true })
	default:
		iter.ReportError("Skip", fmt.Sprintf("do not know how to skip: %v", c))
	}
}

// skipString goes to the end of a string after its beginning.
func (iter *Iterator) skipString() {
	for i := iter.head; i < len(iter.buf); i++ {
		c := iter.buf[i]
		if c == '"' {
			iter.head = i + 1
			return
		}
		if c == '\\' {
			break
		}
		if c < ' ' {
			iter.ReportError("trySkipString", fmt.Sprintf("invalid control character found: %d", c))
			return
		}
	}
	iter.back()
	iter.string()
}

// skipNumber goes to the end of a number after its first character.
func (iter *Iterator) skipNumber() {
	if iter.skipDigits() {
		return
	}
	iter.back()
	if iter.Error != nil && iter.Error != io.EOF {
		return
	}
	iter.number("readFloat64", 64)
	if iter.Error == nil || iter.Error == io.EOF {
		return
	}
	iter.Error = nil
	text := iter.digits()
	if iter.Error != nil && iter.Error != io.EOF {
		return
	}
	if f, err := strconv.ParseFloat(text, 64); err != nil && !math.IsInf(f, 0) {
		iter.Error = err
	}
}

// skipDigits does what skipNumber does with the plainest of numbers.
func (iter *Iterator) skipDigits() bool {
	dot := false
	for i := iter.head; i < len(iter.buf); i++ {
		switch c := iter.buf[i]; {
		case '0' <= c && c <= '9':
		case c == '.' && dot:
			iter.ReportError("validateNumber", "more than one dot found in number")
			return true
		case c == '.' && i+1 == len(iter.buf):
			return false
		case c == '.':
			if next := iter.buf[i+1]; next < '0' || next > '9' {
				iter.ReportError("validateNumber", "missing digit after dot")
				return true
			}
			dot = true
		case strings.IndexByte(",]} \t\n\r", c) < 0 || i == iter.head:
			return false
		default:
			iter.head = i
			return true
		}
	}
	return false
}
