package structural

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"sync"
)

const (
	// MaxProgram is the maximum number of instructions of a compiled pattern: matching takes up to that
	// many steps for each byte. Repetition makes programs long: x{1000} has 1000.
	MaxProgram = 10_000
	// MaxPrograms is the maximum total for all patterns of a schema.
	MaxPrograms = 250_000
	// maxSource is the maximum length of a pattern that is parsed, in bytes: its tree takes some hundred
	// times the length. A longer one counts as that many instructions.
	maxSource = 64 << 10
)

// A pattern is a regular expression that is compiled when it is first needed: a schema may have as
// many as fit into a request.
type pattern struct {
	source  string
	size    int // the approximate number of its instructions
	compile func() *regexp.Regexp
}

// newPattern parses a pattern.
func newPattern(source string) (*pattern, error) {
	if len(source) > maxSource {
		return &pattern{source, len(source), func() *regexp.Regexp { return nil }}, nil
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return &pattern{source, programSize(tree), sync.OnceValue(func() *regexp.Regexp {
		compiled, _ := regexp.Compile(source) // it has been parsed
		return compiled
	})}, nil
}

// matches reports whether a text matches the pattern. It costs the text's length times the size of
// the program.
func (p *pattern) matches(text string, budget *Budget) bool {
	if !budget.spend(p.size * (len(text) + 1)) {
		return true // another violation is reported then
	}
	compiled := p.compile()
	return compiled != nil && compiled.MatchString(text)
}

// TooLarge returns the detail of the error for a pattern with more instructions than a limit.
func TooLarge(size, limit int) string {
	return fmt.Sprintf("must be a regular expression that can be matched fast, but it compiles to about %d "+
		"instructions, more than %d",
		size, limit)
}

// programSize returns the approximate number of instructions of a regular expression.
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

// ProgramSize returns the approximate number of instructions of a pattern; 0 if it is invalid.
func ProgramSize(source string) int {
	p, err := newPattern(source)
	if err != nil {
		return 0
	}
	return p.size
}
