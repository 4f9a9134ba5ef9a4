package stage

import (
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// Glyphs are paths around a point of a line; r is a mark's half width. Glyphs
// differ in shape and place: what was added is above the line, what was modified
// is on it, and what was deleted, and bookmarks, are below it.

// glyph draws an event's mark.
func glyph(m *markup, kind timeline.Kind, x, y, r float64) {
	switch kind {
	case timeline.Added:
		m.s("M").n(x).s(" ").n(y - 1.7*r).s("l").n(r).s(" ").n(1.55 * r).s("h").n(-2 * r).s("z")
	case timeline.Deleted:
		m.s("M").n(x).s(" ").n(y + 1.7*r).s("l").n(r).s(" ").n(-1.55 * r).s("h").n(-2 * r).s("z")
	default:
		disc(m, x, y, 0.8*r)
	}
}

// center returns how far below the line the middle of a mark is, in r.
func center(kind timeline.Kind) float64 {
	switch kind {
	case timeline.Added:
		return -0.85
	case timeline.Deleted:
		return 0.85
	}
	return 0
}

func disc(m *markup, x, y, r float64) {
	m.s("M").n(x - r).s(" ").n(y).s("a").n(r).s(" ").n(r).s(" 0 1 0 ").n(2 * r).
		s(" 0a").n(r).s(" ").n(r).s(" 0 1 0 ").n(-2 * r).s(" 0z")
}

// markBox is what the mark of an event covers.
func markBox(kind timeline.Kind, x, y, r float64) box {
	switch kind {
	case timeline.Added:
		return box{x - r, y - 1.7*r, x + r, y - 0.1*r}
	case timeline.Deleted:
		return box{x - r, y + 0.1*r, x + r, y + 1.7*r}
	}
	return around(x, y, 0.8*r, 0.8*r)
}

// ribbon draws a bookmark of that length, which hangs from the line: progress without an object.
func ribbon(m *markup, x, y, r, long float64) {
	w := 0.55 * r
	m.s("M").n(x - w).s(" ").n(y).s("v").n(long).
		s("l").n(w).s(" ").n(-w).s("l").n(w).s(" ").n(w).s("v").n(-long).s("z")
}

// arrow draws the end of a line that is open.
func arrow(m *markup, x, y, r float64) {
	m.s("M").n(x - 0.5*r).s(" ").n(y - 0.65*r).s("l").n(0.85 * r).s(" ").n(0.65 * r).s("l").n(-0.85 * r).s(" ").n(0.65 * r)
}

// strokes draw where a line was cut.
func strokes(m *markup, x, y, r float64) {
	for _, dx := range [...]float64{-0.6, 0.1} {
		m.s("M").n(x + dx*r).s(" ").n(y + 1.15*r).s("l").n(0.5 * r).s(" ").n(-2.3 * r)
	}
}

func cutBox(x, y, r float64) box { return around(x, y, 0.74*r, 1.28*r) }

// cutMark draws the strokes, and covers the line between them.
func cutMark(m *markup, class string, x, y, r float64) {
	m.s(`<g class="st-cut`, class, `" stroke-width="`).n(0.26 * r).
		s(`"><rect x="`).n(x - 0.36*r).s(`" y="`).n(y - 0.5*r).
		s(`" width="`).n(0.72 * r).s(`" height="`).n(r).s(`"/><path d="`)
	strokes(m, x, y, r)
	m.s(`"/></g>`)
}

// house draws the version that a client can resume from, at the lower edge of a row.
func house(m *markup, x, bottom, r float64) {
	m.s("M").n(x).s(" ").n(bottom - 1.35*r).s("l").n(0.8 * r).s(" ").n(0.85 * r).
		s("v").n(0.5 * r).s("h").n(-1.6 * r).s("v").n(-0.5 * r).s("z")
}

// diamond draws the revision that a list comes from.
func diamond(m *markup, x, y, r float64) {
	m.s("M").n(x).s(" ").n(y - r).s("l").n(0.8 * r).s(" ").n(r).
		s("l").n(-0.8 * r).s(" ").n(r).s("l").n(-0.8 * r).s(" ").n(-r).s("z")
}

// flag draws a flag to the right of its pole at x.
func flag(m *markup, x, y, r float64) {
	m.s("M").n(x).s(" ").n(y - r).s("h").n(1.9 * r).
		s("l").n(-0.5 * r).s(" ").n(0.8 * r).s("l").n(0.5 * r).s(" ").n(0.8 * r).s("h").n(-1.9 * r).s("z")
}

// crystal draws a frozen cache.
func crystal(m *markup, x, y, r float64) {
	for _, d := range [...][2]float64{{0, 1}, {0.87, 0.5}, {0.87, -0.5}} {
		m.s("M").n(x - d[0]*r).s(" ").n(y - d[1]*r).s("L").n(x + d[0]*r).s(" ").n(y + d[1]*r)
	}
}

// stop draws the octagon of an error that ends a line.
func stop(m *markup, x, y, r float64) {
	w, h, c := 2.1*r, 1.3*r, 0.6*r
	m.s("M").n(x - w + c).s(" ").n(y - h).s("h").n(2 * (w - c)).
		s("l").n(c).s(" ").n(c).s("v").n(2 * (h - c)).s("l").n(-c).s(" ").n(c)
	m.s("h").n(-2 * (w - c)).s("l").n(-c).s(" ").n(-c).s("v").n(-2 * (h - c)).s("z")
}

// cells is the largest capacity at which each event of a buffer has a separate cell.
const cells = 12

// tank draws how full a buffer is.
func tank(w revisions.Window) string {
	var m markup
	all, held := float64(w.Capacity), float64(w.Held)
	m.s(`<svg viewBox="0 0 1 `).n(all).s(`" preserveAspectRatio="none" aria-hidden="true">`)
	if held > 0 {
		held = max(held, all/24)
		m.s(`<path class="st-level" d="M0 `).n(all).s("v").n(-held).s("h1v").n(held).s(`z"/>`)
	}
	if w.Capacity <= cells && w.Capacity > 1 {
		m.s(`<path class="st-cells" d="`)
		for i := 1; i < w.Capacity; i++ {
			m.s("M0 ").n(float64(i)).s("h1")
		}
		m.s(`"/>`)
	}
	return m.s(`</svg>`).String()
}
