package tables

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Path is a JSONPath as the columns of custom resources have it:
//
//	.spec.size  ['a.b']  [0]  [-1]  [1:3]  [*]  .*  ..name  [0,2]
//	.status.conditions[?(@.type=="Ready")].status  [?(@.name)]
//
// It is the dialect of client-go without templates: nothing is printed between
// paths, and there are no loops.
type Path struct{ steps []step }

// A step maps the values that the steps before it have found to the next ones.
type step interface {
	from(w *work, values []any) ([]any, error)
}

// maxPathDepth is the maximum depth of nested filters and unions.
const maxPathDepth = 16

// ParsePath parses a path.
func ParsePath(text string) (Path, error) { return parsePath(text, 0) }

func parsePath(text string, depth int) (Path, error) {
	if depth > maxPathDepth {
		return Path{}, errors.New("the path is nested too deep")
	}
	p := pathParser{text: text, depth: depth}
	for p.pos < len(p.text) {
		s, err := p.step()
		if err != nil {
			return Path{}, err
		}
		if s != nil {
			p.steps = append(p.steps, s)
		}
	}
	return Path{p.steps}, nil
}

// Find returns the values at the path in a tree. A missing value is no error, unless it is beyond
// the end of a list.
//
// Each recursive descent can find every value as often as the one before it, so that a short path could find
// more values than there is memory for: beyond maxWork it is an error. The real server has no such limit.
func (p Path) Find(tree any) ([]any, error) { return p.from(newWork(), []any{tree}) }

// maxWork is how many values the paths of all columns may go through for one object.
const maxWork = 20_000

// A work is what is left of maxWork.
type work struct{ left int }

func newWork() *work { return &work{maxWork} }

var errWork = errors.New("the path goes through too many values")

// spend takes n values from what is left. The error is errWork if it is not enough.
func (w *work) spend(n int) error {
	if w.left -= n; w.left < 0 {
		return errWork
	}
	return nil
}

func (p Path) from(w *work, values []any) (found []any, err error) {
	for _, s := range p.steps {
		if err := w.spend(len(values) + 1); err != nil {
			return nil, err
		}
		if values, err = s.from(w, values); err != nil {
			return nil, err
		}
	}
	return values, nil
}

type pathParser struct {
	text  string
	pos   int
	depth int
	steps []step
}

// step reads one step; none for mere separators.
func (p *pathParser) step() (step, error) {
	rest := p.text[p.pos:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case strings.HasPrefix(rest, "[?("):
		return p.filter()
	case strings.HasPrefix(rest, ".."):
		return p.recursion()
	case r == '[':
		return p.brackets()
	case r == '.':
		p.pos++
		return p.field(), nil
	case r == ' ', r == '@', r == '$': // the object itself
		p.pos++
		return nil, nil
	case r == '"', r == '\'':
		return p.quoted(byte(r))
	case r == '+', r == '-', unicode.IsDigit(r), r == '_', unicode.IsLetter(r):
		return p.word()
	}
	return nil, fmt.Errorf("unexpected %q", rest[:size])
}

// terminators end a name.
const terminators = ".,[]$@{} \t\r\n"

// name reads up to a terminator that is not escaped.
func (p *pathParser) name() string {
	start := p.pos
	for p.pos < len(p.text) && strings.IndexByte(terminators, p.text[p.pos]) < 0 {
		if p.text[p.pos] == '\\' {
			p.pos++
		}
		p.pos = min(p.pos+1, len(p.text))
	}
	return p.text[start:p.pos]
}

// field reads what follows a dot.
func (p *pathParser) field() step {
	name := p.name()
	if name == "*" {
		return wildcard{}
	}
	return field(strings.ReplaceAll(name, `\`, ""))
}

func (p *pathParser) recursion() (step, error) {
	if n := len(p.steps); n > 0 && p.steps[n-1] == (recursion{}) {
		return nil, errors.New("two recursive descents follow each other")
	}
	if p.pos += 2; p.pos < len(p.text) {
		if r, _ := utf8.DecodeRuneInString(p.text[p.pos:]); r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			p.steps = append(p.steps, recursion{})
			return p.field(), nil
		}
	}
	return recursion{}, nil
}

// quoted reads a quoted string.
func (p *pathParser) quoted(quote byte) (step, error) {
	for end := p.pos + 1; end < len(p.text); end++ {
		if p.text[end] != quote || p.text[end-1] == '\\' {
			continue
		}
		text, err := unquote(p.text[p.pos+1:end], quote)
		p.pos = end + 1
		return literal{text}, err
	}
	return nil, errors.New("a text does not end")
}

func unquote(text string, quote byte) (string, error) {
	var b strings.Builder
	for text != "" {
		r, multibyte, rest, err := strconv.UnquoteChar(text, quote)
		if err != nil {
			return "", err
		}
		if r < utf8.RuneSelf || !multibyte {
			b.WriteByte(byte(r))
		} else {
			b.WriteRune(r)
		}
		text = rest
	}
	return b.String(), nil
}

// word reads a number, true, false, or a command.
func (p *pathParser) word() (step, error) {
	start := p.pos
	if c := p.text[start]; c == '+' || c == '-' || c >= '0' && c <= '9' {
		for p.pos++; p.pos < len(p.text) && (p.text[p.pos] == '.' || p.text[p.pos] >= '0' && p.text[p.pos] <= '9'); p.pos++ {
		}
		text := p.text[start:p.pos]
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return literal{n}, nil
		}
		f, err := strconv.ParseFloat(text, 64)
		return literal{f}, err
	}
	word := p.name()
	if word == "true" || word == "false" {
		return literal{word == "true"}, nil
	}
	return command(word), nil
}

// brackets reads an index, a slice, a name in quotes, or several of them.
func (p *pathParser) brackets() (step, error) {
	end := strings.IndexAny(p.text[p.pos:], "]\n")
	if end < 0 || p.text[p.pos+end] == '\n' {
		return nil, errors.New("a bracket is not closed")
	}
	text := p.text[p.pos+1 : p.pos+end]
	p.pos += end + 1
	if parts := strings.Split(text, ","); len(parts) > 1 {
		var all union
		for _, part := range parts {
			path, err := parsePath("["+strings.Trim(part, " ")+"]", p.depth+1)
			if err != nil {
				return nil, err
			}
			all = append(all, path)
		}
		return all, nil
	}
	if name, ok := strings.CutPrefix(text, "'"); ok && strings.HasSuffix(name, "'") && len(text) > 1 {
		return parsePath("."+strings.TrimSuffix(name, "'"), p.depth+1)
	}
	return parseSlice(text)
}

// filter reads a filter: a path that has to exist, or a comparison.
func (p *pathParser) filter() (step, error) {
	start, quote := p.pos+len("[?("), byte(0)
	for end := start; end < len(p.text); end++ {
		switch c := p.text[end]; {
		case c == '\n':
			return nil, errors.New("a filter is not closed")
		case quote != 0:
			if c == quote && p.text[end-1] != '\\' {
				quote = 0
			}
		case c == '"', c == '\'':
			quote = c
		case c == ')':
			if !strings.HasPrefix(p.text[end:], ")]") {
				return nil, errors.New("a filter is not closed")
			}
			p.pos = end + len(")]")
			return p.comparison(p.text[start:end])
		}
	}
	return nil, errors.New("a filter is not closed")
}

const comparators = "!<>="

func (p *pathParser) comparison(text string) (step, error) {
	at := strings.IndexAny(text, comparators)
	right := strings.TrimLeft(text[max(at, 0):], comparators)
	if at <= 0 || right == "" { // checks only for existence
		left, err := parsePath(text, p.depth+1)
		return filter{left: left}, err
	}
	f := filter{operator: text[at : len(text)-len(right)]}
	var err error
	if f.left, err = parsePath(text[:at], p.depth+1); err == nil {
		f.right, err = parsePath(right, p.depth+1)
	}
	return f, err
}
