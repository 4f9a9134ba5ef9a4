package jsoniter

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

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
