package structural

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"sync"
)

const (
	// maxProgram is how many instructions a pattern may compile to: matching takes up to
	// that many steps for each byte. Repetition makes programs long: x{1000} has 1000.
	maxProgram = 10_000
	// maxPrograms is how many all patterns of a schema may have together.
	maxPrograms = 250_000
)

// A pattern is a regular expression that is compiled when it is first needed: a schema
// may have as many as a request has room for.
type pattern struct {
	source  string
	size    int // about how many instructions it compiles to
	compile func() *regexp.Regexp
}

// newPattern reads a pattern; the error says why it is none.
func newPattern(source string) (*pattern, error) {
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return &pattern{source, programSize(tree), sync.OnceValue(func() *regexp.Regexp {
		compiled, _ := regexp.Compile(source) // it has been parsed
		return compiled
	})}, nil
}

// matches reports whether a text has the pattern. It costs the text's length times the
// size of the program.
func (p *pattern) matches(text string, budget *Budget) bool {
	if !budget.spend(p.size * (len(text) + 1)) {
		return true // something else is said then
	}
	compiled := p.compile()
	return compiled != nil && compiled.MatchString(text)
}

// tooLarge says that a pattern's program has too many instructions.
func tooLarge(size, limit int) string {
	return fmt.Sprintf("must be a regular expression that can be matched fast, but it compiles to about %d "+
		"instructions, more than %d",
		size, limit)
}

// programSize returns about how many instructions a regular expression compiles to.
func programSize(re *syntax.Regexp) int {
	size := 0
	for _, sub := range re.Sub {
		size += programSize(sub)
	}
	switch re.Op {
	case syntax.OpConcat:
	case syntax.OpLiteral:
		size += len(re.Rune)
	case syntax.OpCapture:
		size += 2
	case syntax.OpAlternate:
		size += len(re.Sub)
	case syntax.OpRepeat:
		if size *= max(re.Min, re.Max, 1); re.Max != re.Min {
			size += max(re.Max-re.Min, 1)
		}
	default:
		size++
	}
	return min(size, 1<<30)
}

// ProgramSize returns about how many instructions a pattern compiles to; 0 if it is none.
func ProgramSize(source string) int {
	p, err := newPattern(source)
	if err != nil {
		return 0
	}
	return p.size
}
