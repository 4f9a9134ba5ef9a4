// Package jsoniter is what the browser's binary has as
// github.com/json-iterator/go: as much of it as structured-merge-diff uses to read
// and write the sets of fields in managedFields. The module itself would be a
// twentieth of the binary, most of it for encoding Go types, which do not occur
// here.
//
// The names are that module's, and so is what is read, written and reported as an
// error, oddities included; the tests compare them. Nobody imports this package:
// package overlay replaces the module by it for the binaries. What else
// structured-merge-diff comes to use has to be added here.
package jsoniter

import (
	"fmt"
	"io"
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

// byte takes the next byte, or 0.
func (iter *Iterator) byte() byte {
	if iter.head == len(iter.buf) && !iter.more() {
		return 0
	}
	iter.head++
	return iter.buf[iter.head-1]
}

// token takes the next byte that is no white space, or 0.
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
