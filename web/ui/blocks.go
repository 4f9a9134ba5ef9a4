package ui

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/web/text"
)

// blockLines is how many lines the browser leaves out or draws together.
const blockLines = 200

// Blocks makes HTML of lines, in blocks that the browser can leave out.
func Blocks(lines []text.Line, objects string) []string {
	var out []string
	var b strings.Builder
	for part := range slices.Chunk(lines, blockLines) {
		b.Reset()
		text.HTML(&b, part, objects)
		out = append(out, b.String())
	}
	return out
}
