// Package scan reads the few fields that the lab needs out of a JSON text
// without building the rest.
//
// A Cursor walks a text once, front to back. Its caller says for each member
// whether to read it or to skip it, so a watch event of 1.5 KB costs one pass
// over its bytes and no allocation but the strings that are kept. Invariants:
// the cursor never moves backwards and never reads past the end, whatever the
// text. It is not a validator: a skipped value needs only balanced brackets
// and closed strings.
package scan

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrSyntax is the error of a text that is not JSON where it was read.
var ErrSyntax = errors.New("scan: not JSON")

// A Cursor is a place in a JSON text.
type Cursor struct {
	s string
	i int
}

// New returns a cursor at the start of text.
func New(text string) *Cursor { return &Cursor{s: text} }

// Reset puts the cursor at the start of another text.
func (c *Cursor) Reset(text string) { c.s, c.i = text, 0 }

// End reports whether nothing but space is left.
func (c *Cursor) End() bool {
	c.space()
	return c.i == len(c.s)
}

func (c *Cursor) space() {
	for c.i < len(c.s) {
		switch c.s[c.i] {
		case ' ', '\t', '\n', '\r':
			c.i++
		default:
			return
		}
	}
}

// peek returns the first byte of the next value, or 0 at the end.
func (c *Cursor) peek() byte {
	c.space()
	if c.i == len(c.s) {
		return 0
	}
	return c.s[c.i]
}

func (c *Cursor) take(b byte) bool {
	if c.peek() != b {
		return false
	}
	c.i++
	return true
}

// Object calls member for each member of the object at the cursor. member must
// consume the value, by any method of the cursor. A null is an object without
// members; any other value is skipped and reported as ErrSyntax.
func (c *Cursor) Object(member func(key string) error) error {
	if c.null() {
		return nil
	}
	if !c.take('{') {
		return ErrSyntax
	}
	if c.take('}') {
		return nil
	}
	for {
		key, err := c.String()
		if err != nil {
			return err
		}
		if !c.take(':') {
			return ErrSyntax
		}
		if err := member(key); err != nil {
			return err
		}
		if c.take(',') {
			continue
		}
		if c.take('}') {
			return nil
		}
		return ErrSyntax
	}
}

// Array calls element for each element of the array at the cursor; element
// must consume it. A null is an empty array.
func (c *Cursor) Array(element func() error) error {
	if c.null() {
		return nil
	}
	if !c.take('[') {
		return ErrSyntax
	}
	if c.take(']') {
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		if c.take(',') {
			continue
		}
		if c.take(']') {
			return nil
		}
		return ErrSyntax
	}
}

func (c *Cursor) null() bool {
	if c.peek() != 'n' || !strings.HasPrefix(c.s[c.i:], "null") {
		return false
	}
	c.i += len("null")
	return true
}

// String reads a string. The result shares the text's memory when it holds no
// escapes: clone what outlives the text.
func (c *Cursor) String() (string, error) {
	if c.null() {
		return "", nil
	}
	if !c.take('"') {
		return "", ErrSyntax
	}
	rest := c.s[c.i:]
	end := strings.IndexByte(rest, '"')
	if end < 0 {
		return "", ErrSyntax
	}
	if strings.IndexByte(rest[:end], '\\') < 0 {
		c.i += end + 1
		return rest[:end], nil
	}
	return c.escaped()
}

func (c *Cursor) escaped() (string, error) {
	var b strings.Builder
	for c.i < len(c.s) {
		ch := c.s[c.i]
		c.i++
		switch ch {
		case '"':
			return b.String(), nil
		case '\\':
			r, err := c.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
		default:
			b.WriteByte(ch)
		}
	}
	return "", ErrSyntax
}

// escape reads what follows a backslash. A half of a surrogate pair without the
// other becomes the replacement character, as encoding/json has it.
func (c *Cursor) escape() (rune, error) {
	if c.i == len(c.s) {
		return 0, ErrSyntax
	}
	ch := c.s[c.i]
	c.i++
	switch ch {
	case '"', '\\', '/':
		return rune(ch), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		r, ok := c.hex()
		if !ok {
			return 0, ErrSyntax
		}
		if !utf16.IsSurrogate(r) {
			return r, nil
		}
		if strings.HasPrefix(c.s[c.i:], `\u`) {
			before := c.i
			c.i += 2
			low, ok := c.hex()
			if !ok {
				return 0, ErrSyntax
			}
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return both, nil
			}
			c.i = before
		}
		return utf8.RuneError, nil
	}
	return 0, ErrSyntax
}

func (c *Cursor) hex() (rune, bool) {
	if len(c.s)-c.i < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(c.s[c.i:c.i+4], 16, 32)
	if err != nil {
		return 0, false
	}
	c.i += 4
	return rune(n), true
}

// Int reads a whole number, written as a number or as a string of digits, the
// two ways in which Kubernetes writes versions.
func (c *Cursor) Int() (int64, error) {
	if c.null() {
		return 0, nil
	}
	var digits string
	if c.peek() == '"' {
		s, err := c.String()
		if err != nil {
			return 0, err
		}
		digits = s
	} else {
		start := c.i
		if err := c.Skip(); err != nil {
			return 0, err
		}
		digits = c.s[start:c.i]
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, ErrSyntax
	}
	return n, nil
}

// Raw passes over a value and returns its text.
func (c *Cursor) Raw() (string, error) {
	c.space()
	start := c.i
	err := c.Skip()
	return c.s[start:c.i], err
}

// Skip passes over a value of any kind.
func (c *Cursor) Skip() error {
	switch c.peek() {
	case 0:
		return ErrSyntax
	case '"':
		return c.skipString()
	case '{', '[':
		return c.skipNested()
	}
	start := c.i
	for c.i < len(c.s) {
		switch c.s[c.i] {
		case ',', '}', ']', ':', ' ', '\t', '\n', '\r', '"':
			if c.i == start {
				return ErrSyntax
			}
			return nil
		}
		c.i++
	}
	return nil
}

func (c *Cursor) skipString() error {
	c.i++ // the opening quote
	for c.i < len(c.s) {
		switch c.s[c.i] {
		case '\\':
			c.i++
		case '"':
			c.i++
			return nil
		}
		c.i++
	}
	c.i = len(c.s)
	return ErrSyntax
}

// skipNested counts brackets instead of recursing, so depth costs no stack.
func (c *Cursor) skipNested() error {
	depth := 0
	for c.i < len(c.s) {
		switch c.s[c.i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				c.i++
				return nil
			}
		case '"':
			if err := c.skipString(); err != nil {
				return err
			}
			continue
		}
		c.i++
	}
	return ErrSyntax
}
