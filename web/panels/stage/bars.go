package stage

import (
	"math"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
)

// tallest returns the greatest count of a bar in view: all rows share one scale.
func (sc *Scene) tallest() float64 {
	most := 1.0
	sc.eachBar(&sc.Commits, func(_, _ int64, i, j int) {
		c := sc.Commits.Count(i, j)
		most = max(most, float64(c[0]+c[1]+c[2]))
	})
	return most
}

// eachBar calls f with each bar of a series in view that has marks: its
// revisions, and the places of its marks.
func (sc *Scene) eachBar(s *timeline.Series, f func(lo, hi int64, i, j int)) {
	n := sc.View.Bin(Countable * sc.U)
	first, last := sc.View.Range()
	last = min(last, sc.head())
	for i := s.Index(first / n * n); i < s.Len(); {
		lo := s.At(i).Rev / n * n
		if lo > last {
			return
		}
		j := s.Index(lo + n)
		f(lo, lo+n-1, i, max(j, i+1))
		i = max(j, i+1)
	}
}

// counts draws a series as bars around the line at y: up what came, down what
// went, on the line what changed. Those behind the edge are faint.
func (sc *Scene) counts(m *markup, e edge, s *timeline.Series, y, room, most float64) {
	var bars [3][kindsDrawn]markup
	sc.eachBar(s, func(lo, hi int64, i, j int) {
		a, b := sc.View.Edge(lo-1), sc.View.Edge(hi)
		gap := min((b-a)*0.12, 2)
		c := s.Count(i, j)
		unit := room / most
		changed := float64(c[timeline.Modified]) * unit
		md := 0
		switch {
		case sc.At > 0 && lo > sc.At:
			md = 1
		case hi < e.start:
			md = 2
		}
		bar := func(k timeline.Kind, from, h float64) {
			if h != 0 {
				if math.Abs(h) < 1.5 {
					h = math.Copysign(1.5, h)
				}
				bars[md][k].s("M").n(a + gap).s(" ").n(from).s("h").n(b - a - 2*gap).s("v").n(h).s("h").n(-(b - a - 2*gap)).s("z")
			}
		}
		bar(timeline.Modified, y+changed/2, -changed)
		bar(timeline.Added, y-changed/2, -float64(c[timeline.Added])*unit)
		bar(timeline.Deleted, y+changed/2, float64(c[timeline.Deleted])*unit)
	})
	for md, class := range [...]string{"", " is-later", " is-behind"} {
		for k := range bars[md] {
			if len(bars[md][k].b) > 0 {
				m.s(`<path class="st-mark `, timeline.Kind(k).Class(), class, `" d="`, bars[md][k].String(), `"/>`)
			}
		}
	}
}
