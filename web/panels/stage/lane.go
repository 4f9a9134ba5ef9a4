package stage

import (
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/web/timeline"
)

// Lane draws one client's watch in a row of that height: the events that it got.
func (sc *Scene) Lane(l *timeline.Lane, height float64) string {
	var m markup
	u := sc.U
	dense := height < 30*u
	y := height/2 - 7*u // the strip below has the house, and the words of the edge
	if dense {
		y = height / 2
	}
	r := min(sc.radius(sc.laneMark(), 0.28), height*0.2)
	e, w := sc.laneEdge(l)
	sc.back(&m, e, 0, height)
	sc.connections(&m, l, y, r)
	if sc.bars() {
		sc.counts(&m, e, &l.Marks, y, min(height*0.42, sc.px(24)), sc.tallest())
	} else {
		sc.events(&m, l, e, y, r)
	}
	sc.front(&m, e, 0, height)
	if sc.Windows.Known() {
		sc.foot(&m, l, e, w, height)
	}
	if rev := sc.resume(l); rev > 0 && !dense {
		class := "st-house"
		if rev < w.Horizon && sc.At == 0 {
			class += " is-gone"
		}
		m.s(`<path class="`, class, `" stroke-width="`).n(1.5 * u).s(`" d="`)
		house(&m, sc.houseX(l, rev), height-0.5, 7.5*u)
		m.s(`"/>`)
	}
	sc.lanesEnd(&m, l, y, min(0.92*sc.laneMark()*u, height*0.3))
	sc.chosenOnLane(&m, l, y, r, height)
	if x := sc.View.Edge(max(l.Marks.Last(), l.StartRev, l.EndHead)); l.Over() && x < 0 {
		m.halo("soft", 12.5*u, 6*u, y+4.5*u, "◂ "+itoa(max(l.Marks.Last(), l.StartRev)))
	}
	return m.String()
}

// connections draws the lines: solid while a connection was open, dotted while there was none.
func (sc *Scene) connections(m *markup, l *timeline.Lane, y, r float64) {
	v := sc.View
	all := append(l.Past[:len(l.Past):len(l.Past)], l.Conn)
	for i := range all {
		c := &all[i]
		from := v.X(c.StartRev)
		if i > 0 {
			from = v.Edge(c.Opened)
		} else if c.Initial && l.State.Len() > 0 {
			from = sc.band(m, l, c, y)
		}
		to := v.Edge(c.EndHead)
		switch {
		case c.Code != 0:
			to = max(from, v.X(max(l.Resume, c.StartRev))) + sc.px(22)
		case !c.Over():
			at := max(min(sc.head(), sc.State.Cache(c.Replica)), c.StartRev)
			to = v.X(at) + min(v.PerRev*0.42, sc.px(24))
			if held := v.X(sc.head()) + min(v.PerRev*0.42, sc.px(24)); held > to {
				sc.dots(m, to+sc.px(6), y, held)
			}
		case i+1 < len(all):
			sc.dots(m, to, y, v.Edge(all[i+1].Opened))
		case sc.cut(c):
			sc.dots(m, to, y, v.Edge(sc.head()))
		}
		sc.line(m, from, y, max(to, from+sc.px(10)), c.Opened)
		if i == 0 && (!c.Initial || l.State.Len() == 0) {
			m.s(`<circle class="st-start`, sc.laterClass(c.Opened),
				`" stroke-width="`).n(0.2 * r).s(`" cx="`).n(from).s(`" cy="`).n(y).s(`" r="`).n(0.56 * r).s(`"/>`)
		}
		if i+1 < len(all) {
			sc.cutMark(m, to, y, r, c.EndHead)
		}
	}
}

// cut reports whether a connection was ended by somebody other than its client, and before its time.
func (sc *Scene) cut(c *timeline.Conn) bool {
	if c.Ending == timeline.Broken {
		return true
	}
	return c.Ending == timeline.Served && !c.TimedOut()
}

func (sc *Scene) laterClass(rev int64) string {
	if sc.At > 0 && rev > sc.At {
		return " is-later"
	}
	return ""
}

// line draws an open connection; what lies after the playhead, or was not open
// at it, is faint.
func (sc *Scene) line(m *markup, a, y, b float64, opened int64) {
	switch {
	case sc.bars(): // counts stand on it
		sc.stroke(m, "st-line is-past", 1, a, y, b)
		return
	case sc.At == 0:
		sc.stroke(m, "st-line", 2, a, y, b)
		return
	}
	x := sc.View.Edge(sc.At)
	if opened > sc.At {
		x = a
	}
	sc.stroke(m, "st-line", 2, a, y, min(b, x))
	sc.stroke(m, "st-line is-later", 2, max(a, x), y, b)
}

func (sc *Scene) dots(m *markup, a, y, b float64) { sc.stroke(m, "st-dots", 1.6, a, y, b) }

// band frames the initial state and returns where the changes begin.
func (sc *Scene) band(m *markup, l *timeline.Lane, c *timeline.Conn, y float64) float64 {
	v := sc.View
	half := min(v.PerRev*0.42, sc.px(18))
	a := v.X(l.State.First()) - half
	b := max(v.X(max(c.StartRev, l.State.Last())), v.X(c.Opened)) + half
	if a0, b0 := max(a, -30), min(b, v.Width+30); b0 > a0 {
		m.s(`<rect class="st-band" x="`).n(a0).s(`" y="`).n(y - 17*sc.U).
			s(`" width="`).n(b0 - a0).s(`" height="`).n(34 * sc.U).s(`" rx="`).n(4 * sc.U).s(`"/>`)
		sc.stroke(m, "st-line is-past", 1.4, a0, y, b0)
	}
	return b
}

// events draws the marks.
func (sc *Scene) events(m *markup, l *timeline.Lane, e edge, y, r float64) {
	v := sc.View
	lo, hi := v.Range()
	hi = min(hi, sc.head())
	var marks shapes
	for i := l.State.Index(lo); i < l.State.Len(); i++ {
		k := l.State.At(i)
		if k.Rev > hi {
			break
		}
		marks.add(initial, k.Kind, v.X(k.Rev), y, r, false)
	}
	var hollow, full markup
	for i := l.Marks.Index(lo - 1); i < l.Marks.Len(); i++ {
		k := l.Marks.At(i)
		if k.Rev > hi {
			break
		}
		switch k.Kind {
		case timeline.Bookmark:
			if !l.Marks.NextIs(i, timeline.Bookmark) { // of several in a row the newest counts
				ribbon(&hollow, v.X(k.Rev)+min(v.PerRev*0.5, sc.px(14)), y, r)
			}
		case timeline.InitialEnd:
			ribbon(&full, v.Edge(k.Rev)-sc.px(4), y, r)
		case timeline.Error:
		default:
			marks.add(sc.stateOf(e, k.Rev, k.Delivered), k.Kind, v.X(k.Rev), y, r, sc.isFresh(k.Rev))
		}
	}
	marks.write(m, 2)
	for i, p := range [...]*markup{&hollow, &full} {
		if len(p.b) > 0 {
			m.s(`<path class="st-ribbon`, [...]string{"", " is-full"}[i], `" stroke-width="`).n(0.2*r).s(`" d="`, p.String(),
				`"/>`)
		}
	}
}

// resume returns the version that the client may continue from, as of now or of the
// playhead.
func (sc *Scene) resume(l *timeline.Lane) int64 {
	if sc.At == 0 {
		return l.Resume
	}
	return l.ResumeAt(sc.At)
}

func (sc *Scene) cutMark(m *markup, x, y, r float64, at int64) {
	m.s(`<g class="st-cut`, sc.laterClass(at+1), `" stroke-width="`).n(0.26 * r).
		s(`"><rect x="`).n(x - 0.42*r).s(`" y="`).n(y - 0.5*r).
		s(`" width="`).n(0.84 * r).s(`" height="`).n(r).s(`"/><path d="`)
	strokes(m, x, y, r)
	m.s(`"/></g>`)
}

// lanesEnd draws how the newest connection stands: an arrow while it is open, a flat cap when its client closed it or
// its time was over, two strokes when it was cut, a stop sign with the code of an error.
func (sc *Scene) lanesEnd(m *markup, l *timeline.Lane, y, sign float64) {
	v, r := sc.View, min(sc.radius(sc.laneMark(), 0.28), sign)
	c := &l.Conn
	class := sc.laterClass(c.EndHead + 1)
	if !c.Over() {
		at := max(min(sc.head(), sc.State.Cache(c.Replica)), c.StartRev)
		if sc.At > 0 {
			class = " is-later"
		}
		m.s(`<path class="st-arrow`, class, `" stroke-width="`).n(0.22 * r).s(`" d="`)
		arrow(m, v.X(at)+min(v.PerRev*0.42, sc.px(24))+sc.px(2), y, r)
		m.s(`"/>`)
		return
	}
	switch {
	case c.Code != 0:
		x := v.X(max(l.Resume, c.StartRev)) + sc.px(24) + sign
		if x < 2.2*sign {
			x = 2.2 * sign
		}
		m.s(`<g class="st-stop"><path d="`)
		stop(m, x, y, sign)
		m.s(`"/><text font-size="`).n(1.5*sign).s(`" x="`).n(x).s(`" y="`).n(y+0.52*sign).s(`">`, strconv.Itoa(c.Code),
			`</text></g>`)
	case sc.cut(c):
		sc.cutMark(m, v.Edge(c.EndHead), y, r, c.EndHead)
	default:
		x := max(v.Edge(c.EndHead), v.X(c.StartRev)+sc.px(10))
		m.s(`<path class="st-cap`, class, `" stroke-width="`).n(0.34 * r).s(`" d="M`).n(x).s(" ").n(y - r).s("V").n(y +
			r).s(`"/>`)
	}
}

// chosenOnLane draws the thread of the chosen revision through the row: to the event that the client got, or past the
// line with the reason why it got none.
func (sc *Scene) chosenOnLane(m *markup, l *timeline.Lane, y, r, height float64) {
	rev := sc.Chosen.Rev
	if rev == 0 || sc.Chosen.Last > rev {
		return
	}
	x := sc.View.X(rev)
	if x < 0 || x > sc.View.Width {
		return
	}
	k, told := l.Delivered(rev)
	last := height
	if sc.LastLane(l) {
		last = y
	}
	if told {
		sc.thread(m, 0, 0, last)
		if !sc.bars() {
			sc.ring(m, k.Kind, x, y, r)
		}
		if after := sc.Delay(l, k); after != "" && height > 40*sc.U {
			m.halo("accent strong end", 12.5*sc.U, x-1.7*r, height-7*sc.U, after)
		}
		return
	}
	why := sc.Why(l, rev)
	crosses := rev >= l.StartRev && !l.Over()
	detour := 0.0
	if crosses {
		detour = y
	}
	if sc.LastLane(l) {
		last = y + sc.px(18)
	}
	sc.thread(m, 0, detour, last)
	if why != "" && height > 40*sc.U {
		m.halo("soft end", 12.5*sc.U, x-12*sc.U, height-7*sc.U, why)
	}
}

// LastLane reports whether a lane is the last one of the stage: threads end there.
func (sc *Scene) LastLane(l *timeline.Lane) bool {
	return len(sc.Lanes.List) > 0 && sc.Lanes.List[len(sc.Lanes.List)-1] == l
}

// Delay returns how long after its request an event arrived: "+4 ms". Empty where
// the time of the request is not known.
func (sc *Scene) Delay(l *timeline.Lane, k timeline.Mark) string {
	if l.Replayed(k.Rev) {
		return "replayed"
	}
	began, ok := sc.Began(k.Rev)
	if !ok || k.At < began {
		return ""
	}
	d := time.Duration(k.At-began) * time.Millisecond
	if d < time.Second {
		return "+" + strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return "+" + strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// Why returns why a client got no event of a revision, in a few words.
func (sc *Scene) Why(l *timeline.Lane, rev int64) string {
	k, known := sc.Commits.Find(rev)
	if !known {
		return ""
	}
	o := sc.Objects.Get(k.Obj)
	t := l.Target
	switch {
	case o.Resource != t.Resource || o.Group != t.Group:
		return "other type"
	case t.Namespace != "" && t.Namespace != o.Namespace:
		return "other namespace"
	case t.Name != "" && t.Name != o.Name:
		return "other object"
	case l.Code != 0:
		return "got " + strconv.Itoa(l.Code)
	case rev <= l.First().StartRev:
		if l.First().Initial {
			return "in its list or before" // the initial state holds the newest version only
		}
		return "before it began"
	case l.Over() && rev > l.EndHead:
		if sc.cut(&l.Conn) {
			return "cut off"
		}
		return "closed"
	case !l.Over() && rev > sc.State.Cache(l.Replica):
		return "not yet cached"
	case t.Selectors() != "":
		return "not selected"
	}
	return "not told"
}
