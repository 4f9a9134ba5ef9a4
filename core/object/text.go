package object

import (
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string.
func (d *decoder) str() (string, bool) {
	b, ok := d.text()
	return string(b), ok
}

// text reads a string and returns its bytes: a part of the data if nothing in it is escaped.
// Invalid UTF-8 becomes U+FFFD.
func (d *decoder) text() ([]byte, bool) {
	start := d.pos + 1
	ascii := true
	for i := skipOrdinary(d.data, start); i < len(d.data); i++ {
		switch c := d.data[i]; {
		case c == '"':
			if !ascii && !utf8.Valid(d.data[start:i]) {
				return d.unescape(start)
			}
			d.pos = i + 1
			return d.data[start:i], true
		case c == '\\':
			return d.unescape(start)
		case c < ' ':
			return nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false
}

// skipText skips a string.
func (d *decoder) skipText() bool {
	for i := skipOrdinary(d.data, d.pos+1); i < len(d.data); i++ {
		switch c := d.data[i]; {
		case c == '"':
			d.pos = i + 1
			return true
		case c == '\\':
			_, ok := d.text()
			return ok
		case c < ' ':
			return false
		}
	}
	return false
}

// unescape reads the rest of a string with escapes or bad UTF-8 in it.
func (d *decoder) unescape(i int) ([]byte, bool) {
	out := make([]byte, 0, 64)
	for i < len(d.data) {
		c := d.data[i]
		switch {
		case c == '"':
			d.pos = i + 1
			return out, true
		case c < ' ':
			return nil, false
		case c != '\\':
			if c < utf8.RuneSelf {
				out = append(out, c)
				i++
				continue
			}
			r, size := utf8.DecodeRune(d.data[i:])
			out = utf8.AppendRune(out, r)
			i += size
			continue
		}
		if i+1 >= len(d.data) {
			return nil, false
		}
		i += 2
		switch e := d.data[i-1]; e {
		case '"', '\\', '/':
			out = append(out, e)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, ok := d.hex(i)
			if !ok {
				return nil, false
			}
			i += 4
			if utf16.IsSurrogate(r) {
				// Only a valid pair is read as one; otherwise the second escape is read on its own.
				low := rune(-1)
				if i+1 < len(d.data) && d.data[i] == '\\' && d.data[i+1] == 'u' {
					if low, ok = d.hex(i + 2); !ok {
						return nil, false
					}
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			return nil, false
		}
	}
	return nil, false
}

// hex reads four hexadecimal digits.
func (d *decoder) hex(i int) (rune, bool) {
	if i+4 > len(d.data) {
		return 0, false
	}
	var r rune
	for _, c := range d.data[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// numberText reads a number and returns its text.
func (d *decoder) numberText() ([]byte, bool) {
	start := d.pos
	if d.at('-') {
		d.pos++
	}
	if d.at('0') {
		d.pos++
	} else if !d.digits() {
		return nil, false
	}
	if d.at('.') {
		d.pos++
		if !d.digits() {
			return nil, false
		}
	}
	if d.at('e') || d.at('E') {
		d.pos++
		if d.at('+') || d.at('-') {
			d.pos++
		}
		if !d.digits() {
			return nil, false
		}
	}
	return d.data[start:d.pos], true
}

func (d *decoder) at(c byte) bool { return d.pos < len(d.data) && d.data[d.pos] == c }

func (d *decoder) digits() bool {
	start := d.pos
	for d.pos < len(d.data) && d.data[d.pos] >= '0' && d.data[d.pos] <= '9' {
		d.pos++
	}
	return d.pos > start
}
