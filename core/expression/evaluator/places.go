package evaluator

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/tabernetes/tabernetes/core/expression/syntax"
)

// places finds where the parts of an expression are written. cel-go knows one token of each, such as the operator or
// the parenthesis of a call.
type places struct {
	info   *ast.SourceInfo
	tokens []syntax.Token
	at     map[int]int // tokens by where they begin
	pairs  []int       // the other bracket of a pair, or the token itself
	units  []int       // how many units of UTF-16 there are before a character
	known  map[int64]place
}

// A place is the first and the last token of an expression, if it is written anywhere.
type place struct {
	first, last int
	ok          bool
}

func newPlaces(tokens []syntax.Token, text string, info *ast.SourceInfo) *places {
	s := &places{info: info, tokens: tokens, at: map[int]int{}, pairs: make([]int, len(tokens)), units: []int{0},
		known: map[int64]place{}}
	for _, c := range text {
		n := 1
		if c > 0xffff {
			n = 2
		}
		s.units = append(s.units, s.units[len(s.units)-1]+n)
	}
	var open []int
	for i, t := range tokens {
		s.at[t.From], s.pairs[i] = i, i
		switch {
		case t.Opens:
			open = append(open, i)
		case t.Closes && len(open) > 0:
			with := open[len(open)-1]
			open, s.pairs[i], s.pairs[with] = open[:len(open)-1], with, i
		}
	}
	return s
}

// unit returns where a character is, in UTF-16.
func (s *places) unit(character int) int { return s.units[min(max(character, 0), len(s.units)-1)] }

// of returns where an expression begins and ends, in UTF-16.
func (s *places) of(e ast.Expr) (start, end int) {
	at := s.tokensOf(e)
	if !at.ok {
		return 0, s.unit(len(s.units))
	}
	return s.unit(s.tokens[at.first].From), s.unit(s.tokens[at.last].To)
}

// own returns the token that cel-go knows of an expression, or -1.
func (s *places) own(e ast.Expr) int {
	if r, ok := s.info.GetOffsetRange(e.ID()); ok {
		if i, ok := s.at[int(r.Start)]; ok {
			return i
		}
	}
	return -1
}

// tokensOf returns where an expression is. It looks at each of them once.
func (s *places) tokensOf(e ast.Expr) place {
	at, found := s.known[e.ID()]
	if !found {
		at.first, at.last, at.ok = s.find(e)
		s.known[e.ID()] = at
	}
	return at
}

func (s *places) find(e ast.Expr) (first, last int, ok bool) {
	first, last = len(s.tokens), -1
	add := func(from, to int) { first, last = min(first, from), max(last, to) }
	written := e
	if call, isMacro := s.info.GetMacroCall(e.ID()); isMacro {
		written = call
	}
	if e.Kind() == ast.ComprehensionKind && written == e {
		return 0, 0, false
	}
	own := s.own(e)
	for _, o := range operands(written) {
		if at := s.tokensOf(o); at.ok {
			add(at.first, at.last)
		}
	}
	if own >= 0 {
		add(own, own)
		switch {
		case s.tokens[own].Opens:
			add(own, s.pairs[own])
			if isCall(written) {
				add(s.name(own-1), own)
			}
		case s.tokens[own].Text == "." && isOptional(written): // a.?b
			add(own, min(own+2, len(s.tokens)-1))
		case s.tokens[own].Text == ".":
			add(own, min(own+1, len(s.tokens)-1))
			if e.Kind() == ast.IdentKind { // a name of several parts
				add(s.name(own-1), own)
			}
		case s.tokens[own].Text == "-" && e.Kind() == ast.LiteralKind:
			add(own, min(own+1, len(s.tokens)-1))
		}
	}
	if last < 0 {
		return 0, 0, false
	}
	first, last = s.balance(first, last)
	return first, last, true
}

// isCall reports whether a name is before the bracket of an expression that is not what it is called of.
func isCall(e ast.Expr) bool {
	switch e.Kind() {
	case ast.StructKind:
		return true
	case ast.CallKind:
		return !e.AsCall().IsMemberFunction() && !isIndex(e)
	}
	return false
}

func isOptional(e ast.Expr) bool {
	return e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.OptSelect
}

// name returns the first token of a name with dots that ends at a token.
func (s *places) name(i int) int {
	if i < 0 || !s.tokens[i].Name {
		return i + 1
	}
	for i >= 2 && s.tokens[i-1].Text == "." && s.tokens[i-2].Name {
		i -= 2
	}
	return i
}

// balance returns the range with the other brackets of those that are in it.
func (s *places) balance(first, last int) (int, int) {
	for i := first; i <= last; i++ {
		if with := s.pairs[i]; with < first {
			first, i = with, with
		} else {
			last = max(last, with)
		}
	}
	return first, last
}
