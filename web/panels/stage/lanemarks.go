package stage

import "github.com/tabernetes/tabernetes/web/panels/stage/timeline"

// band frames the initial state and returns where the changes begin.
func (sc *Scene) band(row *laneRow, c *timeline.Conn) float64 {
	v, y := sc.View, row.y
	half := min(v.PerRev*0.42, sc.px(18))
	a := v.X(row.State.First()) - half
	if f, in := v.Folded(row.State.First()); in { // what is folded is in the middle
		a = (v.Edge(f.Lo-1)+v.Edge(f.Hi))/2 - half
	}
	b := max(v.X(max(c.StartRev, row.State.Last())), v.X(c.Opened)) + half
	if a0, b0 := max(a, -30), min(b, v.Width+30); b0 > a0 {
		high := min(17*sc.U, y)
		row.lines.s(`<rect class="st-band`, sc.laterClass(c.Opened), `" x="`).n(a0).s(`" y="`).n(y - high).
			s(`" width="`).n(b0 - a0).s(`" height="`).n(2 * high).s(`" rx="`).n(4 * sc.U).s(`"/>`)
		sc.stroke(&row.lines, "st-line is-past", 1.4, a0, y, b0)
	}
	return b
}

// A foldedRun is what a client got of the revisions of a fold, which is one sign.
type foldedRun struct {
	n    int64
	kind timeline.Kind
	as   markState
}

func (f *foldedRun) add(kind timeline.Kind, as markState) {
	if f.n++; f.n == 1 || kind != timeline.Added {
		f.kind = kind
	}
	if as == plain || f.n == 1 {
		f.as = as
	}
}

// events draws the marks.
func (sc *Scene) events(row *laneRow) {
	v, l, y, r := sc.View, row.Lane, row.y, row.r
	lo, hi := v.Range()
	hi = min(hi, sc.head())
	var marks shapes
	folded := make([]foldedRun, len(v.Folds))
	add := func(as markState, k timeline.Mark) {
		for i, f := range v.Folds {
			if k.Rev >= f.Lo && k.Rev <= f.Hi {
				folded[i].add(k.Kind, as)
				return
			}
		}
		row.room.take(markBox(k.Kind, v.X(k.Rev), y, r))
		marks.add(as, k.Kind, v.X(k.Rev), y, r, as != initial && sc.isFresh(k.Rev))
	}
	for i := l.State.Index(lo); i < l.State.Len(); i++ {
		k := l.State.At(i)
		if k.Rev > hi {
			break
		}
		as := initial
		if sc.At > 0 && max(k.Delivered, k.Rev) > sc.At {
			as = later
		}
		add(as, k)
	}
	from := l.Marks.Index(lo - 1)
	for i := from; i < l.Marks.Len(); i++ {
		k := l.Marks.At(i)
		if k.Rev > hi {
			break
		}
		if k.Kind <= timeline.Deleted {
			add(sc.stateOf(row.edge, k.Rev, k.Delivered), k)
		}
	}
	for i, f := range v.Folds {
		sc.folded(row, &marks, f, folded[i])
	}
	marks.write(&row.signs, 2)
	for i := from; i < l.Marks.Len(); i++ {
		k := l.Marks.At(i)
		if k.Rev > hi {
			break
		}
		x := v.X(k.Rev)
		switch k.Kind {
		case timeline.Bookmark:
			if !l.Marks.NextIs(i, timeline.Bookmark) { // of several in a row the newest counts
				// Where there is a mark already it is beside it, or short and below it.
				sc.ribbon(row, k, "", box{x, y, 0, 1.7 * r}, box{x + min(v.PerRev*0.5, sc.px(14)), y, 0, 1.7 * r},
					box{x, y + 0.93*r, 0, 0.75 * r})
			}
		case timeline.InitialEnd:
			sc.ribbon(row, k, " is-full", box{x + min(v.PerRev*0.42, sc.px(18)), y, 0, 1.7 * r},
				box{v.Edge(k.Rev), y, 0, 1.7 * r}, box{x, y + 0.93*r, 0, 0.75 * r})
		}
	}
}

// folded draws what a client got of a fold: a mark, and how many there are.
func (sc *Scene) folded(row *laneRow, marks *shapes, f Fold, got foldedRun) {
	v, u := sc.View, sc.U
	a, b := v.Edge(f.Lo-1), v.Edge(f.Hi)
	if got.n == 0 || b < 0 || a > v.Width {
		return
	}
	x := (a + b) / 2
	count := words{"soft", 12.5 * u, x + row.r + 3*u, row.y - 3*u, itoa(got.n)}
	beside := got.n > 1 && !sc.crossed(count.box())
	if at := count.box(); beside && (at.right > b || row.dense || !row.room.free(at)) {
		count.class, count.x, count.y = "soft mid", x, row.y+4.5*u
		if !sc.crossed(count.box()) && row.signs.say(&row.room, count) {
			return
		}
		beside = false
	}
	if sign := markBox(got.kind, x, row.y, row.r); row.room.claim(sign) {
		marks.add(got.as, got.kind, x, row.y, row.r, false)
	}
	if beside {
		row.signs.say(&row.room, count)
	}
}

// crossed reports whether the thread or the playhead goes through a place.
func (sc *Scene) crossed(b box) bool {
	var r room
	sc.takeLines(&r, b.top, b.bottom)
	return !r.free(b)
}

// ribbon draws a bookmark at the first place that is free: where it hangs, and how long it is. Without a place it is
// left to the tables: the event of the same revision says the same.
func (sc *Scene) ribbon(row *laneRow, k timeline.Mark, class string, places ...box) {
	r := row.r
	for _, p := range places {
		if long := p.bottom; row.room.claim(box{p.left - 0.66*r, p.top - 0.12*r, p.left + 0.66*r, p.top + long + 0.12*r}) {
			if sc.At > 0 && max(k.Delivered, k.Rev) > sc.At {
				class += " is-later"
			}
			row.signs.s(`<path class="st-ribbon`, class, `" stroke-width="`).n(0.2 * r).s(`" d="`)
			ribbon(&row.signs, p.left, p.top, r, long)
			row.signs.s(`"/>`)
			return
		}
	}
}
