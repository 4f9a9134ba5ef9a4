package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A selector chooses entries of a list by what they are, and not by their places, as in
//
//	[type = ADDED]
//	[type = ADDED or MODIFIED, object.metadata.name = a]
//	[object.metadata.annotations["k8s.io/initial-events-end"] is present]
//	[before type = BOOKMARK]
//	[after type = DELETED, object.metadata.name = a]
//
// All conditions have to hold. With before or after it chooses the entries on that side of the first for which they
// hold; none, if they hold for none. Its conditions compare with constants alone.
//
// The value is a selection: the first of the entries, unless [*], .length, an index or another selector asks for
// others.
type selector struct {
	side  string // before, after, or empty
	conds []selectCond
}

type selectCond struct {
	path   Path
	op     Op
	values []string
}

// A selection are the entries of a list that a selector has chosen.
type selection []any

// of returns the entries that are chosen.
func (s *selector) of(list []any) selection {
	first := slices.IndexFunc(list, s.fits)
	switch {
	case s.side == "":
		out := selection{}
		for _, entry := range list {
			if s.fits(entry) {
				out = append(out, entry)
			}
		}
		return out
	case first < 0:
		return selection{}
	case s.side == "before":
		return list[:first]
	}
	return list[first+1:]
}

func (s *selector) fits(entry any) bool {
	for i := range s.conds {
		if !s.conds[i].holds(entry) {
			return false
		}
	}
	return true
}

func (c *selectCond) holds(entry any) bool {
	left, present := c.path.Of(entry)
	switch c.op {
	case IsPresent:
		return present
	case IsAbsent:
		return !present
	}
	if !present {
		return c.op == NotEqual || c.op == Lacks
	}
	fits := func(v string) bool { return Compare(c.op, left, v) }
	if c.op == NotEqual || c.op == Lacks { // none of the values, not one of them
		return !slices.ContainsFunc(c.values, func(v string) bool { return !fits(v) })
	}
	return slices.ContainsFunc(c.values, fits)
}

// parseSelector reads what stands between the brackets.
func parseSelector(s string) (*selector, error) {
	sel := &selector{}
	for _, side := range []string{"before", "after"} {
		if rest, ok := strings.CutPrefix(s, side+" "); ok {
			sel.side, s = side, rest
			break
		}
	}
	for {
		s = strings.TrimLeft(s, " \t")
		c, rest, err := parseSelectCond(s)
		if err != nil {
			return nil, fmt.Errorf("[%s]: %w", s, err)
		}
		sel.conds = append(sel.conds, c)
		if rest == "" {
			return sel, nil
		}
		if rest[0] != ',' {
			return nil, fmt.Errorf("[%s]: a comma is needed before %q", s, rest)
		}
		s = rest[1:]
	}
}

// parseSelectCond reads one condition, and returns what follows it.
func parseSelectCond(s string) (c selectCond, rest string, err error) {
	end, err := pathLength(s)
	if err != nil {
		return c, "", err
	}
	if c.path, err = ParsePath(s[:end]); err != nil {
		return c, "", err
	}
	rest = strings.TrimLeft(s[end:], " \t")
	word := symbols(rest)
	if word == "" {
		word = constant(rest)
	}
	rest = strings.TrimLeft(rest[len(word):], " \t")
	if word == "is" {
		what := constant(rest)
		if c.op = Op("is " + what); c.op != IsPresent && c.op != IsAbsent {
			return c, "", fmt.Errorf("expected is present or is absent")
		}
		return c, strings.TrimLeft(rest[len(what):], " \t"), nil
	}
	var ok bool
	if c.op, ok = ops[word]; !ok {
		return c, "", fmt.Errorf("a comparison is needed after %s, such as type = ADDED", c.path)
	}
	for {
		var v string
		if v, rest, err = value(rest); err != nil {
			return c, "", err
		}
		c.values = append(c.values, v)
		after, more := strings.CutPrefix(rest, "or ")
		if !more {
			return c, rest, nil
		}
		rest = strings.TrimLeft(after, " \t")
	}
}

// value reads a constant, maybe quoted, and returns what follows it.
func value(s string) (v, rest string, err error) {
	if strings.HasPrefix(s, `"`) {
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return "", "", fmt.Errorf("a quote is not closed")
		}
		v, err = strconv.Unquote(quoted)
		return v, strings.TrimLeft(s[len(quoted):], " \t"), err
	}
	v = constant(s)
	switch {
	case strings.Contains(v, "{{"):
		return "", "", fmt.Errorf("%q: entries are selected by constants alone; compare with it outside of the brackets", v)
	case v == "":
		return "", "", fmt.Errorf("a value is missing")
	}
	return v, strings.TrimLeft(s[len(v):], " \t"), nil
}

// constant returns the word that s begins with.
func constant(s string) string {
	if n := strings.IndexAny(s, " \t,[]\"=<>!"); n >= 0 {
		return s[:n]
	}
	return s
}

// symbols returns the comparison in symbols that s begins with.
func symbols(s string) string {
	n := 0
	for n < len(s) && strings.IndexByte("=<>!", s[n]) >= 0 {
		n++
	}
	return s[:n]
}

// pathLength returns how long the path is that s begins with.
func pathLength(s string) (int, error) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[':
			n, err := closing(s[i:])
			if err != nil {
				return 0, err
			}
			i += n
		case ' ', '\t', ',', '=', '<', '>', '!':
			return i, nil
		}
	}
	return len(s), nil
}

// closing returns where the bracket is closed that s begins with; 0, and an error, if it is not.
func closing(s string) (int, error) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			quoted, err := strconv.QuotedPrefix(s[i:])
			if err != nil {
				return 0, fmt.Errorf("a quote is not closed")
			}
			i += len(quoted) - 1
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i, nil
			}
		}
	}
	return 0, fmt.Errorf("[ is not closed")
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// position returns the first place in the path that chooses an entry by its position, although the entry has a name: in
// any list but the bytes and the headers of an answer. Empty: none.
func (p Path) position() string {
	for i, s := range p.steps {
		if s.kind == bySelector {
			for _, c := range s.selector.conds {
				if at := c.path.position(); at != "" {
					return at
				}
			}
		}
		if s.kind == byIndex && !p.within(i, "bytes") && !p.within(i, "headers") {
			return fmt.Sprintf("[%d]", s.index)
		}
	}
	return ""
}

// within reports whether step i is somewhere below response.name or request.name.
func (p Path) within(i int, name string) bool { return i > 1 && p.steps[1].name == name }

// countsAll returns the list whose entries of all kinds the path counts: empty, if it counts none, or says which.
func (p Path) countsAll() string {
	n := len(p.steps)
	if n < 2 || p.steps[n-1].kind != byName || p.steps[n-1].name != "length" || p.steps[n-2].kind != byName {
		return ""
	}
	return p.steps[n-2].name
}
