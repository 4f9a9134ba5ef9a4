package format

// A Text is a piece of a lesson's Markdown, and where its HTML goes.
type Text struct {
	Markdown string
	HTML     *string
	// Inline reports whether it has to be one paragraph, whose HTML goes without its <p>.
	Inline bool
	Line   int
}

// Texts returns all texts of the lesson, in their order.
func (l *Lesson) Texts() []Text {
	var out []Text
	add := func(blocks []Block) {
		for i := range blocks {
			b := &blocks[i]
			if b.Markdown != "" {
				out = append(out, Text{b.Markdown, &b.HTML, false, b.Line})
			}
			if b.Prediction != nil {
				out = append(out, b.Prediction.texts()...)
			}
		}
	}
	add(l.Intro)
	for i := range l.Steps {
		add(l.Steps[i].Blocks)
	}
	add(l.Outro)
	return out
}

func (p *Prediction) texts() []Text {
	out := []Text{{p.Question, &p.QuestionHTML, false, p.Line}}
	for i := range p.Choices {
		c := &p.Choices[i]
		out = append(out, Text{c.Text, &c.HTML, true, c.Line})
		if c.Reply != "" {
			out = append(out, Text{c.Reply, &c.ReplyHTML, false, c.Line})
		}
	}
	return append(out, Text{p.Explanation, &p.ExplanationHTML, false, p.Line})
}
