package object

// Strings mostly consist of characters without a special meaning in JSON. They are checked eight at
// a time, as the bytes of a number.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// ordinary reports whether eight bytes are ASCII without control characters, quotes and
// backslashes: characters that a JSON string need not escape.
func ordinary(x uint64) bool {
	return (x|(x-ones*' ')&^x|zeros(x^ones*'"')|zeros(x^ones*'\\'))&highs == 0
}

// unescaped reports whether eight bytes, which are ordinary, are also not among those that
// encoding/json escapes for HTML.
func unescaped(x uint64) bool {
	return (zeros(x^ones*'<')|zeros(x^ones*'>')|zeros(x^ones*'&'))&highs == 0
}

// zeros sets the high bit of a byte that is 0, and perhaps of those above it.
func zeros(x uint64) uint64 { return (x - ones) &^ x }

// load8 returns the bytes of s at i and the seven after it.
func load8[T string | []byte](s T, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// skipOrdinary returns the first index from i on at which a byte may not be ordinary.
func skipOrdinary(s []byte, i int) int {
	for i+8 <= len(s) && ordinary(load8(s, i)) {
		i += 8
	}
	return i
}

// skipUnescaped returns the first index from i on at which a byte may have to be escaped.
func skipUnescaped(s string, i int) int {
	for i+8 <= len(s) {
		if x := load8(s, i); !ordinary(x) || !unescaped(x) {
			break
		}
		i += 8
	}
	return i
}
