package timeline

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/web/revisions"
)

// A Scene is what a frame is drawn from: where the camera is and what there is
// to see. All plots of a frame are drawn from one Scene.
type Scene struct {
	View     View
	State    revisions.State
	Until    int64 // draw nothing newer: the picture is paused; 0: draw all
	Selected int64
	Compact  bool    // for narrow screens
	Now      float64 // the frame's time in milliseconds
	Objects  *Objects
}

// geometry is where things lie in a plot, in pixels from its top.
type geometry struct {
	height float64
	flag   float64 // text of the flags
	letter float64
	row    [counted]float64 // added, modified, deleted
	bar    float64          // height of a full bin's bar
	base   float64          // the line
	number float64
}

var (
	rulerWide   = geometry{84, 10, 25, [...]float64{36, 46, 56}, 9, 66, 79}
	rulerNarrow = geometry{62, 9, 20, [...]float64{28, 35, 42}, 6, 49, 60}
	laneGeo     = geometry{36, 0, 9, [...]float64{21, 21, 21}, 8, 21, 0}
	ghostGeo    = geometry{26, 0, 0, [...]float64{14, 14, 14}, 8, 14, 0}
)

// RulerHeight is the height of the ruler's plot.
func (sc *Scene) RulerHeight() float64 { return sc.ruler().height }

func (sc *Scene) ruler() *geometry {
	if sc.Compact {
		return &rulerNarrow
	}
	return &rulerWide
}

// wall is where the gone area ends: half a revision before the oldest one that
// can be read. It reports false when nothing is gone.
func (sc *Scene) wall() (float64, bool) {
	if sc.State.Compacted <= 1 {
		return 0, false
	}
	gap := sc.View.PerRev / 2
	if gap > 6 {
		gap = 6
	}
	return sc.View.X(sc.State.Compacted) - gap, true
}

func (sc *Scene) head() int64 {
	if sc.Until > 0 {
		return sc.Until
	}
	return sc.State.Head
}

// gone draws the hatched area and its wall.
func (sc *Scene) gone(m *markup, top, bottom float64) {
	x, ok := sc.wall()
	if !ok || x <= 0 {
		return
	}
	m.s(`<rect class="tl-gone" fill="url(#tl-hatch)" x="0" y="`).n(top).s(`" width="`).n(min(x, sc.View.Width)).s(`" height="`).n(bottom - top).s(`"/>`)
	if x <= sc.View.Width {
		m.s(`<path class="tl-wall" d="M`).n(x).s(" ").n(top).s("V").n(bottom).s(`"/>`)
	}
}

// cross draws the line of the selected revision.
func (sc *Scene) cross(m *markup, top, bottom float64) {
	if sc.Selected == 0 {
		return
	}
	if x := sc.View.X(sc.Selected); x >= 0 && x <= sc.View.Width {
		m.s(`<path class="tl-cross" d="M`).n(x).s(" ").n(top).s("V").n(bottom).s(`"/>`)
	}
}

// RulerBack draws what lies behind the ruler's marks: the gone area, the axis,
// its numbers and the line of the selected revision.
func (sc *Scene) RulerBack() string {
	var m markup
	g := sc.ruler()
	v := sc.View
	sc.gone(&m, g.flag+4, g.base)
	sc.pending(&m, g.flag+4, g.base)
	sc.cross(&m, g.flag+3, g.base)
	m.s(`<path class="tl-base" d="M0 `).n(g.base).s("H").n(v.Width).s(`"/>`)
	labels := v.Labels(58)
	m.s(`<path class="tl-grid" d="`)
	for _, r := range labels {
		m.s("M").n(v.X(r)).s(" ").n(g.base).s("v4")
	}
	m.s(`"/>`)
	for _, r := range labels {
		if x := v.X(r); x > 14 && x < v.Width-14 {
			m.s(`<text class="tl-num" x="`).n(x).s(`" y="`).n(g.number).s(`">`).i(r).s(`</text>`)
		}
	}
	sc.wallName(&m)
	return m.String()
}

// wallName writes beside the wall what it is, where the flags leave room.
func (sc *Scene) wallName(m *markup) {
	x, ok := sc.wall()
	if !ok || x < 0 {
		return
	}
	word := "gone below " + itoa(sc.State.Compacted)
	width := float64(len(word)) * 5.4
	at := x + 6
	if x > sc.View.Width {
		at = (sc.View.Width - width) / 2
	} else if x > width+12 {
		at = x - 6 - width
	}
	if from, to := sc.flagged(); at+width+6 > from && at-6 < to {
		return
	}
	m.s(`<text class="tl-goneword" x="`).n(at).s(`" y="`).n(sc.ruler().flag).s(`">`, word, `</text>`)
}

// slowest is the watch cache that is farthest behind; the head if none is.
func (sc *Scene) slowest() int64 { return min(sc.head(), sc.State.Slowest()) }

// nook is how far beyond a revision its part of the axis goes.
func (sc *Scene) nook() float64 { return min(sc.View.PerRev/2, 6) }

// pending draws the stretch of what is committed but not in every watch cache.
func (sc *Scene) pending(m *markup, top, bottom float64) {
	head, slow := sc.head(), sc.slowest()
	if slow >= head {
		return
	}
	a := max(sc.View.X(slow)+sc.nook(), -2)
	b := min(sc.View.X(head)+sc.nook(), sc.View.Width+2)
	if b > a {
		m.s(`<rect class="tl-pending" x="`).n(a).s(`" y="`).n(top).s(`" width="`).n(b - a).s(`" height="`).n(bottom - top).s(`"/>`)
	}
}

// A stand is a revision where watch caches are.
type stand struct {
	rev   int64
	names string
}

// stands are where the caches are that are behind the head, the slowest first,
// and the names of those that are not behind.
func (sc *Scene) stands() (behind []stand, abreast string) {
	head := sc.head()
	for i, rev := range sc.State.Caches {
		name := sc.State.CacheName(i)
		if rev >= head {
			abreast += " " + name
			continue
		}
		at := 0
		for at < len(behind) && behind[at].rev < rev {
			at++
		}
		if at < len(behind) && behind[at].rev == rev {
			behind[at].names += " " + name
		} else {
			behind = slices.Insert(behind, at, stand{rev, name})
		}
	}
	return behind, strings.TrimSpace(abreast)
}

// behind is how the gap between a cache and the head is called.
func (sc *Scene) behind(gap int64) string {
	if sc.Compact {
		return ", " + itoa(gap) + " behind"
	}
	return ", " + itoa(gap) + plural(gap, " revision", " revisions") + " behind"
}

// textWidth is how wide a text of a flag is, about.
func textWidth(s string) float64 { return float64(len(s)) * 5.6 }

// flagged is the stretch that the flags and their words take.
func (sc *Scene) flagged() (from, to float64) {
	head := sc.head()
	x := min(max(sc.View.X(head), 0), sc.View.Width)
	from, to = x-2, x+30
	if !sc.Compact {
		to = x + 120
	}
	if to > sc.View.Width {
		from = x - (to - x) // its words may stand on the other side
	}
	if behind, _ := sc.stands(); len(behind) > 0 {
		slow := behind[0]
		words := slow.names + " " + itoa(slow.rev) + sc.behind(head-slow.rev)
		if len(behind) > 1 {
			words += " and " + behind[1].names + " "
		}
		from = min(from, sc.View.X(slow.rev)-8-textWidth(words))
	}
	return from, to
}

// RulerFront draws what stands above the marks: the flags of the store's head
// and the watch caches.
func (sc *Scene) RulerFront() string {
	var m markup
	g := sc.ruler()
	v := sc.View
	head := sc.head()
	if head == 0 {
		return ""
	}
	behind, abreast := sc.stands()
	for _, s := range behind {
		sc.pole(&m, s.rev, "cache")
	}
	sc.pole(&m, head, "etcd")
	x := v.X(head)
	if x > v.Width+2 {
		sc.cacheFlags(&m, behind, v.Width-textWidth("head 1234567 >"))
		m.s(`<text class="tl-flagtext end" x="`).n(v.Width - 4).s(`" y="`).n(g.flag).s(`">head `).i(head).s(` ▸</text>`)
		return m.String()
	}
	if x < -2 {
		m.s(`<text class="tl-flagtext" x="4" y="`).n(g.flag).s(`">◂ head `).i(head).s(`</text>`)
		return m.String()
	}
	word := "etcd"
	switch {
	case len(behind) == 0 && len(sc.State.Caches) > 1:
		abreast = "caches"
		fallthrough
	case abreast != "":
		word = "etcd = " + abreast
	}
	if sc.Compact {
		word = ""
	}
	left := x // where the words of the caches end
	if words := textWidth(word + " " + itoa(head)); x+7+words <= v.Width {
		m.s(`<text class="tl-flagtext" x="`).n(x + 7)
	} else {
		m.s(`<text class="tl-flagtext end" x="`).n(x - 4)
		left -= words
	}
	m.s(`" y="`).n(g.flag).s(`">`, word, ` <tspan class="tl-flagrev">`).i(head).s(`</tspan></text>`)
	sc.cacheFlags(&m, behind, left)
	return m.String()
}

// cacheFlags writes the names beside the flags of the caches that are behind,
// left of their poles: all of it for the slowest, less where there is no room.
// right is where the next thing to the right begins.
func (sc *Scene) cacheFlags(m *markup, behind []stand, right float64) {
	if len(behind) == 0 {
		return
	}
	g, v, head := sc.ruler(), sc.View, sc.head()
	y := g.flag
	slow := behind[0]
	if a, b := max(v.X(slow.rev), 0), min(v.X(head), v.Width); b > a {
		m.s(`<path class="tl-gap" d="M`).n(a).s(" ").n(y + 4).s("H").n(b).s(`"/>`)
	}
	// Flags too close for a name of their own stand in words beside the slower one.
	first := v.X(slow.rev)
	names, more := slow.names, ""
	for _, s := range behind[1:] {
		x := v.X(s.rev)
		if x-first < 12+textWidth(s.names) {
			names += ", " + s.names
			more += ", " + s.names + " " + itoa(s.rev)
			first = max(first, x)
			continue
		}
		if x <= v.Width {
			m.s(`<text class="tl-flagtext cache end" x="`).n(x-4).s(`" y="`).n(y).s(`">`, s.names, `</text>`)
		}
		right = min(right, x-textWidth(s.names)-4)
		first = x
	}
	at := v.X(slow.rev)
	if at > v.Width {
		return
	}
	var word string
	if word = " not yet in the cache"; len(sc.State.Caches) > 1 {
		word = " not yet in " + slow.names
	}
	if from := max(at, 0) + 8; right-from > textWidth(word)+4 {
		m.s(`<text class="tl-flagtext cache" x="`).n(from).s(`" y="`).n(y).s(`">`, word[1:], `</text>`)
	}
	if at < 0 {
		return
	}
	number := itoa(slow.rev)
	rest := more
	if more == "" {
		rest = sc.behind(head - slow.rev)
	}
	m.s(`<text class="tl-flagtext cache end" x="`).n(at - 5).s(`" y="`).n(y).s(`">`)
	switch alone := slow.names + " " + number; {
	case at-5 > textWidth(alone+rest):
		m.s(slow.names, ` <tspan class="tl-flagrev">`, number, `</tspan>`, rest)
	case more == "" && at-5 > textWidth(alone):
		m.s(slow.names, ` <tspan class="tl-flagrev">`, number, `</tspan>`)
	default:
		m.s(names)
	}
	m.s(`</text>`)
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (sc *Scene) pole(m *markup, rev int64, class string) {
	g := sc.ruler()
	x := sc.View.X(rev)
	if x < 0 || x > sc.View.Width {
		return
	}
	m.s(`<path class="tl-pole `, class, `" d="M`).n(x).s(" ").n(g.letter-8).s("V").n(g.flag-8).s(`"/><path class="tl-pennant `, class, `" d="M`)
	m.n(x).s(" ").n(g.flag - 8).s(`h5l-1.5 3.5 1.5 3.5h-5z"/>`)
}

// LaneBack draws a lane's line, its start, its initial state's band, the pin of
// the version its client may go on from, and its end.
func (sc *Scene) LaneBack(l *Lane) string {
	var m markup
	v, y := sc.View, laneGeo.base
	sc.gone(&m, 0, laneGeo.height)
	sc.cross(&m, 0, laneGeo.height)

	from := v.X(l.StartRev)
	if l.Initial && l.State.Len() > 0 {
		lo, hi := v.X(l.State.First())-7, v.X(max(l.StartRev, l.State.Last()))+7
		from = hi
		if lo, hi = max(lo, -20), min(hi, v.Width+20); hi > lo {
			m.s(`<rect class="tl-band" x="`).n(lo).s(`" y="12" width="`).n(hi - lo).s(`" height="18" rx="3"/>`)
		}
	}
	last := max(l.StartRev, l.Resume, l.Marks.Last())
	to := v.X(last)
	held := to
	if l.Ending == Open && l.Code == 0 {
		to = v.X(max(min(sc.head(), sc.State.Cache(l.Replica)), last)) + 12
		held = v.X(sc.head()) + 12
	} else {
		to += 9
	}
	if a, b := max(from, -30), min(to, v.Width+30); b > a {
		m.s(`<path class="tl-line" d="M`).n(a).s(" ").n(y).s("H").n(b).s(`"/>`)
	}
	if a, b := max(to, -30), min(held, v.Width+30); b > a {
		m.s(`<path class="tl-held" d="M`).n(a).s(" ").n(y).s("H").n(b).s(`"/>`)
	}
	m.s(`<circle class="tl-start" cx="`).n(from).s(`" cy="`).n(y).s(`" r="3.5"/>`)
	if l.Resume > 0 {
		class := "tl-pin"
		if l.Resume < sc.State.Compacted {
			class = "tl-pin behind"
		}
		x := v.X(l.Resume)
		m.s(`<path class="`, class, `" d="M`).n(x).s(" ").n(y + 14).s(`l-3.5-5a3.5 3.5 0 1 1 7 0z" transform="rotate(180 `).n(x).s(" ").n(y + 10.5).s(`)"/>`)
	}
	sc.cap(&m, l, to, y)
	switch {
	case to < 0:
		m.s(`<text class="tl-away" x="4" y="`).n(y + 4).s(`">◂ `).i(last)
		if l.Code != 0 {
			m.s(` <tspan class="tl-code">✕ `).i(int64(l.Code)).s(`</tspan>`)
		}
		m.s(`</text>`)
	case min(from, v.X(max(l.State.First(), 1))) > v.Width:
		m.s(`<text class="tl-away end" x="`).n(v.Width - 4).s(`" y="`).n(y + 4).s(`">`).i(l.StartRev).s(` ▸</text>`)
	}
	return m.String()
}

// cap draws a lane's end: an arrow while it is open, one bar when its client
// closed it, two when the server did, a torn line when it broke.
func (sc *Scene) cap(m *markup, l *Lane, x, y float64) {
	if x < -20 || x > sc.View.Width+20 {
		return
	}
	switch {
	case l.Code != 0 || l.Ending == Broken:
		m.s(`<path class="tl-cap broken" d="M`).n(x).s(" ").n(y - 8).s(`l4 4-6 3 6 3-4 6"/>`)
		if l.Code != 0 {
			m.s(`<text class="tl-code" x="`).n(x + 8).s(`" y="`).n(y + 4).s(`">`).i(int64(l.Code)).s(`</text>`)
		}
	case l.Ending == Served:
		m.s(`<path class="tl-cap" d="M`).n(x).s(" ").n(y - 6).s("v12m4-12v12").s(`"/>`)
	case l.Ending == Aborted:
		m.s(`<path class="tl-cap" d="M`).n(x).s(" ").n(y - 6).s("v12").s(`"/>`)
	default:
		m.s(`<path class="tl-arrow" d="M`).n(x).s(" ").n(y - 4).s(`l7 4-7 4z"/>`)
	}
}

// ChainBack draws a chunked list's snapshot: one line at the revision that all
// its pages come from.
func (sc *Scene) ChainBack(c *Chain) string {
	var m markup
	v, h := sc.View, ghostGeo.height
	sc.gone(&m, 0, h)
	sc.cross(&m, 0, h)
	if len(c.Pages) == 0 {
		return m.String()
	}
	seen := map[int64]bool{}
	for i, p := range c.Pages {
		if seen[p.Rev] {
			continue
		}
		seen[p.Rev] = true
		x := v.X(p.Rev)
		if x < 0 || x > v.Width {
			continue
		}
		class := "tl-snap"
		if p.Rev < sc.State.Compacted {
			class += " behind"
		}
		if p.Inconsistent {
			class += " loose"
		}
		m.s(`<path class="`, class, `" data-ref="rev-`).i(p.Rev).s(`" d="M`).n(x).s(" 0V").n(h).s(`"/>`)
		word := "snapshot "
		if i > 0 {
			word = "then from "
		}
		if x > 110 {
			m.s(`<text class="tl-snaptext end" x="`).n(x - 5)
		} else {
			m.s(`<text class="tl-snaptext" x="`).n(x + 5)
		}
		m.s(`" y="`).n(h/2+4).s(`">`, word, `<tspan class="tl-flagrev">`).i(p.Rev).s(`</tspan></text>`)
	}
	return m.String()
}
