package text

import (
	"fmt"
	"strings"
)

// perLine is how many bytes a line of Hex shows.
const perLine = 16

// Hex lays out bytes: where they are, their digits, and the letters among them.
func Hex(all string) []Line {
	var lines []Line
	for at := 0; at < len(all); at += perLine {
		row := all[at:min(at+perLine, len(all))]
		var b strings.Builder
		fmt.Fprintf(&b, "%06x ", at)
		for i := range perLine {
			if i%8 == 0 {
				b.WriteByte(' ')
			}
			if i < len(row) {
				fmt.Fprintf(&b, "%02x ", row[i])
			} else {
				b.WriteString("   ")
			}
		}
		b.WriteByte(' ')
		for _, c := range []byte(row) {
			if c < ' ' || c > '~' {
				c = '.'
			}
			b.WriteByte(c)
		}
		lines = append(lines, Line{Value: b.String(), Kind: Plain})
	}
	return lines
}
