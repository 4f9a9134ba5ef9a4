package syntax

import "strings"

// kind is the kind of a token. The order is that of the grammar: lists of expected tokens are
// printed in it.
type kind uint8

const (
	eof kind = iota
	equals
	notEquals
	in
	less
	lessEquals
	greaterEquals
	greater
	and
	or
	openBracket
	closeBracket
	openBrace
	closeBrace
	openParen
	closeParen
	dot
	comma
	minus
	exclamation
	question
	colon
	plus
	star
	slash
	percent
	isTrue
	isFalse
	isNull
	number
	integer
	unsigned
	text
	octets
	name
	quotedName
	blank // white space and comments, which the parser does not see
	none
)

const kindNames = "<EOF> '==' '!=' 'in' '<' '<=' '>=' '>' '&&' '||' '[' ']' '{' '}' '(' ')' '.' ',' '-' '!' '?' " +
	"':' '+' '*' '/' '%' 'true' 'false' 'null' " +
	"NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER ESC_IDENTIFIER"

// A token is a range of characters of an expression.
type token struct {
	kind
	position
	from, to int
}

// A lexer splits an expression into tokens. Characters that begin none are reported and skipped.
type lexer struct {
	src      []rune
	at       int
	position // of the character at at
	all      []token
	found    []finding
}

// tokens finds all tokens of the expression; the last one is eof.
func (l *lexer) tokens() {
	for l.at < len(l.src) {
		t := token{position: l.position, from: l.at}
		k := l.scan()
		t.kind, t.to = k, l.at
		if k == none { // the offending character is part of the text
			t.to = min(l.at+1, len(l.src))
			l.report(t.position, "Syntax error: token recognition error at: '"+string(l.src[t.from:t.to])+"'")
		}
		for _, c := range l.src[t.from:t.to] {
			l.column++
			if c == '\n' {
				l.position = position{line: l.line + 1}
			}
		}
		l.at = t.to
		if k < blank {
			l.all = append(l.all, t)
		}
	}
	l.all = append(l.all, token{eof, l.position, l.at, l.at})
}

// report records an error, in the order of the text.
func (l *lexer) report(at position, text string) {
	i := len(l.found)
	l.found = append(l.found, finding{})
	for ; i > 0 && (l.found[i-1].line > at.line || l.found[i-1].line == at.line && l.found[i-1].column > at.column); i-- {
		l.found[i] = l.found[i-1]
	}
	l.found[i] = finding{at, text}
}

// peek returns the n-th character from here, 0 after the end.
func (l *lexer) peek(n int) rune {
	if l.at+n < len(l.src) {
		return l.src[l.at+n]
	}
	return 0
}

const (
	digits  = "0123456789"
	hex     = digits + "abcdefABCDEF"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
)

func among(c rune, chars string) bool {
	return c != 0 && strings.IndexByte(chars, byte(c)) >= 0 && c < 128
}

// run skips characters of a set, up to a maximum, and returns how many.
func (l *lexer) run(chars string, most int) int {
	from := l.at
	for l.at < len(l.src) && l.at-from < most && among(l.src[l.at], chars) {
		l.at++
	}
	return l.at - from
}

// scan skips the longest token that begins here. Without one it skips the characters that
// could begin one.
func (l *lexer) scan() kind {
	c, next := l.peek(0), l.peek(1)
	switch {
	case among(c, "\t \r\n\f"):
		l.run("\t \r\n\f", maxCharacters)
		return blank
	case c == '/' && next == '/':
		for l.at < len(l.src) && l.src[l.at] != '\n' {
			l.at++
		}
		return blank
	case among(c, letters):
		return l.word()
	case among(c, digits), c == '.' && among(next, digits):
		return l.number()
	case c == '"', c == '\'':
		return l.quoted(text, false)
	case c == '`':
		l.at++
		if l.run(letters+digits+".-/ ", maxCharacters) > 0 && l.peek(0) == '`' {
			l.at++
			return quotedName
		}
		return none
	}
	if i := strings.Index("==!=<=>=&&||", string([]rune{c, next})); i >= 0 && i%2 == 0 {
		l.at += 2
		return []kind{equals, notEquals, lessEquals, greaterEquals, and, or}[i/2]
	}
	if i := strings.IndexRune("[]{}().,-!?:+*/%", c); i >= 0 && c != 0 {
		l.at++
		return openBracket + kind(i)
	}
	switch c {
	case '<':
		l.at++
		return less
	case '>':
		l.at++
		return greater
	case '=', '&', '|':
		l.at++
	}
	return none
}

// word skips an identifier, a keyword or a string with a prefix.
func (l *lexer) word() kind {
	from, k := l.at, text
	if l.run("bB", 1) > 0 {
		k = octets
	}
	raw := l.run("rR", 1) > 0
	if among(l.peek(0), `"'`) && l.quoted(k, raw) == k {
		return k
	}
	l.at = from
	l.run(letters+digits, maxCharacters)
	switch string(l.src[from:l.at]) {
	case "in":
		return in
	case "true":
		return isTrue
	case "false":
		return isFalse
	case "null":
		return isNull
	}
	return name
}

func (l *lexer) number() kind {
	k := integer
	if l.peek(0) == '0' && l.peek(1) == 'x' && among(l.peek(2), hex) {
		l.at += 2
		l.run(hex, maxCharacters)
	} else {
		l.run(digits, maxCharacters)
		if l.peek(0) == '.' && among(l.peek(1), digits) {
			k = number
			l.at++
			l.run(digits, maxCharacters)
		}
		from := l.at
		if l.run("eE", 1) > 0 {
			l.run("+-", 1)
			if l.run(digits, maxCharacters) > 0 {
				k = number
			} else {
				l.at = from
			}
		}
	}
	if k == integer && l.run("uU", 1) > 0 {
		k = unsigned
	}
	return k
}

// quoted skips a string of the kind k. Three quotation marks begin a multi-line string; if it does
// not end, the first two are an empty string.
func (l *lexer) quoted(k kind, raw bool) kind {
	from, mark := l.at, l.peek(0)
	for size := 3; size > 0; size -= 2 {
		l.at = from
		for n := 0; n < size && l.peek(0) == mark; n++ {
			l.at++
		}
		if l.at-from < size {
			continue
		}
		for l.at < len(l.src) {
			c := l.src[l.at]
			if c == mark && (size == 1 || l.peek(1) == mark && l.peek(2) == mark) {
				l.at += size
				return k
			}
			if size == 1 && (c == '\n' || c == '\r') || !l.character(raw) {
				break
			}
		}
	}
	return none
}

// character skips a character of a string, which may be an escape sequence; in an invalid one it
// stops at the first wrong character.
func (l *lexer) character(raw bool) bool {
	l.at++
	if raw || l.src[l.at-1] != '\\' {
		return true
	}
	want, digits := 0, hex
	switch c := l.peek(0); {
	case among(c, "abfnrtv\"'\\?`"):
	case among(c, "xX"):
		want = 2
	case c == 'u':
		want = 4
	case c == 'U':
		want = 8
	case among(c, "0123"):
		want, digits = 2, "01234567"
	default:
		return false
	}
	l.at++
	return l.run(digits, want) == want
}
