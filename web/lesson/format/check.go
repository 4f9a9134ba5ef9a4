package format

import (
	"strconv"
	"strings"
	"time"
)

// A Check says what has to have happened for a step to pass: one exchange or event for each row that fits it, in the
// rows' order.
type Check struct {
	Rows []Row
	Line int
}

// A Row fits an exchange (when In is empty) or an event of the watch that In
// names.
type Row struct {
	// Text is what the learner reads.
	Text string
	// Name is what other rows and requests call what the row found.
	Name string
	Line int

	Method string
	// Or are other methods that will do.
	Or       []string
	Paths    []string
	Statuses []int
	// Else is shown to a learner whose answer had another status.
	Else string

	// Types and In are of a row that looks for an event.
	Types []string
	In    string
	// None is of a row that wants no such request to have been made by now, or no such event to have come: not before
	// the rows that Before names, or not at all, if it names none.
	None bool

	// Times is how many exchanges or events have to fit; the row stands for the last.
	Times int
	// Gap is how long after the rows it comes after a request has to be made.
	Gap time.Duration

	Conds []Cond
	// After and Before name rows; when there is neither, a row comes after the
	// one above it, unless it may come in any order.
	After, Before []string
	AnyOrder      bool
}

var eventTypes = map[string]bool{"ADDED": true, "MODIFIED": true, "DELETED": true, "BOOKMARK": true, "ERROR": true}

// ParseCheck reads a check block. line is the number of src's first line in its
// file.
func ParseCheck(src string, line int) (*Check, error) {
	c := &Check{Line: line}
	var row *Row
	matched := false // whether the row's match line was read
	finish := func() error {
		if row != nil && !matched {
			return errAt(row.Line, "the row %q says nothing to match", row.Text)
		}
		return nil
	}
	for i, l := range SplitLines(src) {
		s, at := strings.TrimSpace(l), line+i
		if s == "" || strings.HasPrefix(s, "#") {
			continue
		}
		if said, ok := strings.CutPrefix(l, "- "); ok {
			if err := finish(); err != nil {
				return nil, err
			}
			if said = strings.TrimSpace(said); said == "" {
				return nil, errAt(at, "a row needs a text")
			}
			c.Rows = append(c.Rows, Row{Text: said, Line: at, Times: 1})
			row, matched = &c.Rows[len(c.Rows)-1], false
			continue
		}
		if row == nil {
			return nil, errAt(at, "a check starts with a row: - what has to have happened")
		}
		if l[0] != ' ' && l[0] != '\t' {
			return nil, errAt(at, "%q belongs to a row and has to be indented", s)
		}
		var err error
		if matched {
			err = row.condLine(s, at)
		} else {
			err = row.matchLine(s)
			matched = true
		}
		if err != nil {
			return nil, errAt(at, "%v", err)
		}
	}
	if err := finish(); err != nil {
		return nil, err
	}
	if len(c.Rows) == 0 {
		return nil, errAt(line, "a check without rows")
	}
	for i := range c.Rows {
		if r := &c.Rows[i]; i == 0 && r.Unasked() || i > 0 && c.Rows[i-1].Unasked() && !r.Unasked() {
			return nil, errAt(r.Line, "rows with no METHOD come after all others")
		}
	}
	return c, nil
}

// Unasked reports whether the row wants no such request to have been made.
func (r *Row) Unasked() bool { return r.None && r.In == "" }

// matchLine reads "name: GET /path or /other -> 200 or 201", "name: PUT or PATCH /path", maybe with an else,
// "name: ADDED or MODIFIED in watch", "name: no ADDED in watch", and "name: no DELETE /path -> 200".
func (r *Row) matchLine(s string) error {
	name, rest, ok := strings.Cut(s, ":")
	if !ok || !isName(name) {
		return fail("%q: a row's second line is name: METHOD /path -> status, or name: TYPE in watch", s)
	}
	r.Name = name
	words, err := splitWords(rest)
	if err != nil {
		return err
	}
	if len(words) == 0 {
		return fail("nothing after %q", name+":")
	}
	if words[0] == "no" && len(words) > 1 {
		r.None, words = true, words[1:]
	}
	if methods[words[0]] {
		return r.requestWords(words)
	}
	n := 0
	if r.Types, n, err = alternatives(words); err != nil {
		return err
	}
	for _, t := range r.Types {
		if !eventTypes[t] {
			return fail("%q is neither a method nor an event type", t)
		}
	}
	if words = words[n:]; len(words) != 2 || words[0] != "in" || !isName(words[1]) {
		return fail("an event row is name: TYPE in watch, or name: no TYPE in watch")
	}
	r.In = words[1]
	return nil
}

func (r *Row) requestWords(words []string) error {
	r.Method = words[0]
	for len(words) > 2 && words[1] == "or" && methods[words[2]] {
		r.Or, words = append(r.Or, words[2]), words[2:]
	}
	var err error
	if words, r.Else, err = cutElse(words); err != nil {
		return err
	}
	paths, n, err := alternatives(words[1:])
	if err != nil {
		return err
	}
	for _, p := range paths {
		if !strings.HasPrefix(p, "/") {
			return fail("path %q does not start with /", p)
		}
	}
	r.Paths = paths
	words = words[1+n:]
	if len(words) == 0 {
		return nil
	}
	if words[0] != "->" {
		return fail("expected -> and a status, not %q", words[0])
	}
	statuses, n, err := alternatives(words[1:])
	if err != nil {
		return err
	}
	for _, s := range statuses {
		code, err := strconv.Atoi(s)
		if err != nil || code < 100 || code > 599 {
			return fail("%q is not an HTTP status", s)
		}
		r.Statuses = append(r.Statuses, code)
	}
	if n+1 != len(words) {
		return fail("unexpected %q at the end", words[n+1])
	}
	return nil
}

// maxTimes bounds how many exchanges or events a row may want.
const maxTimes = 100

// condLine reads "after name", "before name", "in any order", "by 2s", "times 3" and "path op value".
func (r *Row) condLine(s string, line int) error {
	words, err := splitWords(s)
	if err != nil {
		return err
	}
	if len(words) == 2 && (words[0] == "after" || words[0] == "before") {
		if !isName(words[1]) {
			return fail("%q is not a row's name", words[1])
		}
		if words[0] == "after" {
			r.After = append(r.After, words[1])
		} else {
			r.Before = append(r.Before, words[1])
		}
		return nil
	}
	if s == "in any order" && r.In == "" && !r.None {
		r.AnyOrder = true
		return nil
	}
	if len(words) == 2 && words[0] == "by" && r.In == "" && !r.None {
		if r.Gap, err = time.ParseDuration(words[1]); err != nil || r.Gap <= 0 {
			return fail("by %s: a span of time is needed, such as 1s", words[1])
		}
		return nil
	}
	if len(words) == 2 && words[0] == "times" && !r.None {
		if r.Times, err = strconv.Atoi(words[1]); err != nil || r.Times < 2 || r.Times > maxTimes {
			return fail("times %s: a number from 2 to %d is needed", words[1], maxTimes)
		}
		return nil
	}
	c, err := parseCond(s, line)
	if err != nil {
		return err
	}
	r.Conds = append(r.Conds, c)
	return nil
}

// splitWords splits at spaces, but not inside quotes, brackets or {{ }}.
func splitWords(s string) ([]string, error) {
	var words []string
	for {
		s = strings.TrimLeft(s, " \t")
		if s == "" {
			return words, nil
		}
		end := 0
		for end < len(s) && s[end] != ' ' && s[end] != '\t' {
			switch {
			case s[end] == '"':
				q, err := strconv.QuotedPrefix(s[end:])
				if err != nil {
					return nil, fail("a quote is not closed")
				}
				end += len(q)
			case strings.HasPrefix(s[end:], "{{"):
				n := strings.Index(s[end:], "}}")
				if n < 0 {
					return nil, fail("{{ is not closed by }}")
				}
				end += n + 2
			case s[end] == '[':
				n, _ := closing(s[end:]) // one that is not closed is the path's error
				end += n + 1
			default:
				end++
			}
		}
		words, s = append(words, s[:end]), s[end:]
	}
}

// Refs lists the references in the row's conditions.
func (r *Row) Refs() []Ref {
	var out []Ref
	for _, c := range r.Conds {
		for _, t := range c.Right {
			out = append(out, t.Refs()...)
		}
	}
	return out
}
