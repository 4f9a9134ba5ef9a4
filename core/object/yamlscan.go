package object

import "strings"

// A yamlScan goes over a YAML text once, without parsing it, and finds how deep its collections nest and
// how many values it has, with what is in place of the aliases. It finds tokens in the way of the YAML library's
// scanner, step by step, quirks included: where the two differ, a text could nest deeper than was found. What follows
// an error of the library does not matter.
type yamlScan struct {
	yamlCursor
	yamlLevels
	flow int // how many brackets are open
	// A key of block style is known by the colon after it: key is where one may have begun, and keyAllowed
	// reports whether one may begin at the cursor.
	key        yamlKey
	keyAllowed bool
}

// A yamlKey is where a key may have begun.
type yamlKey struct {
	possible                 bool
	pos, line, column, chars int
}

// maxYAMLKey is how many characters after its beginning the colon of a key may be.
const maxYAMLKey = 1024

// scanYAML scans a text, which is in UTF-8 and has no byte order marks, until it nests deeper than most, or
// has more than MaxValues values.
func scanYAML(text []byte, most int) *yamlScan {
	s := &yamlScan{yamlCursor: yamlCursor{text: text}, yamlLevels: newYAMLLevels(), keyAllowed: true}
	for s.reached <= most && s.values <= MaxValues {
		s.toToken()
		if s.flow == 0 {
			s.unroll(s.column)
		}
		if s.at(0) == 0 {
			break
		}
		s.token()
	}
	return s
}

// toToken moves over blanks, comments and line breaks.
func (s *yamlScan) toToken() {
	for {
		s.skipBlanks()
		s.skipComment()
		if s.breakAt(0) == 0 {
			return
		}
		if s.skipBreak(); s.flow == 0 {
			s.keyAllowed = true
		}
	}
}

func (s *yamlScan) token() {
	b := s.at(0)
	inFlow := s.flow > 0
	switch {
	case s.atMarker():
		s.restart()
		s.pos, s.column, s.chars = s.pos+3, s.column+3, s.chars+3
	case s.column == 0 && b == '%': // a directive
		s.restart()
		s.skipLine()
	case b == '[' || b == '{':
		s.saveKey()
		s.flow++
		s.push(b, s.indent())
		s.skip()
	case b == ']' || b == '}':
		s.flow = max(0, s.flow-1)
		s.closeFlow()
		s.keyAllowed = false
		s.skip()
	case b == ',':
		s.closePair()
		s.endEntry()
		s.wantValue()
		s.skip()
	case b == '-' && s.endsWord(1):
		s.blockEntry()
	case b == '?' && (inFlow || s.endsWord(1)):
		s.complexKey()
	case b == ':' && (inFlow || s.endsWord(1)):
		s.colon()
	case b == '*':
		s.beginNode()
		s.alias(s.name())
	case b == '&':
		s.saveKey()
		from := s.pos
		s.anchor(s.name(), from)
	case b == '!':
		s.saveKey()
		s.tag()
	case (b == '|' || b == '>') && !inFlow:
		s.blockScalar()
	case b == '"' || b == '\'':
		s.beginNode()
		s.quoted(b)
	case s.beginsPlain(b):
		s.beginNode()
		s.plain()
	default:
		s.skip() // an error
	}
}

// restart is for what is between documents.
func (s *yamlScan) restart() {
	s.flow = 0
	s.unroll(-1)
	s.closeAll()
	s.key.possible, s.keyAllowed = false, false
}

// saveKey notes that a key may begin at the cursor.
func (s *yamlScan) saveKey() {
	if s.flow == 0 {
		if s.keyAllowed {
			s.key = yamlKey{true, s.pos, s.line, s.column, s.chars}
		}
		s.keyAllowed = false
	}
}

// beginNode notes that a scalar or an alias begins at the cursor.
func (s *yamlScan) beginNode() {
	if s.flow == 0 && s.column <= s.indent() {
		s.endValue() // a key: the value of the one before was empty
	}
	s.saveKey()
	s.node()
}

func (s *yamlScan) blockEntry() {
	if s.flow == 0 {
		s.beginEntry('-', s.column)
		s.key.possible, s.keyAllowed = false, true
	}
	s.wantValue()
	s.skip()
}

// complexKey is for the sign of a key that may be any value.
func (s *yamlScan) complexKey() {
	if s.flow == 0 {
		s.beginEntry(':', s.column)
		s.key.possible, s.keyAllowed = false, true
	} else if !s.beginPair() {
		s.endEntry()
	}
	s.wantValue()
	s.skip()
}

// colon is for the sign between a key and its value.
func (s *yamlScan) colon() {
	switch k := s.key; {
	case s.flow > 0:
		if !s.beginPair() {
			s.endEntry()
		}
	case k.possible && k.line == s.line && s.chars-k.chars <= maxYAMLKey:
		s.beginMapping(k.column, k.pos)
		s.key.possible, s.keyAllowed = false, false
	default:
		s.beginMapping(s.column, s.pos)
		s.keyAllowed = true
	}
	s.wantValue()
	s.skip()
}

// name moves over an anchor or alias, and returns its name.
func (s *yamlScan) name() string {
	s.skip()
	from := s.pos
	s.skipAll(ofNames)
	return string(s.text[from:s.pos])
}

// tag moves over a tag.
func (s *yamlScan) tag() {
	s.skip()
	within := s.at(0) == '<'
	if within {
		s.skip()
	}
	s.skipAll(ofTags)
	if within && s.at(0) == '>' {
		s.skip()
	}
}

// The characters that the names of anchors and tags may have.
const (
	ofNames = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-"
	ofTags  = ofNames + ";/?:@&=+$,.!~*'()[]%"
)

// skipAll moves over characters that are among some.
func (s *yamlScan) skipAll(among string) {
	for b := s.at(0); b != 0 && strings.IndexByte(among, b) >= 0; b = s.at(0) {
		s.skip()
	}
}
