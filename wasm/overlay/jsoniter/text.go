package jsoniter

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

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
