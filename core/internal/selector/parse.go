package selector

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
)

// A token is a symbol or a word of a label selector. The words "in" and "notin"
// are operators only where an operator is expected: they are labels and values
// too.
type token struct {
	symbol bool // one of = == != ! ( ) , > <
	end    bool
	text   string
}

func (t token) is(symbol string) bool { return t.symbol && t.text == symbol }
func (t token) word() bool            { return !t.symbol && !t.end }

type lexer struct {
	text string
	pos  int
}

func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
func isSymbol(c byte) bool { return strings.IndexByte("=!(),><", c) >= 0 }

// next reads one token. A zero byte ends the text where a token would begin, and is dropped after
// one, as in the real server.
func (l *lexer) next() token {
	for l.pos < len(l.text) && isSpace(l.text[l.pos]) {
		l.pos++
	}
	if l.pos == len(l.text) || l.text[l.pos] == 0 {
		return token{end: true}
	}
	start := l.pos
	symbol := isSymbol(l.text[start])
	if symbol {
		l.pos++
		if two := l.text[start:min(start+2, len(l.text))]; two == "==" || two == "!=" {
			l.pos++
		}
	} else {
		for l.pos < len(l.text) && l.text[l.pos] != 0 && !isSpace(l.text[l.pos]) && !isSymbol(l.text[l.pos]) {
			l.pos++
		}
	}
	t := token{symbol: symbol, text: l.text[start:l.pos]}
	if l.pos < len(l.text) && l.text[l.pos] == 0 {
		l.pos++
	}
	return t
}

// parser is a recursive descent with one token of lookahead.
type parser struct {
	lexer
	ahead *token
}

func (p *parser) peek() token {
	if p.ahead == nil {
		t := p.next()
		p.ahead = &t
	}
	return *p.ahead
}

func (p *parser) take() token {
	t := p.peek()
	p.ahead = nil
	return t
}

func (p *parser) selector() (Labels, error) {
	var l Labels
	first := p.peek()
	if first.end {
		return l, nil
	}
	if !first.word() && !first.is("!") {
		return nil, fmt.Errorf("found '%s', expected: !, identifier, or 'end of string'", first.text)
	}
	for {
		r, err := p.requirement()
		if err != nil {
			return nil, fmt.Errorf("unable to parse requirement: %w", err)
		}
		l = append(l, r)
		switch t := p.take(); {
		case t.end:
			return l, nil
		case !t.is(","):
			return nil, fmt.Errorf("found '%s', expected: ',' or 'end of string'", t.text)
		}
		if t := p.peek(); !t.word() && !t.is("!") {
			return nil, fmt.Errorf("found '%s', expected: identifier after ','", t.text)
		}
	}
}

func (p *parser) requirement() (Requirement, error) {
	t := p.take()
	absent := t.is("!")
	if absent {
		t = p.take()
	}
	if !t.word() {
		return Requirement{}, fmt.Errorf("found '%s', expected: identifier", t.text)
	}
	key := t.text
	if wrong := syntax.LabelKey(key); wrong != nil {
		// The real server has no path for the key here, which its error shows.
		return Requirement{}, field.Invalid("<nil>", key, strings.Join(wrong, "; "))
	}
	if absent {
		return NewRequirement(key, DoesNotExist)
	}
	if t := p.peek(); t.end || t.is(",") {
		return NewRequirement(key, Exists)
	}
	op, err := p.operator()
	if err != nil {
		return Requirement{}, err
	}
	var values []string
	if op == In || op == NotIn {
		values, err = p.values()
	} else {
		values, err = p.value()
	}
	if err != nil {
		return Requirement{}, err
	}
	return NewRequirement(key, op, values...)
}

func (p *parser) operator() (Operator, error) {
	switch t := p.take(); t.text {
	case "=", "==", "!=", "in", "notin":
		return Operator(t.text), nil
	case ">":
		return GreaterThan, nil
	case "<":
		return LessThan, nil
	default:
		return "", fmt.Errorf("found '%s', expected: in, notin, =, ==, !=, gt, lt", t.text)
	}
}

// value reads the operand of an operator with one value: a word, or nothing.
func (p *parser) value() ([]string, error) {
	if t := p.peek(); t.end || t.is(",") {
		return []string{""}, nil
	}
	t := p.take()
	if !t.word() {
		return nil, fmt.Errorf("found '%s', expected: identifier", t.text)
	}
	return []string{t.text}, nil
}

// values reads a list in parentheses, in which empty values count.
func (p *parser) values() ([]string, error) {
	if t := p.take(); !t.is("(") {
		return nil, fmt.Errorf("found '%s' expected: '('", t.text)
	}
	if t := p.peek(); !t.word() && !t.is(",") && !t.is(")") {
		return nil, fmt.Errorf("found '%s', expected: ',', ')' or identifier", t.text)
	}
	var values []string
	for {
		value := ""
		if t := p.peek(); t.word() {
			value = p.take().text
		}
		values = append(values, value)
		switch t := p.peek(); {
		case t.is(")"):
			p.take()
			return values, nil
		case t.is(","):
			p.take()
		case value != "":
			return nil, fmt.Errorf("found '%s', expected: ',' or ')'", t.text)
		default:
			return nil, fmt.Errorf("found '%s', expected: ',', or identifier", t.text)
		}
	}
}
