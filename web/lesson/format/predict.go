package format

import (
	"slices"
	"strconv"
	"strings"
)

// A Prediction is the question of a step. The learner answers it before the requests after it can run; what happens
// then decides which answer is right.
type Prediction struct {
	// Question and Explanation are Markdown; the explanation is for everybody, once the
	// step has passed.
	Question, Explanation         string
	QuestionHTML, ExplanationHTML string
	// Choices are the answers to choose from. If Value is set, the learner types an
	// answer instead, and the choices are those that people are tempted to type.
	Choices []Choice
	Value   *Ref
	Line    int

	textsOnly bool // conditions are left out
}

// A Choice is an answer to choose from.
type Choice struct {
	// Text is Markdown, HTML what it renders to.
	Text, HTML string
	// Conds are the conditions under which the answer is right: all of them. A choice without any is
	// never right.
	Conds []ChoiceCond
	// Reply is shown to a learner who chose wrongly, in Markdown.
	Reply, ReplyHTML string
	Line             int
}

// A ChoiceCond is a condition on what a row of the lesson found.
type ChoiceCond struct {
	Name string
	Cond
}

// parsePrediction reads a predict block. open is the number of its first line, the one
// above lines.
func parsePrediction(lines []string, open int, textsOnly bool) (*Prediction, error) {
	p := &Prediction{Line: open, textsOnly: textsOnly}
	i := 0
	start := func(s string) bool {
		return strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "= ") || strings.TrimSpace(s) == frontMark
	}
	for ; i < len(lines) && !start(lines[i]); i++ {
	}
	p.Question = strings.TrimSpace(strings.Join(lines[:i], "\n"))
	for ; i < len(lines) && strings.TrimSpace(lines[i]) != frontMark; i++ {
		if err := p.answerLine(lines[i], open+1+i); err != nil {
			return nil, err
		}
	}
	if i < len(lines) {
		p.Explanation = strings.TrimSpace(strings.Join(lines[i+1:], "\n"))
	}
	return p, p.complete(open)
}

// answerLine reads a line between the question and the explanation.
func (p *Prediction) answerLine(line string, at int) error {
	s := strings.TrimSpace(line)
	if s == "" {
		return nil
	}
	if value, ok := strings.CutPrefix(line, "= "); ok {
		if p.Value != nil || len(p.Choices) > 0 {
			return errAt(at, "= comes once, before the choices")
		}
		r, err := parseRef(strings.TrimSpace(value))
		if err != nil && !p.textsOnly {
			return errAt(at, "%v", err)
		}
		p.Value = &r
		return nil
	}
	if text, ok := strings.CutPrefix(line, "- "); ok {
		if text = strings.TrimSpace(text); text == "" {
			return errAt(at, "a choice needs a text")
		}
		if slices.ContainsFunc(p.Choices, func(c Choice) bool { return c.Text == text }) {
			return errAt(at, "two choices are called %q", text)
		}
		p.Choices = append(p.Choices, Choice{Text: text, Line: at})
		return nil
	}
	if len(p.Choices) == 0 || line[0] != ' ' && line[0] != '\t' {
		return errAt(at, "%q: after the question come choices, each - text with its lines indented below it", s)
	}
	c := &p.Choices[len(p.Choices)-1]
	if reply, ok := strings.CutPrefix(s, "reply "); ok {
		text, err := strconv.Unquote(strings.TrimSpace(reply))
		if err != nil || c.Reply != "" {
			return errAt(at, "a choice has one reply, a quoted text")
		}
		c.Reply = text
		return nil
	}
	if p.Value != nil {
		return errAt(at, "%q: a tempting value has a reply, and no conditions", s)
	}
	if p.textsOnly {
		return nil
	}
	f, err := parseChoiceCond(s, at)
	if err != nil {
		return errAt(at, "%v", err)
	}
	c.Conds = append(c.Conds, f)
	return nil
}

// parseChoiceCond reads a condition whose path starts with a row's name.
func parseChoiceCond(s string, at int) (ChoiceCond, error) {
	name, rest, ok := strings.Cut(s, ".")
	if !ok || !isName(name) {
		return ChoiceCond{},
			fail("%q: a choice's condition starts with the name of a row, as in created.response.status = 201", s)
	}
	c, err := parseCond(rest, at)
	if err == nil && c.Else != "" {
		err = fail("a choice has a reply, and no else")
	}
	if err == nil && len(c.Or) > 0 {
		err = fail("a choice's condition has one path")
	}
	return ChoiceCond{Name: name, Cond: c}, err
}

func (p *Prediction) complete(open int) error {
	switch {
	case p.Question == "":
		return errAt(open, "predict starts with a question")
	case p.Explanation == "":
		return errAt(open, "predict ends with a line --- and an explanation")
	case p.Value == nil && len(p.Choices) < 2:
		return errAt(open, "predict has two choices at least, or = and a value")
	}
	silent := 0
	for _, c := range p.Choices {
		switch {
		case c.Reply != "":
		case p.textsOnly:
		case p.Value != nil:
			return errAt(c.Line, "a tempting value needs a reply")
		case len(c.Conds) == 0:
			return errAt(c.Line, "a choice that is never right needs a reply")
		default:
			silent++
		}
	}
	if silent > 1 {
		return errAt(open, "two choices have no reply: only the right one may go without")
	}
	return nil
}

// Explained returns the choice that the explanation is about, the one without a reply: what happens in the situation
// that is asked about. -1: it is about whichever is right.
func (p *Prediction) Explained() int {
	return slices.IndexFunc(p.Choices, func(c Choice) bool { return p.Value == nil && c.Reply == "" })
}

// Refs lists the references of the question's conditions.
func (p *Prediction) Refs() []Ref {
	var out []Ref
	if p.Value != nil {
		out = append(out, *p.Value)
	}
	for _, c := range p.Choices {
		for _, f := range c.Conds {
			out = append(out, Ref{Name: f.Name, Path: f.Left})
			for _, t := range f.Right {
				out = append(out, t.Refs()...)
			}
		}
	}
	return out
}

// SameValue compares what a learner typed with a value.
func SameValue(typed, value string) bool {
	typed = strings.ToLower(strings.Join(strings.Fields(typed), " "))
	value = strings.ToLower(strings.Join(strings.Fields(value), " "))
	return typed == value || strings.ReplaceAll(typed, ",", "") == value
}

// Is reports whether what a learner typed is the choice's value.
func (c *Choice) Is(typed string) bool { return SameValue(typed, c.Text) }
