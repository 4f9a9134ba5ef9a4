package format

import (
	"strconv"
	"strings"
)

// A Cond compares a value of the row's exchange or event.
type Cond struct {
	Left  Path
	Or    []Path // the comparison may hold for one of these instead; none in a choice or a selector
	Op    Op
	Right []Template // one of these; none for IsPresent and IsAbsent
	// Else is shown to a learner whose request failed on just this condition.
	Else string
	Line int
}

// Op is a comparison.
type Op string

// The comparisons. Less and its like compare integers as numbers and anything
// else byte by byte, as the store orders its keys.
const (
	Equal     Op = "="
	NotEqual  Op = "!="
	Less      Op = "<"
	LessEq    Op = "<="
	Greater   Op = ">"
	GreaterEq Op = ">="
	Contains  Op = "contains"
	Lacks     Op = "lacks"
	IsPresent Op = "is present"
	IsAbsent  Op = "is absent"
)

var ops = map[string]Op{
	"=": Equal, "!=": NotEqual, "<": Less, "<=": LessEq, ">": Greater, ">=": GreaterEq,
	"contains": Contains, "lacks": Lacks,
}

// cutElse takes a trailing else "text" off.
func cutElse(words []string) ([]string, string, error) {
	n := len(words)
	if n < 3 || words[n-2] != "else" {
		return words, "", nil
	}
	text, err := strconv.Unquote(words[n-1])
	if err != nil {
		return nil, "", fail("else needs a quoted text")
	}
	return words[:n-2], text, nil
}

// alternatives reads "a or b or c" and returns how many words it took.
func alternatives(words []string) ([]string, int, error) {
	if len(words) == 0 {
		return nil, 0, fail("the line ends too early")
	}
	out, n := []string{words[0]}, 1
	for n < len(words) && words[n] == "or" {
		if n+1 == len(words) {
			return nil, 0, fail("nothing after or")
		}
		out, n = append(out, words[n+1]), n+2
	}
	return out, n, nil
}

// parseCond reads "path op value" or "path or path op value", maybe with an else.
func parseCond(s string, line int) (Cond, error) {
	c := Cond{Line: line}
	words, err := splitWords(s)
	if err != nil {
		return c, err
	}
	if words, c.Else, err = cutElse(words); err != nil {
		return c, err
	}
	if len(words) < 3 {
		return c, fail("%q is not a condition: path = value, path is present, after name", s)
	}
	if c.Left, err = ParsePath(words[0]); err != nil {
		return c, err
	}
	for len(words) > 4 && words[1] == "or" {
		p, err := ParsePath(words[2])
		if err != nil {
			return c, err
		}
		c.Or, words = append(c.Or, p), words[2:]
	}
	if words[1] == "is" {
		c.Op = Op("is " + words[2])
		if c.Op != IsPresent && c.Op != IsAbsent || len(words) != 3 {
			return c, fail("expected is present or is absent")
		}
		return c, c.checkOr()
	}
	var ok bool
	if c.Op, ok = ops[words[1]]; !ok {
		return c, fail("unknown comparison %q", words[1])
	}
	values, n, err := alternatives(words[2:])
	if err != nil {
		return c, err
	}
	if n != len(words)-2 {
		return c, fail("unexpected %q; a value with spaces has to be quoted", words[2+n])
	}
	for _, v := range values {
		if strings.HasPrefix(v, `"`) {
			if v, err = strconv.Unquote(v); err != nil {
				return c, fail("bad quoted value")
			}
		}
		t, err := ParseTemplate(v)
		if err != nil {
			return c, err
		}
		c.Right = append(c.Right, t)
	}
	return c, c.checkOr()
}

// checkOr finds fault with several paths in a condition that says what is not.
func (c *Cond) checkOr() error {
	if len(c.Or) > 0 && (c.Op == IsAbsent || c.Op == NotEqual || c.Op == Lacks) {
		return fail("%s with several paths: write a condition for each", c.Op)
	}
	return nil
}
