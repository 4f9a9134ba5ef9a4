package jsoniter

import (
	"io"
	"strconv"
	"strings"
)

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

// some returns a number's text, which must not be empty.
func (iter *Iterator) some(text []byte) string {
	if len(text) == 0 {
		iter.ReportError("readNumberAsString", "invalid number")
	}
	return string(text)
}

// wrongNumber returns what of a number is wrong that strconv would let pass.
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
