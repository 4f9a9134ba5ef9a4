package object

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf16"
)

// A yamlCursor is a place in a YAML text in UTF-8, and moves over it character by character. A zero byte
// ends the text, which may not have any.
type yamlCursor struct {
	text []byte
	pos  int // in bytes
	// line and column are those of pos, and chars is how many characters are before it.
	line, column, chars int
}

// at returns the byte i bytes after the cursor, 0 beyond the end.
func (c *yamlCursor) at(i int) byte {
	if c.pos+i < len(c.text) {
		return c.text[c.pos+i]
	}
	return 0
}

// breakAt returns how many bytes the line break i bytes after the cursor has, 0 if none is there.
func (c *yamlCursor) breakAt(i int) int {
	switch c.at(i) {
	case '\n':
		return 1
	case '\r':
		if c.at(i+1) == '\n' {
			return 2
		}
		return 1
	case 0xc2:
		if c.at(i+1) == 0x85 { // next line
			return 2
		}
	case 0xe2:
		if c.at(i+1) == 0x80 && (c.at(i+2) == 0xa8 || c.at(i+2) == 0xa9) { // line and paragraph separator
			return 3
		}
	}
	return 0
}

// endsLine reports whether a line break or the end of the text is i bytes after the cursor.
func (c *yamlCursor) endsLine(i int) bool { return c.at(i) == 0 || c.breakAt(i) > 0 }

// endsWord reports whether a blank, a line break or the end of the text is i bytes after the cursor.
func (c *yamlCursor) endsWord(i int) bool { return isBlank(c.at(i)) || c.endsLine(i) }

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// skip moves over a character.
func (c *yamlCursor) skip() {
	switch b := c.at(0); {
	case b < 0xc0:
		c.pos++
	case b < 0xe0:
		c.pos += 2
	case b < 0xf0:
		c.pos += 3
	default:
		c.pos += 4
	}
	c.column++
	c.chars++
}

// skipRun moves over a run of ASCII characters that are no signs; blanks are if blanks is set.
func (c *yamlCursor) skipRun(blanks bool) {
	from := c.pos
	for c.pos < len(c.text) && (inRuns[c.text[c.pos]] || blanks && isBlank(c.text[c.pos])) {
		c.pos++
	}
	c.column += c.pos - from
	c.chars += c.pos - from
}

// inRuns has the characters that skipRun moves over.
var inRuns = func() (is [256]bool) {
	for b := byte('!'); b <= '~'; b++ {
		is[b] = strings.IndexByte(`"'\:,?[]{}#`, b) < 0
	}
	return is
}()

// skipBreak moves over the line break at the cursor, if there is one.
func (c *yamlCursor) skipBreak() {
	n := c.breakAt(0)
	if n == 0 {
		return
	}
	if c.chars++; c.at(0) == '\r' && n == 2 {
		c.chars++
	}
	c.pos += n
	c.line++
	c.column = 0
}

func (c *yamlCursor) skipBlanks() {
	for isBlank(c.at(0)) {
		c.skip()
	}
}

// skipLine moves to the end of the line.
func (c *yamlCursor) skipLine() {
	for c.skipRun(true); !c.endsLine(0); c.skipRun(true) {
		c.skip()
	}
}

// skipComment moves to the end of the line if there is a comment.
func (c *yamlCursor) skipComment() {
	if c.at(0) == '#' {
		c.skipLine()
	}
}

// atMarker reports whether a marker is at the cursor that begins or ends a document.
func (c *yamlCursor) atMarker() bool {
	b := c.at(0)
	return c.column == 0 && (b == '-' || b == '.') && c.at(1) == b && c.at(2) == b && c.endsWord(3)
}

const byteOrderMark = "\ufeff"

var (
	errIncompleteUTF16 = errors.New("yaml: incomplete UTF-16 character")
	errSurrogate       = errors.New("yaml: unexpected low surrogate area")
	errByteOrderMarks  = errors.New("yaml: byte order marks are allowed at the beginning only")
)

// yamlInUTF8 returns a YAML text in UTF-8 and without its byte order mark.
func yamlInUTF8(data []byte) ([]byte, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(data, []byte(byteOrderMark)), nil
	}
	if data = data[2:]; len(data)%2 != 0 {
		return nil, errIncompleteUTF16
	}
	text := make([]byte, 0, len(data)/2)
	for ; len(data) > 0; data = data[2:] {
		r := rune(order.Uint16(data))
		if utf16.IsSurrogate(r) {
			if len(data) < 4 {
				return nil, errSurrogate
			}
			data = data[2:]
			if r = utf16.DecodeRune(r, rune(order.Uint16(data))); r == '\ufffd' {
				return nil, errSurrogate
			}
		}
		text = append(text, string(r)...)
	}
	return text, nil
}

// hideMarks replaces the byte order marks in a text by a character that the text does not have, and returns
// that as well; empty without marks. Marks are ordinary characters within texts, but if one happens to be
// at the beginning of its buffer, the library skips the first character of all lines, which may be a quote.
func hideMarks(text []byte) (hidden []byte, mark string, err error) {
	if !bytes.Contains(text, []byte(byteOrderMark)) {
		return text, "", nil
	}
	for private := '\ue000'; private < '\ue010'; private++ {
		if stand := string(private); !bytes.Contains(text, []byte(stand)) {
			return bytes.ReplaceAll(text, []byte(byteOrderMark), []byte(stand)), stand, nil
		}
	}
	return nil, "", errByteOrderMarks
}
