package syntax

// A Token is a part of an expression's text.
type Token struct {
	// From is where it begins, and To where it ends, in characters.
	From, To int
	// Text is the token itself.
	Text string
	// Name reports that it is a name, and Opens and Closes that it is a bracket.
	Name, Opens, Closes bool
}

// Tokens returns the tokens of an expression, without white space and comments. What is no token is skipped.
func Tokens(expr string) (all []Token) {
	l := lexer{src: []rune(expr), position: position{line: 1}}
	l.tokens()
	for _, t := range l.all {
		if t.kind == eof {
			break
		}
		made := Token{From: t.from, To: t.to, Text: string(l.src[t.from:t.to])}
		switch t.kind {
		case name, quotedName, in, isTrue, isFalse, isNull:
			made.Name = true
		case openBracket, openBrace, openParen:
			made.Opens = true
		case closeBracket, closeBrace, closeParen:
			made.Closes = true
		}
		all = append(all, made)
	}
	return all
}
