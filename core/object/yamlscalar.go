package object

import "strings"

// beginsPlain reports whether a scalar without quotes begins at the cursor, at byte b.
func (s *yamlScan) beginsPlain(b byte) bool {
	switch b {
	case '-':
		return !isBlank(s.at(1))
	case '?', ':':
		return s.flow == 0 && !s.endsWord(1)
	}
	return !s.endsWord(0) && strings.IndexByte(`,[]{}#&*!|>'"%@`+"`", b) < 0
}

// plain moves over a scalar without quotes, which may have several lines, and over the blanks after it.
func (s *yamlScan) plain() {
	indent := s.indent() + 1
	brokenLine := false // the line break before the cursor is the last that was moved over
	for !s.atMarker() && s.at(0) != '#' {
		for !s.endsWord(0) && !s.endsPlain() {
			s.skip()
			s.skipRun(false)
			brokenLine = false
		}
		if !isBlank(s.at(0)) && s.breakAt(0) == 0 {
			break
		}
		if s.skipSpace() {
			brokenLine = true
		}
		if s.flow == 0 && s.column < indent {
			break
		}
	}
	if brokenLine && s.flow == 0 {
		s.keyAllowed = true
	}
}

// endsPlain reports whether a sign is at the cursor that ends a scalar without quotes.
func (s *yamlScan) endsPlain() bool {
	switch s.at(0) {
	case ':':
		return s.endsWord(1)
	case ',', '?', '[', ']', '{', '}':
		return s.flow > 0
	}
	return false
}

// skipSpace moves over blanks and line breaks, and reports whether there was one of these.
func (s *yamlScan) skipSpace() (broken bool) {
	for {
		switch {
		case isBlank(s.at(0)):
			s.skip()
		case s.breakAt(0) > 0:
			s.skipBreak()
			broken = true
		default:
			return broken
		}
	}
}

// quoted moves over a scalar in quotes.
func (s *yamlScan) quoted(quote byte) {
	s.skip()
	for !s.atMarker() && s.at(0) != 0 {
	characters:
		for !s.endsWord(0) {
			switch b := s.at(0); {
			case b == quote && (quote == '"' || s.at(1) != quote):
				break characters
			case b == quote: // twice, which stands for one
				s.skip()
			case b == '\\' && quote == '"':
				if s.skip(); s.breakAt(0) > 0 {
					s.skipBreak()
					break characters
				}
			}
			s.skip()
			s.skipRun(false)
		}
		if s.at(0) == quote {
			s.skip()
			return
		}
		s.skipSpace()
	}
}

// blockScalar moves over a scalar of lines that are indented.
func (s *yamlScan) blockScalar() {
	s.node()
	s.key.possible, s.keyAllowed = false, true
	s.skip()
	indent := 0
	for range 2 { // a digit and a sign, in any order
		switch b := s.at(0); {
		case b == '+' || b == '-':
			s.skip()
		case '1' <= b && b <= '9' && indent == 0:
			indent = max(0, s.indent()) + int(b-'0')
			s.skip()
		}
	}
	s.skipBlanks()
	s.skipComment()
	if !s.endsLine(0) {
		return // an error
	}
	s.skipBreak()
	indent = s.blockIndent(indent)
	for s.column == indent && s.at(0) != 0 {
		s.skipLine()
		s.skipBreak()
		indent = s.blockIndent(indent)
	}
}

// blockIndent moves over empty lines and the indentation of a line, and returns the indentation of the scalar;
// it is not known yet if indent is 0.
func (s *yamlScan) blockIndent(indent int) int {
	deepest := 0
	for {
		for (indent == 0 || s.column < indent) && s.at(0) == ' ' {
			s.skip()
		}
		if deepest = max(deepest, s.column); s.breakAt(0) == 0 {
			break
		}
		s.skipBreak()
	}
	if indent == 0 {
		indent = max(deepest, s.indent()+1, 1)
	}
	return indent
}
