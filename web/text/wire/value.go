package wire

import (
	"strconv"
	"unicode/utf8"
)

// maxValue is how many bytes of a text are shown as a value.
const maxValue = 120

// quoted returns a text as a value: in quotes, with escapes, cut if it is long.
func quoted(s []byte) string {
	shown, more := head(s)
	return strconv.Quote(string(shown)) + more
}

// cut returns a text as it is, cut if it is long.
func cut(s []byte) string {
	shown, more := head(s)
	return string(shown) + more
}

// head returns the beginning of a text that is shown, and a note on the rest.
func head(s []byte) (shown []byte, more string) {
	if len(s) <= maxValue {
		return s, ""
	}
	n := maxValue
	for n > maxValue-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], "… " + bytesOf(len(s)-n) + " more"
}

// printable reports whether bytes are text that a person can read.
func printable(s []byte) bool {
	if !utf8.Valid(s) {
		return false
	}
	for _, r := range string(s) {
		if r != '\n' && r != '\t' && !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}

// counted returns a number of things: "1 byte", "3 pairs".
func counted(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatUint(n, 10) + " " + many
}

func bytesOf(n int) string { return counted(uint64(n), "byte", "bytes") }
