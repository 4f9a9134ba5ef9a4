package stage

import (
	"slices"
	"strconv"
	"strings"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// A rulerRow is the drawing of the ruler; room is what its signs cover.
type rulerRow struct {
	base, axis, top, height float64
	r                       float64 // half the width of a mark

	strip bool // there is no room for requests and words

	m    markup
	room room
}

// lowest is the least height of a whole ruler, in units: a lower one is a strip.
const lowest = 90.0

// Ruler draws the first lane, which etcd writes: requests, marks, axis, heads.
func (sc *Scene) Ruler(height float64) string {
	if height < lowest*sc.U {
		return sc.strip(height)
	}
	v, u := sc.View, sc.U
	row := &rulerRow{base: height - 58*u, axis: height - 13*u, top: 30 * u, height: height, room: room{width: v.Width}}
	m, base := &row.m, row.base
	row.r = min(sc.radius(12, 0.34), (base-row.top-21*u)/1.7) // below the grip
	head := sc.head()
	wall := sc.etcdEdge()
	sc.back(m, wall, row.top, height)
	sc.playLine(m, row.top, height)
	chip, tab := sc.threadOnRuler(row), sc.tab()
	row.room.take(chip)
	if sc.At > 0 {
		row.room.take(tab)
		at := v.Edge(sc.At)
		row.room.take(box{at - u, row.top, at + u, height})
	}

	x, walled := sc.wall()
	end := v.Edge(sc.now())
	from := 0.0
	if len(v.Folds) > 0 {
		from = v.Edge(v.Folds[0].Hi)
	}
	if sc.State.Compacted <= 1 && len(v.Folds) == 0 {
		from = v.Edge(max(sc.Retained-1, 0))
	}
	from = max(from, 0)
	if walled && x > from {
		sc.stroke(m, "st-line is-past", 1.6, from, base, min(x, end))
		from = max(from, x)
	}
	sc.stroke(m, "st-line", 1.6, from, base, end)
	m.s(`<path class="st-ahead" d="M`).n(max(end, 0)).s(" ").n(base).s("H").n(v.Width).s(`"/>`)

	sc.foldBoxes(row)
	if sc.bars() {
		sc.counts(m, edge{}, &sc.Commits, base, sc.px(40), sc.tallest())
	} else {
		sc.commits(row, chip, tab)
	}
	sc.grip(row)
	sc.bar(m, &row.room, wall, row.top, height)
	sc.heads(row)
	sc.wallWords(row)
	sc.forked(row)
	sc.axisNumbers(row)
	for _, f := range v.Folds {
		at := words{"soft mid", 12.5 * u, (v.Edge(f.Lo-1) + v.Edge(f.Hi)) / 2, base - 29*u, f.Name}
		short := at
		short.text = f.Name[strings.LastIndex(f.Name, " ")+1:]
		if b := short.box(); sc.bars() && b.right-b.left > v.Edge(f.Hi)-v.Edge(f.Lo-1) {
			continue // it would lie on the bars beside it
		}
		m.say(&row.room, at, short)
	}
	if head > 0 && sc.At == 0 && sc.Until == 0 && !sc.bars() && sc.Taken() < 40 && !sc.Narrow {
		if x := v.X(head + 1); x < v.Width-sc.px(90) {
			r := row.r
			if row.room.claim(around(x, base, r, r)) {
				m.s(`<circle class="st-next" cx="`).n(x).s(`" cy="`).n(base).s(`" r="`).n(0.8 * r).s(`"/>`)
				m.say(&row.room, words{"soft", 12.5 * u, x + 18*u, base - 14*u, "the next write"})
			}
		}
	}
	sc.playhead(m, tab)
	sc.chip(m, chip)
	return m.String()
}

// strip draws a ruler in little room: marks, numbers, the head.
func (sc *Scene) strip(height float64) string {
	v, u, head := sc.View, sc.U, sc.head()
	base := height - 32*u
	row := &rulerRow{base: base, axis: height - 8*u, top: base - 33*u, height: height, r: sc.radius(10, 0.34),
		strip: true, room: room{width: v.Width}}
	m := &row.m
	sc.back(m, sc.etcdEdge(), 0, height)
	sc.playLine(m, 0, height)
	from := 0.0
	if len(v.Folds) > 0 {
		from = v.Edge(v.Folds[0].Hi)
	}
	sc.stroke(m, "st-line", 1.6, max(from, 0), base, v.Edge(sc.now()))
	sc.foldBoxes(row)
	if sc.bars() {
		sc.counts(m, edge{}, &sc.Commits, base, sc.px(20), sc.tallest())
	} else {
		sc.commits(row)
		sc.chosenRing(row)
	}
	if x := sc.headX(head); head > 0 && x > 0 && x < v.Width {
		m.s(`<g class="st-head"><path stroke-width="`).n(2 * u).s(`" d="M`).n(x).s(" ").n(base - 18*u).s("V").n(base + 10*u).
			s(`"/><path class="st-flag" d="`)
		flag(m, x, base-10*u, 8*u)
		m.s(`"/></g>`)
	}
	sc.axisNumbers(row)
	return m.String()
}

// chosenRing draws a ring around the mark of the chosen revision.
func (sc *Scene) chosenRing(row *rulerRow) {
	c := sc.Chosen
	if k, ok := sc.Commits.Find(c.Rev); ok && c.Last <= c.Rev {
		if _, in := sc.View.Folded(c.Rev); !in {
			sc.ring(&row.m, k.Kind, sc.View.X(c.Rev), row.base, row.r)
		}
	}
}

// stroke draws a part of a line, from a to b.
func (sc *Scene) stroke(m *markup, class string, width, a, y, b float64) {
	a, b = max(a, -40), min(b, sc.View.Width+40)
	if b <= a {
		return
	}
	m.s(`<path class="`, class, `" stroke-width="`).n(sc.px(width)).s(`" d="M`).n(a).s(" ").n(y).s("H").n(b).s(`"/>`)
}

// commits draws the ruler's marks and, above them, the requests that made them, but for those below what is covered
// there.
func (sc *Scene) commits(row *rulerRow, covered ...box) {
	v, u, m, base := sc.View, sc.U, &row.m, row.base
	lo, hi := v.Range()
	hi = min(hi, sc.head())
	r := row.r
	var marks shapes
	var squares, stems, brackets [2]markup
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
		row.room.take(markBox(k.Kind, x, base, r))
		marks.add(md, k.Kind, x, base, r, sc.isFresh(k.Rev))
		w, ok := sc.Writes.Of(k.Rev)
		if !ok || row.strip {
			continue
		}
		at := 0
		if md == later {
			at = 1
		}
		if w.First == k.Rev || w.First < lo && k.Rev == lo {
			square := around(x, 16.5*u, 2.5*u, 2.5*u)
			if slices.ContainsFunc(covered, square.meets) {
				continue
			}
			row.room.take(square)
			squares[at].s("M").n(square.left).s(" ").n(square.top).s("h").n(5 * u).s("v").n(5 * u).s("h").n(-5 * u).s("z")
		} else {
			row.room.take(box{v.X(k.Rev-1) + 4*u, 15 * u, x, 21 * u})
			brackets[at].s("M").n(x).s(" ").n(21 * u).s("V").n(16.5 * u).s("H").n(v.X(k.Rev-1) + 4*u)
		}
		if md != past {
			stems[at].s("M").n(x).s(" ").n(21 * u).s("V").n(base - r*1.9)
		}
	}
	for i, class := range [...]string{"", " is-later"} {
		if len(stems[i].b)+len(squares[i].b) > 0 {
			m.s(`<path class="st-request`, class, `" d="`, squares[i].String(), `"/><path class="st-stem`, class, `" d="`,
				stems[i].String(), `"/><path class="st-bracket`, class, `" d="`, brackets[i].String(), `"/>`)
		}
	}
	if len(squares[0].b)+len(squares[1].b) > 0 && !sc.Narrow {
		m.say(&row.room, words{"soft", 12.5 * u, 18 * u, 20.5 * u, "requests"})
	}
	marks.write(m, 1)
}

// axisNumbers writes the numbers: of what is chosen, of folds, and of others as there is room.
func (sc *Scene) axisNumbers(row *rulerRow) {
	v, u, m := sc.View, sc.U, &row.m
	at := func(class string, x float64, text string) {
		m.say(&row.room, words{class, 13 * u, x, row.axis, text})
	}
	for _, r := range [...]int64{sc.Chosen.Rev, sc.At} {
		if _, in := v.Folded(r); r > 0 && !in {
			at("accent mid", v.X(r), itoa(r))
		}
	}
	for _, f := range v.Folds {
		at("soft mid", (v.Edge(f.Lo-1)+v.Edge(f.Hi))/2, itoa(f.Lo)+"–"+itoa(f.Hi))
	}
	apart := (float64(len(itoa(sc.head())))*8.2 + 12) * u
	for _, r := range v.Labels(apart) {
		class := "soft mid"
		switch {
		case r == sc.Chosen.Rev && sc.Chosen.Last <= r || r == sc.At:
			continue
		case r > sc.now():
			class = "faint mid"
		}
		at(class, v.X(r), itoa(r))
	}
}

// foldBoxes draws the runs that are one box.
func (sc *Scene) foldBoxes(row *rulerRow) {
	u, m, base := sc.U, &row.m, row.base
	for _, f := range sc.View.Folds {
		a, b := sc.View.Edge(f.Lo-1), sc.View.Edge(f.Hi)
		if b < 0 || a > sc.View.Width {
			continue
		}
		inset := min(max(0.03*(b-a), 3*u), (b-a)/4) // beside the wall, which may be there
		w := b - a - 2*inset
		half := min(22*u, base-row.top-22*u) // below the grip
		class := "st-fold"
		if sc.At > 0 && sc.At < f.Lo {
			class += " is-later"
		}
		row.room.take(box{a + inset, base - half, b - inset, base + half})
		m.s(`<rect class="`, class, `" x="`).n(a + inset).s(`" y="`).n(base - half).s(`" width="`).n(w).
			s(`" height="`).n(2 * half).s(`" rx="`).n(4 * u).s(`"/>`)
		lines := min(f.Hi-f.Lo+1, 18, int64(w/(4*u)))
		if lines > 1 {
			m.s(`<path class="st-foldlines" d="`)
			for i := range lines {
				m.s("M").n(a + inset + w*(0.08+0.84*float64(i)/float64(lines-1))).s(" ").n(base - 12*u).s("v").n(24 * u)
			}
			m.s(`"/>`)
		}
	}
}

// threadOnRuler draws the thread from the request to the mark. It returns the place of the chip that names the request.
func (sc *Scene) threadOnRuler(row *rulerRow) box {
	c, v, u, m := sc.Chosen, sc.View, sc.U, &row.m
	if c.Rev == 0 || c.Last > c.Rev {
		return box{}
	}
	x := v.X(c.Rev)
	if x < 0 || x > v.Width {
		return box{}
	}
	sc.thread(m, 28*u, 0, row.axis-15*u)
	sc.thread(m, row.axis+6*u, 0, row.height)
	row.room.take(box{x - u, 28 * u, x + u, row.axis - 15*u})
	if !sc.bars() {
		sc.chosenRing(row)
	}
	width := (22 + float64(len(c.Chip))*7.85) * u
	if c.Chip == "" || c.Rev == sc.At || width > v.Width-8*u {
		return box{}
	}
	left := min(max(x+14*u-width, 4*u), v.Width-width-4*u)
	if tab := sc.tab(); tab.meets(box{left, 5 * u, left + width, 29 * u}) { // it is at one of its sides
		if left = tab.right + 4*u; x < tab.left {
			left = tab.left - 4*u - width
		}
		if left < 0 || left+width > v.Width {
			return box{}
		}
	}
	return box{left, 5 * u, left + width, 29 * u}
}

// chip names the request that made what is chosen.
func (sc *Scene) chip(m *markup, at box) {
	if at.right == 0 {
		return
	}
	u := sc.U
	m.s(`<g class="st-chip"><rect x="`).n(at.left).s(`" y="`).n(at.top).s(`" width="`).n(at.right - at.left).
		s(`" height="`).n(at.bottom - at.top).s(`" rx="`).n(6 * u).s(`"/>`)
	m.s(`<text font-size="`).n(13 * u).s(`" x="`).n(at.left + 11*u).s(`" y="`).n(21.5 * u).s(`">`).e(sc.Chosen.Chip).
		s(`</text></g>`)
}

// tab is the place of the playhead's handle.
func (sc *Scene) tab() box {
	if sc.At == 0 {
		return box{}
	}
	w := (22 + float64(len(itoa(sc.At)))*9) * sc.U
	x := sc.View.Edge(sc.At)
	return box{x - w/2, 5 * sc.U, x + w/2, 28 * sc.U}
}

// playhead draws the handle, which says which revision is shown.
func (sc *Scene) playhead(m *markup, at box) {
	if sc.At == 0 {
		return
	}
	u, w, x := sc.U, at.right-at.left, (at.left+at.right)/2
	hold := max(w, 44*u) // what is taken hold of is larger than what is seen
	m.s(`<g class="st-play" data-grip="playhead"><rect class="st-hold" x="`).n(x - hold/2).s(`" y="0" width="`).n(hold).
		s(`" height="`).n(44 * u).s(`"/><path d="M`).n(at.left).s(" ").n(at.top).s("h").n(w).
		s("v").n(17 * u).s("l").n(-w/2 + 5*u).s(" ").n(6 * u).
		s("h").n(-10 * u).s("l").n(-w/2 + 5*u).s(" ").n(-6 * u)
	m.s(`z"/><text font-size="`).n(15*u).s(`" x="`).n(x).s(`" y="`).n(20*u).s(`">`, itoa(sc.At), `</text></g>`)
}
