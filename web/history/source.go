package history

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/source"
)

// A Span is a run of revisions without a gap.
type Span = source.Span

// Spell writes revisions as people do: 28, or 30, 31, or 28–95.
func Spell(s Span) string {
	first, last := strconv.FormatInt(s.First, 10), strconv.FormatInt(s.Last, 10)
	switch s.Last - s.First {
	case 0:
		return first
	case 1:
		return first + ", " + last
	}
	return first + "–" + last
}

// joinSpans returns spans with more of them in the order of their revisions: requests that were made at once may have
// written in another order than they were sent. Those without a gap are one.
func joinSpans(all, more []Span) []Span {
	all = append(all, more...)
	slices.SortFunc(all, func(a, b Span) int { return cmp.Compare(a.First, b.First) })
	joined := all[:0]
	for _, s := range all {
		if n := len(joined) - 1; n >= 0 && s.First == joined[n].Last+1 {
			joined[n].Last = s.Last
		} else {
			joined = append(joined, s)
		}
	}
	return joined
}

// maxSpans are written of the revisions that one request made.
const maxSpans = 3

// spans writes the first of several spans.
func spans(all []Span) string {
	var out []string
	for i, s := range all {
		if i == maxSpans {
			out = append(out, "…")
			break
		}
		out = append(out, Spell(s))
	}
	return strings.Join(out, ", ")
}
