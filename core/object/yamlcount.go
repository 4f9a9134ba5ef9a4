package object

import "bytes"

// yamlValues estimates the number of values in a YAML text. It goes over the text once, without
// parsing it: keys and values of block style count line by line, those of flow style by their
// commas, colons and brackets. Quoted strings and block scalars do not count.
func yamlValues(data []byte) int {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return len(data) / 2 // UTF-16: each character may be a value
	}
	var c yamlCount
	// Rare line breaks: the text after them is not seen as a line.
	for _, other := range []string{"\u0085", "\u2028", "\u2029"} {
		c.values += 3 * bytes.Count(data, []byte(other))
	}
	for len(data) > 0 && c.values <= maxYAMLValues {
		end := bytes.IndexAny(data, "\r\n")
		if end < 0 {
			c.line(data)
			break
		}
		c.line(data[:end])
		data = data[end+1:]
	}
	return c.values
}

type yamlCount struct {
	values int
	flow   int  // how many brackets are open
	quote  byte // the quote that is open, 0 if none is
	// text is the column that the lines of a block scalar are right of, if inText.
	text   int
	inText bool
}

// line adds the values of a line.
func (c *yamlCount) line(line []byte) {
	if c.quote != 0 || c.flow > 0 {
		c.inside(line)
		return
	}
	rest := bytes.TrimLeft(line, " ")
	column := len(line) - len(rest)
	if len(rest) == 0 || c.inText && column > c.text {
		return
	}
	if c.inText = false; rest[0] == '#' {
		return
	}
	// The entries of lists that begin in the line, and complex keys.
	parent := column - 1
	for len(rest) > 0 && (rest[0] == '-' || rest[0] == '?' || rest[0] == ':') &&
		(len(rest) == 1 || rest[1] == ' ' || rest[1] == '\t') {
		c.values++
		parent = len(line) - len(rest)
		rest = bytes.TrimLeft(rest[1:], " \t")
	}
	c.value(line, rest, parent)
}

// value counts a key and a value, or a value alone. parent is the column of its parent.
func (c *yamlCount) value(line, rest []byte, parent int) {
	for {
		c.values++
		rest = afterProperties(rest)
		if len(rest) == 0 {
			return
		}
		start := len(line) - len(rest)
		switch rest[0] {
		case '|', '>':
			c.inText, c.text = true, parent
			return
		case '[', '{', '"', '\'':
			rest = c.inside(rest)
			if c.quote != 0 || c.flow > 0 {
				return
			}
		}
		// A key is followed by a colon and a blank; then its value is next.
		colon := -1
		for i, b := range rest {
			if b == ':' && (i+1 == len(rest) || rest[i+1] == ' ' || rest[i+1] == '\t') {
				colon = i
				break
			}
		}
		if colon < 0 {
			return
		}
		parent, rest = start, bytes.TrimLeft(rest[colon+1:], " \t")
	}
}

// afterProperties skips the tags and anchors in front of a value.
func afterProperties(rest []byte) []byte {
	for len(rest) > 0 && (rest[0] == '&' || rest[0] == '!') {
		blank := bytes.IndexAny(rest, " \t")
		if blank < 0 {
			return nil
		}
		rest = bytes.TrimLeft(rest[blank:], " \t")
	}
	return rest
}

// inside counts the values within brackets and quotes, and returns the text after the last of them.
func (c *yamlCount) inside(line []byte) []byte {
	before, adjacent := byte(','), byte(' ') // the last byte that is no blank, and the last one
	for i := 0; i < len(line); i++ {
		b := line[i]
		switch {
		case c.quote == '"' && b == '\\':
			i++
			continue
		case c.quote == '\'' && b == '\'' && i+1 < len(line) && line[i+1] == '\'':
			i++
			continue
		case c.quote != 0:
			if b == c.quote {
				if c.quote = 0; c.flow == 0 {
					return line[i+1:]
				}
				before, adjacent = b, b
			}
			continue
		}
		switch b {
		case '[', '{':
			c.flow++
			c.values++
		case ']', '}':
			if c.flow--; c.flow <= 0 {
				c.flow = 0
				return line[i+1:]
			}
		case ',', ':', '?':
			c.values++
		case '"', '\'':
			// Within a plain scalar a quote is an ordinary character.
			if before == '[' || before == '{' || before == ',' || before == ':' &&
				(adjacent == ' ' || i > 1 && line[i-2] == '"') || c.flow == 0 {
				c.quote = b
			}
		case '#':
			if adjacent == ' ' || adjacent == '\t' {
				return nil
			}
		}
		if adjacent = b; b != ' ' && b != '\t' {
			before = b
		}
	}
	return nil
}
