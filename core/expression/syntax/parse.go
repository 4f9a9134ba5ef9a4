// More than 400 lines: a parser by recursive descent is one piece.

package syntax

import (
	"slices"
	"strings"
)

// A set is a set of kinds: one bit each.
type set uint64

func (s set) has(k kind) bool { return s&(1<<k) != 0 }

func (s set) String() string {
	var names []string
	for k, n := range strings.Fields(kindNames) {
		if s.has(kind(k)) {
			names = append(names, n)
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// The tokens that begin and continue parts of an expression.
const (
	binary = 1<<equals | 1<<notEquals | 1<<in | 1<<less | 1<<lessEquals | 1<<greaterEquals | 1<<greater | 1<<and | 1<<or |
		1<<star | 1<<slash | 1<<percent | 1<<plus | 1<<minus
	logical     = binary &^ (1<<star | 1<<slash | 1<<percent | 1<<plus | 1<<minus)
	operators   = binary | 1<<dot | 1<<openBracket
	names       = 1<<name | 1<<quotedName
	memberStart = 1<<minus | 1<<isTrue | 1<<isFalse | 1<<isNull | 1<<number | 1<<integer | 1<<unsigned | 1<<text |
		1<<octets | 1<<openBracket | 1<<openBrace | 1<<openParen | 1<<dot | 1<<name
	exprStart    = memberStart | 1<<exclamation
	elementStart = exprStart | 1<<question
	fieldStart   = names | 1<<question
)

// A parser reads the tokens of one expression by the grammar of CEL and stops at the first syntax
// error, other than that of a missing operand before an operator. The error is that of the parser
// generated from the grammar, so it depends on where that one looks ahead: match and sync model this.
//
// Operators are read without regard to their precedence, which does not affect errors.
type parser struct {
	lexer
	pos    int
	next   set // the tokens that may follow the operand that is being read
	depth  int
	failed bool // no token matches any more

	scope      Scope     // nil: names are not checked
	bound      []string  // the names that macros bind
	undeclared []finding // the undeclared names
}

// A shape is the form of an expression, as far as macros need it: a name, a selection of a field,
// or neither; and the place of errors about it.
type shape struct {
	form byte
	position
	typ string // its type, if that is known
}

const (
	other byte = iota
	identifier
	selection
)

func (p *parser) start() {
	p.expr(1 << eof)
	p.match(eof, 0)
}

// la returns the kind of the n-th next token, from 1. Once the parser has failed there
// are no more tokens.
func (p *parser) la(n int) kind {
	if p.failed {
		return eof
	}
	return p.token(n).kind
}

func (p *parser) token(n int) *token { return &p.all[min(p.pos+n-1, len(p.all)-1)] }

func (p *parser) text(t *token) string { return string(p.src[t.from:t.to]) }

// skip skips the next token, unless it is the end.
func (p *parser) skip() *token {
	t := p.token(1)
	if t.kind != eof && !p.failed {
		p.pos++
	}
	return t
}

// accept skips the next token if it is of the kind.
func (p *parser) accept(k kind) bool {
	if p.la(1) != k {
		return false
	}
	p.skip()
	return true
}

// fail reports a syntax error about the next n tokens.
func (p *parser) fail(n int, before, after string) {
	if p.failed {
		return
	}
	p.failed = true
	first, last := p.token(1), p.token(n)
	words := string(p.src[first.from:last.to])
	if first.kind == eof {
		words = "<EOF>"
	}
	p.report(last.position, "Syntax error: "+before+" '"+escapes.Replace(words)+"'"+after)
}

var escapes = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`)

// stray fails because nothing can begin with the next n tokens.
func (p *parser) stray(n int) { p.fail(n, "no viable alternative at input", "") }

// match skips a token of a kind; after is what may follow, so that the token can be reported as
// missing.
func (p *parser) match(k kind, after set) {
	switch {
	case p.accept(k):
	case p.la(2) != k && after.has(p.la(1)):
		p.fail(1, "missing "+set(1<<k).String()+" at", "")
	default:
		p.sync(1 << k)
	}
}

// sync fails unless a token of s comes next, before a choice among them.
func (p *parser) sync(s set) bool {
	if s.has(p.la(1)) {
		return true
	}
	what := "mismatched"
	if s.has(p.la(2)) {
		what = "extraneous"
	}
	p.fail(1, what+" input", " expecting "+s.String())
	return false
}

// expr reads an expression that one of follow may follow.
func (p *parser) expr(follow set) shape {
	if p.depth++; p.depth > maxDepth && !p.failed {
		p.report(position{-1, -1}, "expression recursion limit exceeded: 250")
		p.failed = true
	}
	outer := p.next
	p.next = operators | 1<<question | follow
	s := p.operands()
	if p.la(1) == question {
		s = shape{position: p.skip().position}
		p.next = operators | 1<<colon
		first := p.operands()
		p.match(colon, exprStart)
		if second := p.expr(follow); first.typ == second.typ {
			s.typ = first.typ
		}
	}
	p.next = outer
	p.depth--
	return s
}

func (p *parser) operands() shape {
	s := p.operand()
	compares := false
	for set(binary).has(p.la(1)) {
		compares = compares || set(logical).has(p.la(1))
		left := s.typ
		s = shape{position: p.skip().position}
		switch right := p.operand().typ; {
		case compares:
			s.typ = "bool"
		case left == right || right == dyn:
			s.typ = left
		case left == dyn:
			s.typ = right
		}
	}
	return s
}

// begins reports whether an operand comes next. If not it reports so, and the parser continues as the
// generated one does: without a token before the operand, or with an operator as if the operand were
// there.
func (p *parser) begins() bool {
	if p.failed || p.sync(exprStart) {
		return !p.failed
	}
	switch here := p.token(1).kind; {
	case here == eof:
	case set(exprStart).has(p.token(2).kind):
		p.failed = false
		p.skip()
		return true
	case set(binary).has(here):
		p.failed = false
	}
	return false
}

// operand reads a value with its prefix operators and selectors.
func (p *parser) operand() shape {
	if !p.begins() {
		return shape{}
	}
	first := p.token(1)
	negated := false
	for p.la(1) == exclamation {
		negated = !negated
		if p.skip(); !set(exprStart).has(p.la(1)) {
			p.fail(1, "extraneous input", " expecting "+set(exprStart).String())
		}
	}
	for p.la(1) == minus && p.la(2) != integer && p.la(2) != number {
		if first.kind == exclamation || !set(memberStart).has(p.la(2)) {
			goesOn := !p.failed && first.kind == minus && p.token(2).kind == eof
			if p.stray(2); goesOn { // with the sign as an operator
				p.failed = false
				return shape{}
			}
		}
		p.skip()
	}
	signed := p.token(1).from != first.from
	s := p.primary()
	for {
		was := s.typ
		switch p.la(1) {
		case dot:
			s = p.selected()
		case openBracket:
			s = shape{position: p.skip().position}
			p.sync(elementStart)
			optional := p.accept(question)
			p.expr(1 << closeBracket)
			p.match(closeBracket, p.next)
			if !optional {
				s.typ = dyn
			}
		default:
			if signed {
				s = shape{position: first.position, typ: s.typ}
			}
			if negated {
				s.typ = "bool"
			}
			return s
		}
		if s.typ == dyn && was != dyn { // a part of what has its own type
			s.typ = ""
		}
	}
}

// selected reads a field or a method.
func (p *parser) selected() shape {
	switch next := p.la(2); {
	case next == name && p.la(3) == openParen:
		p.skip()
		method := "." + p.text(p.skip())
		s := p.arguments(method)
		s.typ = resultOf(method)
		return s
	case !set(fieldStart).has(next):
		p.stray(2)
		return shape{}
	}
	s := shape{selection, p.skip().position, dyn}
	if p.accept(question) {
		s.form, s.typ = other, ""
	}
	p.field()
	return s
}

// field reads the name of a field.
func (p *parser) field() {
	if !p.sync(names) {
		return
	}
	if t := p.skip(); t.kind == quotedName {
		p.report(t.position, "unsupported syntax: '`'")
	}
}

// arguments reads the arguments of a function, or of a method if its name begins with a dot, which
// may be a macro that binds variables.
func (p *parser) arguments(function string) shape {
	s := shape{position: p.skip().position}
	bound := p.bound
	binds := isWord(macros, function)
	if binds {
		p.bound = slices.Clip(bound)
		for i := 1; i < 4 && p.la(i) == name && p.la(i+1) == comma; i += 2 {
			p.bound = append(p.bound, p.text(p.token(i)))
		}
	}
	var arg shape // the first one
	count := 0
	for more := p.sync(exprStart|1<<closeParen) && p.la(1) != closeParen; more; more = p.accept(comma) {
		s := p.expr(1<<comma | 1<<closeParen)
		if count++; count == 1 {
			arg = s
		}
	}
	p.match(closeParen, p.next)
	p.bound = bound
	switch {
	case p.failed:
	case function == "has" && count == 1 && arg.form != selection:
		p.report(arg.position, "invalid argument to has() macro")
	case binds && count > 1 && arg.form != identifier:
		wrong := "argument must be a simple name"
		if function == ".map" || function == ".filter" {
			wrong = "argument is not an identifier"
		}
		p.report(arg.position, wrong)
	}
	return s
}

func (p *parser) primary() shape {
	first := p.token(1)
	switch k := p.la(1); k {
	case dot, name:
		return p.reference()
	case openParen:
		p.skip()
		s := p.expr(1 << closeParen)
		p.match(closeParen, p.next)
		return s
	case openBracket:
		p.items(closeBracket, elementStart, false)
	case openBrace:
		p.items(closeBrace, elementStart, true)
	case minus:
		p.skip()
		fallthrough
	default:
		p.sync(memberStart)
		p.skip()
	}
	s := shape{position: first.position}
	switch p.all[max(p.pos-1, 0)].kind {
	case integer:
		s.typ = "int"
	case unsigned:
		s.typ = "uint"
	case number:
		s.typ = "double"
	case text:
		s.typ = "string"
	case octets:
		s.typ = "bytes"
	case isTrue, isFalse:
		s.typ = "bool"
	case isNull:
		s.typ = "null_type"
	}
	return s
}

// items reads the content of a list, a map or a message, which begins with one of start, with its
// brackets; maps and messages have pairs.
func (p *parser) items(end kind, start set, pairs bool) {
	p.skip()
	p.sync(start | 1<<comma | 1<<end)
	for start.has(p.la(1)) {
		p.accept(question)
		follow := set(1<<comma | 1<<end)
		if start == fieldStart {
			p.field()
		} else if pairs {
			p.expr(1 << colon)
		} else {
			p.expr(follow)
		}
		if pairs {
			p.match(colon, exprStart)
			p.expr(follow)
		}
		if p.la(1) != comma || !start.has(p.la(2)) {
			break
		}
		p.skip()
	}
	p.sync(1<<comma | 1<<end)
	p.accept(comma)
	p.match(end, p.next)
}

const (
	reserved = " as break const continue else false for function if import in let loop package namespace null return " +
		"true var void while "
	// The identifiers that are values everywhere.
	types = " bool bytes double dyn int list map null_type string type uint optional_type "
	// The first parts of the qualified names of types and functions.
	roots = " google kubernetes net optional sets ip cidr format jsonpatch math lists strings base64 semver cel "
	// The result types of functions and methods, where they do not depend on arguments.
	results = " int:int size:int uint:uint double:double string:string bytes:bytes bool:bool has:bool .all:bool " +
		".exists:bool .exists_one:bool .existsOne:bool " +
		".startsWith:bool .endsWith:bool .contains:bool .matches:bool .size:int "
	// The type of values that can be of any type.
	dyn = "dyn"
	// The methods that bind the variables that their first arguments name.
	macros = " .all .exists .exists_one .existsOne .map .filter .optMap .optFlatMap .sortBy .bind .transformList " +
		".transformMap .transformMapEntry "
)

// isWord reports whether a word is in a list of words with a space around each.
func isWord(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// resultOf returns the result type of a function or method, if known.
func resultOf(function string) string {
	_, rest, _ := strings.Cut(results, " "+function+":")
	result, _, _ := strings.Cut(rest, " ")
	return result
}

// reference reads an identifier, a call of a function or a message.
func (p *parser) reference() shape {
	first := p.token(1)
	i := 1
	if first.kind == dot {
		if i = 2; p.la(2) != name {
			p.stray(2)
			return shape{}
		}
	}
	called := false
	for last := i; ; last += 2 {
		if p.la(last+1) == openBrace {
			p.pos += last
			s := shape{position: p.token(1).position}
			p.items(closeBrace, fieldStart, true)
			return s
		}
		if p.la(last+1) != dot || p.la(last+2) != name {
			called = p.la(last+1) == openParen
			break
		}
	}
	p.accept(dot)
	t := p.skip()
	word := p.text(t)
	if isWord(reserved, word) {
		p.report(first.position, "reserved identifier: "+word)
	}
	if p.la(1) == openParen {
		function := word
		if word != "has" {
			word = ""
		}
		s := p.arguments(word)
		s.typ = resultOf(function)
		return s
	}
	switch {
	case p.scope == nil:
	case !p.scope[word] && !slices.Contains(p.bound, word) && !isWord(types, word) && !(called && isWord(roots, word)):
		p.undeclared = append(p.undeclared,
			finding{t.position, "undeclared reference to '" + string(p.src[first.from:t.to]) + "' (in container '')"})
	case word == "variables" && p.la(1) == dot && p.la(2) == name && p.la(3) != openParen:
		if field := p.text(p.token(2)); !p.scope["variables."+field] {
			p.undeclared = append(p.undeclared, finding{p.token(1).position, "undefined field '" + field + "'"})
		}
	}
	s := shape{identifier, t.position, ""}
	if word == "object" || word == "oldObject" || word == "params" {
		s.typ = dyn
	}
	return s
}
