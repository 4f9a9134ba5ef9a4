package wire

import (
	"encoding/hex"
	"slices"
	"strconv"
)

const (
	perLine  = 8 // bytes
	maxLines = 4 // of a span; the bytes behind them are counted
	// maxIndent is the deepest level that the style sheet indents.
	maxIndent = 16
)

// View says how much of a document is drawn.
type View struct {
	*Document
	// Label names the table to screen readers.
	Label string
	// Rows is how many spans are drawn; 0: all of them.
	Rows int
}

// shown returns the spans that are drawn.
func (v View) shown() []Span {
	if v.Rows > 0 && v.Rows < len(v.Spans) {
		return v.Spans[:v.Rows]
	}
	return v.Spans
}

// unshown returns how many of the bytes that were read are in no span that is drawn.
func (v View) unshown() int {
	if n := len(v.shown()); n < len(v.Spans) {
		return len(v.Bytes) - v.Spans[n].Offset
	}
	if v.Err == nil {
		return len(v.Bytes) - v.Rest
	}
	return 0
}

// line is a line of bytes.
type line struct {
	runs []run
	text string
}

// run are bytes that are for the same.
type run struct {
	role Role
	hex  string
}

// roles are how bytes of each role are called, in the order in which they come.
var roles = [...]struct {
	role Role
	name string
}{{Magic, "magic"}, {Key, "key"}, {Tag, "tag"}, {Size, "length"}, {Head, "head"}, {Payload, "value"}}

func (r Role) class() string {
	for _, known := range roles {
		if known.role == r {
			return "w-" + known.name
		}
	}
	return ""
}

// has reports whether a document has bytes of a role.
func (d *Document) has(r Role) bool {
	return slices.ContainsFunc(d.Spans, func(s Span) bool {
		return slices.ContainsFunc(s.Parts, func(p Part) bool { return p.Role == r })
	})
}

// linesOf returns the first lines of the bytes from offset on, and how many bytes are
// behind them.
func linesOf(data []byte, offset int, parts []Part) (lines []line, more int) {
	var l line
	in := 0 // bytes of l
	for _, p := range parts {
		for n := p.Length; n > 0; {
			if in == perLine {
				lines, l, in = append(lines, l), line{}, 0
			}
			if len(lines) == maxLines {
				more += n
				break
			}
			piece := data[offset : offset+min(n, perLine-in)]
			l.runs = append(l.runs, run{p.Role, spaced(piece)})
			for _, c := range piece {
				if c < ' ' || c > '~' {
					c = '.'
				}
				l.text += string(rune(c))
			}
			in += len(piece)
			n -= len(piece)
			offset += len(piece)
		}
	}
	if in > 0 && len(lines) < maxLines {
		lines = append(lines, l)
	}
	return lines, more
}

// spaced returns bytes as digits, with spaces between them.
func spaced(data []byte) string {
	digits := hex.EncodeToString(data)
	out := make([]byte, 0, 3*len(data))
	for i := 0; i < len(digits); i += 2 {
		if i > 0 {
			out = append(out, ' ')
		}
		out = append(out, digits[i], digits[i+1])
	}
	return string(out)
}

// place returns an offset as six digits.
func place(offset int) string {
	const width = 6
	s := strconv.FormatInt(int64(offset), 16)
	for len(s) < width {
		s = "0" + s
	}
	return s
}

// covers describes the bytes of a span with all that is nested in it: the first one, and the one after the last.
func covers(offset, length int) string {
	return strconv.Itoa(offset) + "-" + strconv.Itoa(offset+length)
}

func indent(depth int) string { return "w-in-" + strconv.Itoa(min(depth, maxIndent)) }
