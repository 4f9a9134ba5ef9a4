//go:build js && wasm

// Package regexp is what the lab's binary has as package regexp: expressions are
// matched by the browser's own RegExp. Few of the lab's libraries need any, such as
// YAML's, to tell numbers. The standard library's package, its parser and Unicode's
// tables for it are 75 KB in brotli.
//
// The two languages differ. Only expressions that mean the same in both may be in the
// lab: the tests know each, and match it both ways. The API server has the standard
// library's package: its users write expressions, and that one takes linear time.
//
// Nobody imports this package: package overlay puts it in the place of the standard
// library's.
package regexp

import (
	"sync"
	"syscall/js"
)

// A Regexp is a regular expression. It is compiled when it is first used.
type Regexp struct {
	source  string
	compile func() js.Value
}

// Compile returns an expression. That it is one is seen when it is first used.
func Compile(source string) (*Regexp, error) {
	return &Regexp{source, sync.OnceValue(func() js.Value {
		return js.Global().Get("RegExp").New(source, "u")
	})}, nil
}

// MustCompile is Compile, for variables.
func MustCompile(source string) *Regexp {
	re, _ := Compile(source)
	return re
}

// String returns the expression.
func (re *Regexp) String() string { return re.source }

// MatchString reports whether s contains a match. It panics if the expression is invalid.
func (re *Regexp) MatchString(s string) bool { return re.compile().Call("test", s).Bool() }

// FindAllStringSubmatch is there for core/internal/structural, of which the lab has the types:
// what calls it is not in the binary.
func (re *Regexp) FindAllStringSubmatch(string, int) [][]string {
	panic("regexp: FindAllStringSubmatch is not in this binary")
}
