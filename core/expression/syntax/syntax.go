// Package syntax checks expressions of the Common Expression Language in admission policies, match
// conditions, device selectors and schemas of custom resources. It parses them by the grammar of
// CEL and reports errors with the texts of kube-apiserver. It does not evaluate them and knows few
// types.
//
// The optional syntax (a.?b, a[?b], [?a], {?a: b}) is enabled, names in backticks are disabled, as
// in the environments of Kubernetes. The grammar is that of cel-spec; texts and limits are those of
// cel-go v0.26, which the tests compare with. cel-go may continue after a syntax error and report
// more of them; this package stops at the first.
//
// The time is linear in the length of an expression; those longer than a limit, which is 100,000 characters
// unless the caller has another, are refused unread. No state is kept between calls.
package syntax

import (
	"errors"
	"strconv"
	"strings"
)

// The limits of the real parser, which show in its error texts.
const (
	maxCharacters = 100_000
	maxDepth      = 250
	maxSnippet    = 16384 // bytes of the longest line that is shown with an error
	maxReport     = 1 << 16
)

// A Scope has the variables that expressions may use. A nil one has all names.
type Scope map[string]bool

// ScopeOf returns the scope with these variables.
func ScopeOf(variables ...string) Scope {
	s := Scope{}
	for _, name := range variables {
		s[name] = true
	}
	return s
}

// Check parses an expression and returns its errors, or nil. The text is the report of
// kube-apiserver, a block for each error in the order of the text:
//
//	ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting ...
//	 | a +
//	 | ...^
//
// Names that are not in the scope are errors too ("undeclared reference to"), except for those that
// macros such as all and map bind, types and the first parts of the names of functions; the fields of
// variables are in it as "variables.x". Functions, other fields and types are never checked: an
// expression without errors may still be refused by the real server.
func (s Scope) Check(expr string) error { return s.CheckUpTo(maxCharacters, expr) }

// CheckUpTo is Check with another limit of the length of an expression, in characters.
func (s Scope) CheckUpTo(limit int, expr string) error {
	src := []rune(expr)
	if len(src) > limit {
		return errors.New("ERROR: <input>:-1:0: expression code point size exceeds limit: size: " + strconv.Itoa(len(src)) +
			", limit " + strconv.Itoa(limit))
	}
	p := parser{lexer: lexer{src: src, position: position{line: 1}}, scope: s}
	p.tokens()
	p.start()
	found := p.found
	if len(found) == 0 {
		found = p.undeclared
	}
	if len(found) == 0 {
		return nil
	}
	lines := strings.Split(expr, "\n")
	all := ""
	for i, f := range found {
		if i > 0 {
			all += "\n"
		}
		if all += f.report(lines); len(all) > maxReport {
			break
		}
	}
	return errors.New(all)
}

// TypeOf returns the type of an expression that Check accepts: if literals, operators and common
// functions determine it, else empty. Objects and parameters are of any type.
func TypeOf(expr string) string {
	p := parser{lexer: lexer{src: []rune(expr), position: position{line: 1}}}
	p.tokens()
	return p.expr(1 << eof).typ
}

// A position is a line, from 1, and a column in it, from 0, in characters.
type position struct{ line, column int }

// A finding is an error and its position. One about the whole expression has line -1 and column -1.
type finding struct {
	position
	text string
}

// report formats the finding: with the line and a mark below it. The marks of non-ASCII characters
// are wide.
func (f finding) report(lines []string) string {
	s := "ERROR: <input>:" + strconv.Itoa(f.line) + ":"
	if f.line < 1 || len(lines) == 1 && lines[0] == "" {
		return s + "0: " + f.text
	}
	line := strings.ReplaceAll(lines[f.line-1], "\t", " ")
	s += strconv.Itoa(f.column+1) + ": " + f.text
	if len(line) > maxSnippet {
		return s
	}
	marks := make([]rune, 0, len(line)+1)
	for _, c := range line + " " {
		mark, wide := '.', '\uff0e'
		if len(marks) == f.column {
			mark, wide = '^', '\uff3e'
		}
		if c > 127 {
			mark = wide
		}
		if marks = append(marks, mark); len(marks) > f.column {
			break
		}
	}
	return s + "\n | " + line + "\n | " + string(marks)
}
