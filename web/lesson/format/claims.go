package format

import "strings"

// A Claim is something that a lesson says, and where it can be verified: in a file of Kubernetes' sources and a
// function there, or in a section of the documentation. It is for authors and tests, and is not shown.
type Claim struct {
	Text, Source string
	Line         int
}

// claims reads a block with lines "- text => source". It belongs to the step that it is in, or to the lesson's intro
// and outro.
func (p *parser) claims(body []string, open int) error {
	for i, line := range body {
		if strings.TrimSpace(line) == "" {
			continue
		}
		said, ok := strings.CutPrefix(line, "- ")
		text, source, found := strings.Cut(said, " => ")
		c := Claim{Text: strings.TrimSpace(text), Source: strings.TrimSpace(source), Line: open + 1 + i}
		if !ok || !found || c.Text == "" || c.Source == "" {
			return errAt(c.Line, "a claim is a line - text => where it can be verified")
		}
		if p.step != nil {
			p.step.Claims = append(p.step.Claims, c)
		} else {
			p.lesson.Claims = append(p.lesson.Claims, c)
		}
	}
	return nil
}
