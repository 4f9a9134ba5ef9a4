package stage

import (
	"math"
	"slices"
	"strconv"

	"github.com/tabernetes/tabernetes/web/timeline"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// Ruler draws the first lane, which etcd writes: requests, marks, axis, heads.
func (sc *Scene) Ruler(height float64) string {
	var m markup
	v, u := sc.View, sc.U
	base, axis, top := height-58*u, height-13*u, 30*u
	head := sc.head()
	sc.back(&m, sc.etcdEdge(), top, height)
	sc.folds(&m, base, axis)

	wall, walled := sc.wall()
	end := v.Edge(sc.now())
	from := 0.0
	if len(v.Folds) > 0 {
		from = v.Edge(v.Folds[0].Hi)
	}
	if sc.State.Compacted <= 1 && len(v.Folds) == 0 {
		from = v.Edge(max(sc.Retained-1, 0))
	}
	from = max(from, 0)
	if walled && wall > from {
		sc.stroke(&m, "st-line is-past", 1.6, from, base, min(wall, end))
		from = max(from, wall)
	}
	sc.stroke(&m, "st-line", 1.6, from, base, end)
	m.s(`<path class="st-ahead" d="M`).n(max(end, 0)).s(" ").n(base).s("H").n(v.Width).s(`"/>`)

	if sc.bars() {
		sc.counts(&m, edge{}, &sc.Commits, base, sc.px(40), sc.tallest())
	} else {
		sc.commits(&m, base)
	}
	sc.axis(&m, axis)
	if head > 0 && sc.At == 0 && sc.Until == 0 && !sc.bars() && sc.Taken() < 40 && !sc.Narrow {
		if x := v.X(head + 1); x < v.Width-sc.px(90) {
			r := sc.radius(12, 0.34)
			m.s(`<circle class="st-next" cx="`).n(x).s(`" cy="`).n(base).s(`" r="`).n(0.8 * r).s(`"/>`)
			m.halo("soft", 12.5*u, x+18*u, base-14*u, "the next write")
		}
	}
	sc.front(&m, sc.etcdEdge(), top, height)
	sc.grip(&m, top)
	sc.heads(&m, base)
	sc.chosenOnRuler(&m, base, axis, height)
	sc.playhead(&m)
	return m.String()
}

// stroke draws a part of a line, from a to b.
func (sc *Scene) stroke(m *markup, class string, width, a, y, b float64) {
	a, b = max(a, -40), min(b, sc.View.Width+40)
	if b <= a {
		return
	}
	m.s(`<path class="`, class, `" stroke-width="`).n(sc.px(width)).s(`" d="M`).n(a).s(" ").n(y).s("H").n(b).s(`"/>`)
}

// commits draws the ruler's marks and, above them, the requests that made them.
func (sc *Scene) commits(m *markup, base float64) {
	v, u := sc.View, sc.U
	lo, hi := v.Range()
	hi = min(hi, sc.head())
	r := sc.radius(12, 0.34)
	var marks shapes
	var squares, stems, brackets markup
	wall := sc.etcdEdge()
	for i := sc.Commits.Index(lo); i < sc.Commits.Len(); i++ {
		k := sc.Commits.At(i)
		if k.Rev > hi {
			break
		}
		if _, in := v.Folded(k.Rev); in {
			continue
		}
		x := v.X(k.Rev)
		md := sc.stateOf(wall, k.Rev, 0)
		marks.add(md, k.Kind, x, base, r, sc.isFresh(k.Rev))
		w, ok := sc.Writes.Of(k.Rev)
		switch {
		case !ok:
		case w.First == k.Rev || w.First < lo && k.Rev == lo:
			squares.s("M").n(x - 2.5*u).s(" ").n(14 * u).s("h").n(5 * u).s("v").n(5 * u).s("h").n(-5 * u).s("z")
			if md != past {
				stems.s("M").n(x).s(" ").n(21 * u).s("V").n(base - r*1.9)
			}
		default:
			brackets.s("M").n(x).s(" ").n(21 * u).s("V").n(16.5 * u).s("H").n(v.X(k.Rev-1) + 4*u)
			if md != past {
				stems.s("M").n(x).s(" ").n(21 * u).s("V").n(base - r*1.9)
			}
		}
	}
	if len(squares.b) > 0 {
		m.s(`<path class="st-request" d="`, squares.String(), `"/><path class="st-stem" d="`, stems.String(),
			`"/><path class="st-bracket" d="`, brackets.String(), `"/>`)
		if !sc.Narrow {
			m.halo("soft", 12.5*u, 18*u, 20.5*u, "requests")
		}
	}
	marks.write(m, 1)
}

// axis writes the numbers.
func (sc *Scene) axis(m *markup, y float64) {
	v, u := sc.View, sc.U
	apart := (float64(len(itoa(sc.head())))*8.2 + 12) * u
	for _, r := range v.Labels(apart) {
		class := "soft mid"
		switch {
		case r == sc.Chosen.Rev && sc.Chosen.Last <= r || r == sc.At:
			continue
		case r > sc.now():
			class = "faint mid"
		}
		m.halo(class, 13*u, v.X(r), y, itoa(r))
	}
	for _, r := range [...]int64{sc.Chosen.Rev, sc.At} {
		if _, in := v.Folded(r); r > 0 && !in {
			m.halo("accent mid", 13*u, v.X(r), y, itoa(r))
		}
	}
}

// folds draws the runs that are one box.
func (sc *Scene) folds(m *markup, base, axis float64) {
	u := sc.U
	for _, f := range sc.View.Folds {
		a, b := sc.View.Edge(f.Lo-1), sc.View.Edge(f.Hi)
		if b < 0 || a > sc.View.Width {
			continue
		}
		w := b - a
		m.s(`<rect class="st-fold" x="`).n(a +
			0.03*w).s(`" y="`).n(base - 22*u).s(`" width="`).n(0.94 * w).s(`" height="`).n(44 * u).s(`" rx="`).n(4 * u).s(`"/>`)
		lines := min(f.Hi-f.Lo+1, 18, int64(w/(4*u)))
		if lines > 1 {
			m.s(`<path class="st-foldlines" d="`)
			for i := range lines {
				m.s("M").n(a + 0.1*w + 0.8*w*float64(i)/float64(lines-1)).s(" ").n(base - 12*u).s("v").n(24 * u)
			}
			m.s(`"/>`)
		}
		if w > 60*u {
			m.halo("soft mid", 12.5*u, a+w/2, base-29*u, f.Name)
			m.halo("soft mid", 13*u, a+w/2, axis, itoa(f.Lo)+"–"+itoa(f.Hi))
		}
	}
}

// grip is what the wall is taken by, and says what the wall is.
func (sc *Scene) grip(m *markup, top float64) {
	x, ok := sc.wall()
	u := sc.U
	if !ok {
		return
	}
	words := "history starts at " + itoa(sc.State.Compacted)
	if sc.Windows.Known() {
		words = "etcd: " + words
	}
	width := float64(len(words)) * 6.9 * u
	if x < 0 || x > sc.View.Width {
		return
	}
	m.s(`<g class="st-grip" data-grip="wall"><rect x="`).n(x - 6*u).s(`" y="`).n(top).
		s(`" width="`).n(12 * u).s(`" height="`).n(20 * u).s(`" rx="`).n(3 * u).s(`"/>`)
	m.s(`<path d="M`).n(x - 2*u).s(" ").n(top + 5*u).s("v").n(10 * u).
		s("m").n(4 * u).s(" ").n(-10 * u).s("v").n(10 * u).s(`"/></g>`)
	if sc.Narrow {
		return
	}
	if x > width+20*u {
		m.halo("strong end", 13*u, x-12*u, top+15*u, words)
	} else if to := sc.headX(sc.slowest()); to-x > width+60*u {
		m.halo("strong", 13*u, x+12*u, top+15*u, words)
	}
}

// slowest returns the watch cache that is farthest behind.
func (sc *Scene) slowest() int64 { return min(sc.head(), sc.State.Slowest()) }

// heads draws the flags of etcd's head and of the caches that are behind it.
func (sc *Scene) heads(m *markup, base float64) {
	u, head := sc.U, sc.head()
	if head == 0 {
		return
	}
	class := ""
	if sc.At > 0 && sc.At < head {
		class = " is-later"
	}
	late := sc.lateCaches()
	last := math.Inf(-1)
	for _, st := range late {
		x := sc.headX(st.rev)
		if x < -2 || x > sc.View.Width {
			continue
		}
		m.s(`<g class="st-head is-cache`, class, `"><path stroke-width="`).n(2 * u).
			s(`" d="M`).n(x).s(" ").n(32 * u).s("V").n(base - 2*u).s(`"/><path class="st-flag" d="`)
		flag(m, x, 40*u, 8*u)
		m.s(`"/></g>`)
		if room := float64(len(st.names)) * 8 * u; x-last > room+24*u && x > room+6*u {
			m.halo("strong end"+class, 13*u, x-6*u, 43*u, st.names)
		}
		last = x
	}
	behind := len(late) > 0
	x := sc.headX(head)
	if x > sc.View.Width {
		m.halo("strong end", 13*u, sc.View.Width-6*u, 43*u, "head "+itoa(head)+" ▸")
		return
	}
	if x < 0 {
		m.halo("strong", 13*u, 6*u, 43*u, "◂ head "+itoa(head))
		return
	}
	m.s(`<g class="st-head`, class, `"><path stroke-width="`).n(2 * u).s(`" d="M`).n(x).s(" ").n(32 * u).s("V").n(base +
		14*u).s(`"/><path class="st-flag" d="`)
	flag(m, x, 40*u, 8*u)
	m.s(`"/></g>`)
	word := "head"
	if behind {
		word = "etcd"
	}
	if !sc.Narrow {
		m.halo("strong"+class, 13*u, x+20*u, 43*u, word)
	}
}

// A lateCache is a revision at which one or more watch caches are that are behind etcd.
type lateCache struct {
	rev   int64
	names string
}

// lateCaches returns the caches that are behind, by their revisions, the slowest first.
func (sc *Scene) lateCaches() []lateCache {
	var out []lateCache
	for i, rev := range sc.State.Caches {
		if rev >= sc.State.Head {
			continue
		}
		at := 0
		for at < len(out) && out[at].rev < rev {
			at++
		}
		if at < len(out) && out[at].rev == rev {
			out[at].names += ", " + sc.State.CacheName(i)
		} else {
			out = slices.Insert(out, at, lateCache{rev, sc.State.CacheName(i)})
		}
	}
	return out
}

// chosenOnRuler draws the thread from the request to the mark, and the chip
// that names the request.
func (sc *Scene) chosenOnRuler(m *markup, base, axis, height float64) {
	c, v, u := sc.Chosen, sc.View, sc.U
	if c.Rev == 0 || c.Last > c.Rev {
		return
	}
	x := v.X(c.Rev)
	if x < 0 || x > v.Width {
		return
	}
	sc.thread(m, 28*u, 0, axis-15*u)
	sc.thread(m, axis+6*u, 0, height)
	if k, ok := sc.Commits.Find(c.Rev); ok && !sc.bars() {
		if _, in := v.Folded(c.Rev); !in {
			sc.ring(m, k.Kind, x, base, sc.radius(12, 0.34))
		}
	}
	if c.Chip == "" {
		return
	}
	width := (22 + float64(len(c.Chip))*7.85) * u
	left := min(max(x+14*u-width, 4*u), v.Width-width-4*u)
	m.s(`<g class="st-chip"><rect x="`).n(left).s(`" y="`).n(5 * u).
		s(`" width="`).n(width).s(`" height="`).n(24 * u).s(`" rx="`).n(6 * u).s(`"/>`)
	m.s(`<text font-size="`).n(13 * u).s(`" x="`).n(left + 11*u).s(`" y="`).n(21.5 * u).s(`">`).e(c.Chip).s(`</text></g>`)
}

// playhead is the tab that says which revision is shown.
func (sc *Scene) playhead(m *markup) {
	if sc.At == 0 {
		return
	}
	u, x := sc.U, sc.View.Edge(sc.At)
	label := itoa(sc.At)
	w := (22 + float64(len(label))*9) * u
	m.s(`<g class="st-play" data-grip="playhead"><path d="M`).n(x - w/2).s(" ").n(5 * u).s("h").n(w).
		s("v").n(17 * u).s("l").n(-w/2 + 5*u).s(" ").n(6 * u).
		s("h").n(-10 * u).s("l").n(-w/2 + 5*u).s(" ").n(-6 * u)
	m.s(`z"/><text font-size="`).n(15*u).s(`" x="`).n(x).s(`" y="`).n(20*u).s(`">`, label, `</text></g>`)
}

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
