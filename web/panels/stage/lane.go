package stage

import (
	"strconv"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// A laneRow is the drawing of one client's watch. Lines lie below its signs; room is what the signs cover.
type laneRow struct {
	*timeline.Lane
	height float64
	y      float64 // the line
	strip  float64 // below it: house, and words
	above  float64 // what is kept free above the line
	r      float64 // half the width of a mark
	sign   float64 // of the stop sign
	dense  bool
	edge   edge
	window revisions.Window

	lines, signs markup
	room         room
	end          float64 // nothing is drawn to its right; 0: not over by an error
}

func (sc *Scene) row(l *timeline.Lane, height float64) *laneRow {
	u := sc.U
	row := &laneRow{Lane: l, height: height, y: height/2 - 5*u, strip: height - 13*u, dense: height < 30*u}
	row.r = min(sc.radius(sc.laneMark(), 0.28), height*0.19)
	row.sign = min(0.92*sc.laneMark()*u, height*0.3)
	switch {
	case row.dense:
		row.y, row.strip = height/2, height
	case sc.Narrow: // name and buttons are above the line
		row.y, row.r, row.above = height/2+7.5*u, min(row.r, 7*u), 26*u
	}
	row.room.width = sc.View.Width
	row.edge, row.window = sc.laneEdge(l)
	return row
}

// Lane draws one client's watch in a row of that height: the events that it got.
func (sc *Scene) Lane(l *timeline.Lane, height float64) string {
	row := sc.row(l, height)
	m := &row.lines
	sc.back(m, row.edge, 0, height)
	sc.playLine(m, 0, height)
	from := sc.begin(row)
	if sc.bars() {
		sc.counts(&row.signs, row.edge, &l.Marks, row.y, min(height*0.42, sc.px(20)), sc.tallest())
	} else {
		sc.events(row)
	}
	sc.connections(row, from)
	sc.house(row)
	sc.bar(&row.signs, &row.room, row.edge, row.above, height)
	if at := sc.View.Edge(sc.At); sc.At > 0 {
		row.room.take(box{at - sc.U, 0, at + sc.U, height})
	}
	sc.chosenOnLane(row)
	sc.foot(row)
	if l.Binary {
		row.signs.say(&row.room, words{"soft", 12.5 * sc.U, from + 8*sc.U, row.y - 8*sc.U, "events in bytes: not drawn"})
	}
	if last := max(l.Marks.Last(), l.StartRev, l.EndHead); l.Over() && sc.View.Edge(last) < 0 {
		away := words{"soft", 12.5 * sc.U, 6 * sc.U, row.y + 4.5*sc.U, "◂ " + itoa(max(l.Marks.Last(), l.StartRev))}
		beside := away
		beside.x = row.edge.x + 6*sc.U
		row.signs.say(&row.room, away, beside)
	}
	m.b = append(m.b, row.signs.b...)
	return m.String()
}

// begin draws where the client began, and where it was cut: a ring, or the band of the initial state. It returns where
// the line begins.
func (sc *Scene) begin(row *laneRow) float64 {
	v, r, first := sc.View, row.r, row.First()
	from := v.X(first.StartRev)
	if f, in := v.Folded(first.StartRev); in { // what it got is in the middle of the fold
		from = v.Edge(f.Lo-1) + 0.3*v.PerRev
	}
	if first.Initial && row.State.Len() > 0 {
		from = sc.band(row, first)
	} else {
		row.room.take(around(from, row.y, 0.66*r, 0.66*r))
		row.signs.s(`<circle class="st-start`, sc.laterClass(first.Opened),
			`" stroke-width="`).n(0.2 * r).s(`" cx="`).n(from).s(`" cy="`).n(row.y).s(`" r="`).n(0.56 * r).s(`"/>`)
	}
	for i := range row.Past {
		at := row.Past[i].EndHead
		if x := v.Edge(at); row.room.claim(cutBox(x, row.y, r)) { // one for all cuts at one place
			cutMark(&row.signs, sc.laterClass(at+1), x, row.y, r)
		}
	}
	return from
}

// connections draws the lines: solid where a connection was open, dotted between connections; and the end of the newest
// one: an arrow while it is open, a flat cap if its client closed it or its time was over, two strokes if it was cut,
// or a stop sign with the code of an error, behind which nothing is drawn.
func (sc *Scene) connections(row *laneRow, from float64) {
	v := sc.View
	for i := range row.Past {
		c, to := &row.Past[i], v.Edge(row.Past[i].EndHead)
		sc.line(row, from, max(to, from+sc.px(10)), c.Opened)
		from = v.Edge(row.Conn.Opened)
		if i+1 < len(row.Past) {
			from = v.Edge(row.Past[i+1].Opened)
		} else if row.Code != 0 {
			from = to
		}
		sc.dots(row, to, from)
	}
	c, r, m := &row.Conn, row.r, &row.signs
	class := sc.laterClass(c.EndHead + 1)
	switch {
	case !c.Over():
		at := max(min(sc.head(), sc.State.Cache(c.Replica)), c.StartRev)
		if sc.At > 0 {
			class = " is-later"
		}
		beyond := min(v.PerRev*0.42, sc.px(24)) + sc.px(2)
		x := v.X(at) + beyond
		if n := len(row.Past); n > 0 { // behind the strokes of its last cut, with a piece of line between
			x = max(x, v.Edge(row.Past[n-1].EndHead)+2.6*r)
		}
		x += row.room.push(box{x - 0.65*r, row.y - 0.8*r, x + 0.5*r, row.y + 0.8*r})
		sc.line(row, from, x-sc.px(2), c.Opened)
		if held := v.X(sc.head()) + beyond; held > x {
			sc.dots(row, x+sc.px(4), held)
		}
		m.s(`<path class="st-arrow`, class, `" stroke-width="`).n(0.22 * r).s(`" d="`)
		arrow(m, x, row.y, r)
		m.s(`"/>`)
	case c.Code != 0:
		sc.stop(row, from, class)
	case sc.cut(c):
		x := v.Edge(c.EndHead)
		x += row.room.push(cutBox(x, row.y, r))
		sc.line(row, from, max(x, from+sc.px(10)), c.Opened)
		sc.dots(row, x, v.Edge(sc.head()))
		cutMark(m, class, x, row.y, r)
	default:
		x := max(v.Edge(c.EndHead), from+sc.px(10))
		x += row.room.push(around(x, row.y, 0.2*r, r))
		sc.line(row, from, x, c.Opened)
		m.s(`<path class="st-cap`, class, `" stroke-width="`).n(0.34 * r).s(`" d="M`).n(x).s(" ").n(row.y - r).
			s("V").n(row.y + r).s(`"/>`)
	}
}

// stop draws the sign of an error, behind the version from which the lane would be resumed.
func (sc *Scene) stop(row *laneRow, from float64, class string) {
	v, sign := sc.View, row.sign
	last := max(row.Resume, row.StartRev)
	if sc.bars() { // behind its last bar
		last = last/v.Bin(Countable*sc.U)*v.Bin(Countable*sc.U) + v.Bin(Countable*sc.U) - 1
	}
	x := max(v.X(last), from) + sc.px(24) + sign
	x = max(x, 2.2*sign) // never out of view to the left
	x += row.room.push(around(x, row.y, 2.1*sign, 1.3*sign))
	row.end = x - 2.1*sign
	if len(row.Past) > 0 {
		sc.dots(row, from, row.end)
	} else {
		sc.line(row, from, row.end, row.Opened)
	}
	m := &row.signs
	m.s(`<g class="st-stop`, class, `"><path d="`)
	stop(m, x, row.y, sign)
	m.s(`"/><text font-size="`).n(1.5*sign).s(`" x="`).n(x).s(`" y="`).n(row.y+0.52*sign).s(`">`, strconv.Itoa(row.Code),
		`</text></g>`)
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
func (sc *Scene) line(row *laneRow, a, b float64, opened int64) {
	m, y := &row.lines, row.y
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

func (sc *Scene) dots(row *laneRow, a, b float64) {
	sc.stroke(&row.lines, "st-dots", 1.6, a, row.y, b)
}

// house draws the version that the client may continue from, as of now or of the playhead.
func (sc *Scene) house(row *laneRow) {
	rev, u := sc.resume(row.Lane), sc.U
	if rev == 0 || row.dense {
		return
	}
	class := "st-house"
	if rev < row.window.Horizon && sc.At == 0 {
		class += " is-gone"
	}
	x := sc.houseX(row.Lane, rev)
	row.room.take(box{x - 7*u, row.height - 11.5*u, x + 7*u, row.height})
	row.signs.s(`<path class="`, class, `" stroke-width="`).n(1.5 * u).s(`" d="`)
	house(&row.signs, x, row.height-0.5, 7.5*u)
	row.signs.s(`"/>`)
}

// resume returns the version that the client may continue from, as of now or of the
// playhead.
func (sc *Scene) resume(l *timeline.Lane) int64 {
	if sc.At == 0 {
		return l.Resume
	}
	return l.ResumeAt(sc.At)
}

// chosenOnLane draws the thread of the chosen revision through the row: to the event that the client got, or past the
// line with the reason why it got none.
func (sc *Scene) chosenOnLane(row *laneRow) {
	l, rev, u, y := row.Lane, sc.Chosen.Rev, sc.U, row.y
	if rev == 0 || sc.Chosen.Last > rev {
		return
	}
	x := sc.View.X(rev)
	if x < 0 || x > sc.View.Width || row.end > 0 && x > row.end {
		return
	}
	k, told := l.Delivered(rev)
	late := told && sc.At > 0 && k.Delivered > sc.At
	last, detour, class, why := row.height, 0.0, "soft", ""
	if sc.LastLane(l) {
		last = y
	}
	if late {
		why = "received later"
	} else if told {
		if _, in := sc.View.Folded(rev); !in && !sc.bars() {
			sc.ring(&row.lines, k.Kind, x, y, row.r)
		}
		class, why = "accent strong", sc.Delay(l, k)
	} else {
		why = sc.Why(l, rev)
		if rev >= l.StartRev && !l.Over() {
			detour = y
		}
		if sc.LastLane(l) {
			last = y + sc.px(18)
		}
	}
	sc.thread(&row.lines, 0, detour, last)
	row.room.take(box{x - u, 0, x + u, last})
	if why != "" && row.height > 40*u {
		at := words{class + " end", 12.5 * u, x - 12*u, row.height - 4*u, why}
		other := at
		other.class, other.x = class, x+12*u
		row.signs.say(&row.room, at, other)
	}
}

// LastLane reports whether a lane is the last one of the stage: threads end there.
func (sc *Scene) LastLane(l *timeline.Lane) bool {
	return len(sc.Lanes.List) > 0 && sc.Lanes.List[len(sc.Lanes.List)-1] == l
}
