package view

import (
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// maxBoxes bounds how many requests are drawn.
const maxBoxes = 24

// boxes returns how each request of a score is drawn: made, over (one more than is enough), or open (enough, and not
// made yet).
func boxes(s session.Score) []string {
	var out []string
	for n := range min(max(s.Made, s.Fewest), maxBoxes) {
		switch {
		case n >= s.Made:
			out = append(out, "open")
		case n >= s.Fewest:
			out = append(out, "over")
		default:
			out = append(out, "made")
		}
	}
	return out
}

// solutionWord returns what a solution's box is called.
func solutionWord(b format.Block) string {
	if b.Way == "" {
		return "Solution"
	}
	return "Solution: " + b.Way
}

// where says which write made the difference, and who made it.
func where(d session.Difference) (before, after string) {
	switch {
	case d.Revision > 0 && d.By != "":
		return " at ", ", " + d.By
	case d.Revision > 0:
		return " at ", ""
	case d.By != "":
		return "", " " + d.By
	}
	return "", ""
}

// revision returns the first revision that is known.
func revision(t *session.Trouble) int64 {
	for _, d := range t.Differences {
		if d.Revision > 0 {
			return d.Revision
		}
	}
	return 0
}

// stepID returns the id of a step's text, to which links lead.
func stepID(l format.Lesson, i int) string { return "lesson-" + l.ID + "-" + l.Steps[i].ID }
