package room

import (
	"strings"

	"rsc.io/qr"
)

// quietZone is how many light modules there are around a QR code.
const quietZone = 2

// drawing returns a QR code for a terminal, two rows of it in each line; empty if the text is too long. It
// sets the colors, since readers may refuse light codes on dark ground.
func drawing(text string) string {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for y := -quietZone; y < code.Size+quietZone; y += 2 {
		b.WriteString("  \x1b[30;107m")
		for x := -quietZone; x < code.Size+quietZone; x++ {
			switch upper, lower := code.Black(x, y), code.Black(x, y+1); {
			case upper && lower:
				b.WriteRune('█')
			case upper:
				b.WriteRune('▀')
			case lower:
				b.WriteRune('▄')
			default:
				b.WriteByte(' ')
			}
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String()
}
