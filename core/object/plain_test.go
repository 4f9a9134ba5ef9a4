package object

import "testing"

func TestSkipOrdinary(t *testing.T) {
	for c := range 256 {
		for at := range 9 {
			s := []byte("abcdefghij\x7f~ !#")
			s[at] = byte(c)
			isOrdinary := c >= ' ' && c < 0x80 && c != '"' && c != '\\'
			if got := skipOrdinary(s, 0); got > at && !isOrdinary {
				t.Errorf("%q: goes on to %d", s, got)
			} else if got != 8 && isOrdinary {
				t.Errorf("%q: stops at %d", s, got)
			}
			isUnescaped := isOrdinary && c != '<' && c != '>' && c != '&'
			if got := skipUnescaped(string(s), 0); got > at && !isUnescaped {
				t.Errorf("%q: does not escape before %d", s, got)
			} else if got != 8 && isUnescaped {
				t.Errorf("%q: stops to escape at %d", s, got)
			}
		}
	}
}
