package stage

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// An edge is where the part of a row begins that can still be had. Before it the row is hatched.
type edge struct {
	start int64   // the first revision after it; 0 or 1: all there ever was
	x     float64 // where it lies
	// full: a bar of the row's whole height, in line with etcd's wall.
	full bool
}

// edgeOf returns the edge of a row at a revision.
func (sc *Scene) edgeOf(start int64, full bool) edge {
	return edge{start, sc.View.Edge(start - 1), full}
}

// seen reports whether an edge lies in the plot.
func (sc *Scene) seen(e edge) bool { return e.start > 1 && e.x >= 0 && e.x <= sc.View.Width }

// laneEdge returns the edge of a lane and what it is that begins there.
func (sc *Scene) laneEdge(l *timeline.Lane) (edge, revisions.Window) {
	w, _ := sc.Edge(l)
	e := sc.edgeOf(w.Start(), !w.Buffered())
	if w.Whole() {
		e.start = 0
	}
	return e, w
}

// hatch draws what is gone of a row.
func (sc *Scene) hatch(m *markup, e edge, top, bottom float64) {
	if e.start > 1 && e.x > 0 {
		m.s(`<path class="st-gone" fill="url(#st-hatch)" d="M0 `).n(top).s("H").n(min(e.x,
			sc.View.Width)).s("V").n(bottom).s(`H0z"/>`)
	}
}

// bar draws the edge itself, beside the signs that lie on it, and where it would be after what is being chosen.
func (sc *Scene) bar(m *markup, r *room, e edge, top, bottom float64) {
	if sc.seen(e) {
		if sc.bars() && bottom-top < 40*sc.U { // counts do not run into it
			m.s(`<path class="st-clear" d="M`).n(e.x - sc.px(4)).s(" ").n(top).s("h").n(sc.px(8)).s("V").n(bottom).
				s("h").n(-sc.px(8)).s(`z"/>`)
		} else if !e.full {
			top, bottom = top+sc.px(5), bottom-sc.px(3)
		}
		m.s(`<path class="st-wall" stroke-width="`).n(sc.px(4)).s(`" d="`)
		for _, part := range r.gaps(box{e.x - sc.px(2), top, e.x + sc.px(2), bottom}) {
			m.s("M").n(e.x).s(" ").n(part.top).s("V").n(part.bottom)
			r.take(part)
		}
		m.s(`"/>`)
	}
	preview := sc.EdgePreview
	if e.full {
		preview = sc.WallPreview
	}
	if preview > e.start {
		m.s(`<path class="st-ghostwall" stroke-width="`).n(sc.px(4)).s(`" d="M`).n(sc.View.Edge(preview - 1)).s(" ").n(top).
			s("V").n(bottom).s(`"/>`)
	}
}

// foot draws what moved the edge of a lane, and says it where there is room: beside the edge, in the strip below the
// line.
func (sc *Scene) foot(row *laneRow) {
	l, e, w, u := row.Lane, row.edge, row.window, sc.U
	if !sc.Windows.Known() || !sc.seen(e) || row.height < 40*u {
		return
	}
	r, y, off := 5*u, row.height-7*u, 9*u
	if sc.houseX(l, sc.resume(l)) == e.x { // it stands on the edge
		off += 7 * u
	}
	switch at := e.x + off - 7*u; {
	case push(w):
		if row.room.claim(box{at, y - r, at + 1.9*r, y + r}) {
			row.signs.s(`<path class="st-push-out" d="M`).n(at).s(" ").n(y - r).s("l").n(1.9 * r).s(" ").n(r).
				s("l").n(-1.9 * r).s(" ").n(r).s(`z"/>`)
			off += 9 * u
		}
	case ring(w):
		for _, x := range [...]float64{at + 8*u, 2*e.x - at - 8*u} {
			if row.room.claim(box{x - 7*u, y - 8.5*u, x + 7*u, y + 6.5*u}) {
				row.signs.s(`<path class="st-again" stroke-width="`).n(0.36 * r).s(`" d="`)
				ringArrow(&row.signs, x, y, r)
				row.signs.s(`"/>`)
				off += 9 * u
				break
			}
		}
	}
	if sc.Narrow || !sc.speaks(l) {
		return
	}
	text, note := sc.edgeWords(l, w)
	right := words{"strong", 12.5 * u, e.x + off, row.height - 4*u, text + " " + note}
	left := right
	left.class, left.x = "strong end", e.x-off
	if row.sayNoted(text, note, right, left) {
		return
	}
	right.text, left.text = text, text
	row.sayNoted(text, "", right, left)
}

// sayNoted writes words, strong, and a note to them at the first place that is free.
func (row *laneRow) sayNoted(text, note string, places ...words) bool {
	for _, w := range places {
		if b := w.box(); b.left < 0 || b.right > row.room.width || !row.room.claim(b) {
			continue
		}
		row.signs.s(`<text class="st-text `, strings.TrimPrefix(w.class, "strong"), `" font-size="`).n(w.size).
			s(`" x="`).n(w.x).s(`" y="`).n(w.y).s(`"><tspan class="strong">`).e(text).s(`</tspan>`)
		if note != "" {
			row.signs.s(` <tspan class="soft">`).e(note).s(`</tspan>`)
		}
		row.signs.s(`</text>`)
		return true
	}
	return false
}

// houseX returns where the house of a version is drawn: on the lane's edge if it is the oldest version from which a
// watch can be resumed.
func (sc *Scene) houseX(l *timeline.Lane, rev int64) float64 {
	if e, _ := sc.laneEdge(l); e.start > 1 && rev == e.start-1 && !e.full {
		return e.x
	}
	return sc.View.X(rev)
}

// speaks reports whether a lane says what its edge is: the first one of those that share it, and the chosen one.
func (sc *Scene) speaks(l *timeline.Lane) bool {
	if sc.Spoken == l.Req {
		return true
	}
	for _, o := range sc.Lanes.List {
		if o == l {
			return true
		}
		if o.Replica == l.Replica && o.Target.Resource == l.Target.Resource && o.Target.Group == l.Target.Group {
			return false
		}
	}
	return true
}

// push reports whether events move an edge, and ring whether a cache that was filled by a new list does.
func push(w revisions.Window) bool { return w.Why == horizon.Busy }

func ring(w revisions.Window) bool {
	return w.Why == horizon.Restarted || w.Why == horizon.Relisted || w.Why == horizon.Defined
}

// ringArrow draws a ring with an arrow head.
func ringArrow(m *markup, x, y, r float64) {
	m.s("M").n(x + 0.75*r).s(" ").n(y - 0.8*r).s("A").n(1.1 * r).s(" ").n(1.1 * r).s(" 0 1 0 ").n(x + 1.1*r).s(" ").n(y).
		s("M").n(x + 1.05*r).s(" ").n(y - 1.6*r).s("v").n(r).s("h").n(-r)
}

// edgeWords says where a lane's edge is, and what moved it.
func (sc *Scene) edgeWords(l *timeline.Lane, w revisions.Window) (words, note string) {
	words = "starts at " + itoa(w.Start())
	if w.Why == horizon.Started && !w.Whole() {
		words += ", with " + sc.serverName(l.Replica)
	}
	return words, sc.why(w, l.Replica)
}

// why says how full a buffer is, and what moved its edge.
func (sc *Scene) why(w revisions.Window, server int) string {
	if !w.Buffered() {
		return "no buffer: ends at etcd’s wall"
	}
	s := itoa(int64(w.Held)) + " of " + itoa(int64(w.Capacity))
	if cause := sc.cause(w, server); cause != "" {
		s += ": " + cause
	}
	return s
}

// cause says what moved an edge; nothing if it is where the server began.
func (sc *Scene) cause(w revisions.Window, server int) string {
	if w.Why == horizon.Busy && w.Full() && w.Capacity >= sc.Windows.Capacity.Most {
		return "each event pushes one out"
	}
	return w.Why.Moved(sc.serverName(server))
}

// serverName returns what a sentence calls an API server.
func (sc *Scene) serverName(server int) string {
	if len(sc.State.Caches) < 2 {
		return "the server"
	}
	return sc.State.CacheName(server)
}

// bufferWords describes what a lane's server remembers, for its row's sentence; empty if that is not known.
func (sc *Scene) bufferWords(l *timeline.Lane) string {
	w, known := sc.Edge(l)
	if !known {
		return ""
	}
	start, note := sc.edgeWords(l, w)
	note = strings.Replace(note, ": ", ", ", 1)
	switch {
	case !w.Buffered() && w.Whole():
		return "no buffer, etcd has all"
	case !w.Buffered():
		return "no buffer, " + start + ", etcd’s wall"
	case w.Whole():
		return "buffer has all, " + note
	}
	return "buffer " + start + ", " + note
}

// A lanePart is a part of a lane that the keyboard goes to: from left to right, the events last.
type lanePart int

// The parts of a lane.
const (
	onEvents lanePart = iota
	onHead
	onTank
	onEdge
)

var partNames = [...]string{"", "head", "tank", "edge"}

// besidePart returns the part of a lane beside another one, before it for delta < 0, and what is to be said of it. A
// lane may have no tank, and no edge in what is retained.
func (sc *Scene) besidePart(l *timeline.Lane, at lanePart, delta int64) (lanePart, string) {
	e, w := sc.laneEdge(l)
	for {
		if delta < 0 {
			at--
		} else if at++; at > onEdge {
			return onEvents, ""
		}
		start, note := sc.edgeWords(l, w)
		switch _, known := sc.Edge(l); {
		case at == onHead:
			return at, sc.LaneView(l, false).Words
		case at == onTank && known && w.Buffered():
			return at, l.ID() + ", its buffer: " + note
		case at == onEdge && e.start > 1:
			return at, l.ID() + ", its edge: " + start + ", " + note
		case at <= onEvents:
			return onEvents, ""
		}
	}
}

// mostSplits is at how many edges a fold is split.
const mostSplits = 3

// Split splits a fold at the lanes' edges within it, so that none is inside a box: the newest few.
func (sc *Scene) Split(f Fold) []Fold {
	var at []int64
	for _, l := range sc.Lanes.List {
		if e, _ := sc.laneEdge(l); e.start > f.Lo && e.start <= f.Hi {
			at = append(at, e.start)
		}
	}
	return split(f, at)
}
