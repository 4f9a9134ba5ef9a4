package format

import (
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A Goal is what a step asks for without saying how. The check decides whether it is reached; how many requests that
// took is the learner's score.
type Goal struct {
	// Fewest is how many requests the step's first solution takes.
	Fewest int
	// After names the row from whose request on requests count: one that sets up what is to be repaired. Empty: all
	// requests of the step count.
	After string
	// Limited says that a learner may use no levers but those that Levers names.
	Limited bool
	Levers  []string
	// Picture is what the stage shows when it is reached; nil if nothing was computed.
	Picture Picture
	Line    int
}

// parseGoal reads a goal block: Markdown, then the lines "fewest 5" and, maybe, "after name" and "levers compact".
func parseGoal(body []string, open int) (text string, g *Goal, err error) {
	g = &Goal{Line: open}
	end := len(body)
	for ; end > 0; end-- {
		key, value, _ := strings.Cut(strings.TrimSpace(body[end-1]), " ")
		switch {
		case key == "":
			continue
		case key == "after" && isName(value):
			g.After = value
			continue
		case key == "levers" && !g.Limited:
			if err = g.limit(value, open+end); err != nil {
				return "", nil, err
			}
			continue
		case key == "fewest":
			if g.Fewest, err = strconv.Atoi(value); err != nil || g.Fewest < 1 {
				return "", nil, errAt(open+end, "fewest: a number from 1 is needed, not %q", value)
			}
			continue
		}
		break
	}
	text = strings.TrimSpace(strings.Join(body[:end], "\n"))
	if text == "" || g.Fewest == 0 {
		return "", nil, errAt(open, "a goal is a text and a line fewest N")
	}
	return text, g, nil
}

// picture reads what the stage shows of the goal of a step.
func (p *parser) picture(body []string, open int) (err error) {
	var g *Goal
	if p.step != nil {
		g = p.step.Goal()
	}
	if g == nil || g.Picture != nil {
		return errAt(open, "a picture belongs below a goal, which has one")
	}
	g.Picture, err = parsePicture(body, open)
	return err
}

// Counts reports whether a request counts for a goal: one for a resource, but none of a lever. Discovery does not
// count: clients keep what they have read of it.
func Counts(i tap.Info) bool { return i.Version != "" && i.Group != wellknown.Group }

// counted returns how many requests of the step's first solution count: after the one that its goal names, if there is
// one, and at least one.
func (s *Step) counted() int {
	n := 0
	for _, r := range s.Solve() {
		if Counts(tap.Classify(r.Method, r.target.pathPattern())) {
			n += r.Repeat
		}
		if after := s.Goal().After; after != "" && r.Name == after {
			n = 0
		}
	}
	return max(1, n)
}

// Goal returns the step's goal; nil if it has none.
func (s *Step) Goal() *Goal {
	for _, b := range s.Blocks {
		if b.Goal != nil {
			return b.Goal
		}
	}
	return nil
}
