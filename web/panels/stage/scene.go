package stage

import (
	"math"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
)

// A Scene is what a frame is drawn from: where the camera is and what there is
// to see. All rows of a frame are drawn from one Scene.
type Scene struct {
	*timeline.Model
	View View
	U    float64 // pixels of a unit
	// At is the revision that is travelled to; 0: live. What is later is outlined.
	At int64
	// Until is where the picture is paused: nothing newer is drawn; 0: it is not.
	Until  int64
	Chosen Chosen
	// Chain is the writes of programs that led to what is chosen, one after another, and those that came after it.
	Chain []int64
	// Held are the programs that are paused, with the head at which they were.
	Held map[string]int64
	// Kind returns the kind of an object; nil: its resource is named instead.
	Kind func(timeline.Object) string
	// Since is the first revision that is new: it and later ones appear with a motion. 0: none.
	Since int64
	// WallPreview is where the wall would be after a compaction that is being chosen; 0: none.
	WallPreview int64
	// EdgePreview is the same for the lanes' edges, if caches were made to forget.
	EdgePreview int64
	// Spoken is the request of the chosen lane, which says what its edge is; 0: none.
	Spoken int
	// Forked is the revision of another cluster as which this one began, Branch the newest one of that; 0: it did not.
	Forked, Branch int64
	// Narrow is for phones: no words but the necessary ones.
	Narrow bool
	// Large is for the presenter: lanes fill the screen, and their marks grow.
	Large bool
	// Folds of the model that the user has opened are not in the View.
	Retained int64 // the oldest revision on the axis
	// Notes are what clients say beside their lanes, by the request of the watch.
	Notes map[int]app.LaneNote
}

// Chosen is the selection, as far as the stage shows it.
type Chosen struct {
	Rev  int64  // 0: none
	Last int64  // of a range
	Chip string // the request that made it, in few words
	Soft bool   // only pointed at
}

// Sizes of the rows, in units.
const (
	RulerUnits  = 148.0
	LaneUnits   = 56.0
	LowUnits    = 48.0
	DenseUnits  = 22.0
	PhoneUnits  = 64.0
	ServerUnits = 60.0
	PageUnits   = 146.0
	addUnits    = 47.0 // of the form that adds a watch
	pageAxis    = 38.0 // the upper part of a page row, which is on the axis of revisions
)

// MostGrowth is how many times as high the presenter makes rows of servers and lists where there is room.
const MostGrowth = 2.0

// grown returns the Scene of a row that is higher than usual: what is in it is larger, too, but not by as much.
func (sc *Scene) grown(height, units float64) *Scene {
	large := *sc
	large.U *= min(max(1, height/sc.px(units)), 1.5)
	return &large
}

func (sc *Scene) px(n float64) float64 { return n * sc.U }

// radius is the half width of a mark.
func (sc *Scene) radius(units, share float64) float64 {
	return math.Min(sc.px(units), math.Max(sc.View.PerRev*share, sc.px(2)))
}

// laneMark is the most that half the width of a lane's mark takes, in units.
func (sc *Scene) laneMark() float64 {
	if sc.Large {
		return 14
	}
	return 10
}

// head returns the newest revision that is drawn.
func (sc *Scene) head() int64 {
	if sc.Until > 0 {
		return sc.Until
	}
	return sc.Head()
}

// now returns the revision that everything is shown as of.
func (sc *Scene) now() int64 {
	if sc.At > 0 {
		return sc.At
	}
	return sc.head()
}

// bars reports whether slots are so narrow that marks become counts.
func (sc *Scene) bars() bool { return sc.View.PerRev < Countable*sc.U*0.999 }

// wall returns where the compacted part of the axis ends, which is drawn as a wall; false if nothing is compacted.
func (sc *Scene) wall() (float64, bool) {
	if sc.State.Compacted <= 1 {
		return 0, false
	}
	return sc.View.Edge(sc.State.Compacted - 1), true
}

// etcdEdge returns etcd's wall as the edge of a row.
func (sc *Scene) etcdEdge() edge { return sc.edgeOf(sc.State.Compacted, true) }

// headX returns where the flag of a revision stands: at the end of its slot.
func (sc *Scene) headX(rev int64) float64 {
	return sc.View.X(rev) + math.Min(sc.View.PerRev*0.5, sc.px(30))
}

// A markState says how a mark is drawn.
type markState uint8

// The states of marks.
const (
	plain       markState = iota
	past                  // behind the wall
	later                 // after the playhead
	undelivered           // written, and at the playhead not delivered yet
	initial               // of an initial state
	markStates
)

var stateClass = [...]string{"", " is-past", " is-later", " is-untold", " is-initial"}

// stateOf returns the state of the mark of a revision in a row with an edge. delivered is the head when the client got
// it, 0 for commits.
func (sc *Scene) stateOf(e edge, rev, delivered int64) markState {
	switch {
	case sc.At > 0 && rev > sc.At:
		return later
	case sc.At > 0 && delivered > sc.At:
		return undelivered
	case rev < e.start:
		return past
	}
	return plain
}

// kindsDrawn is how many kinds of events have separate paths.
const kindsDrawn = 3

// shapes gathers marks: those of one kind and markState are one path.
type shapes struct {
	paths [markStates][kindsDrawn]markup
	fresh [kindsDrawn]markup
}

// add draws the mark of a kind on the line at y.
func (s *shapes) add(m markState, kind timeline.Kind, x, y, r float64, fresh bool) {
	to := &s.paths[m][kind]
	if fresh {
		to = &s.fresh[kind]
	}
	glyph(to, kind, x, y, r)
}

// write writes the paths; order is the marks' place in the chain of their motion.
func (s *shapes) write(m *markup, order int) {
	for md := range s.paths {
		for k := range s.paths[md] {
			if p := &s.paths[md][k]; len(p.b) > 0 {
				m.s(`<path class="st-mark `, timeline.Kind(k).Class(), stateClass[md], `" d="`)
				m.b = append(m.b, p.b...)
				m.s(`"/>`)
			}
		}
	}
	for k := range s.fresh {
		if p := &s.fresh[k]; len(p.b) > 0 {
			m.s(`<path class="st-mark st-new st-new`).i(int64(order)).s(" ", timeline.Kind(k).Class(), `" d="`)
			m.b = append(m.b, p.b...)
			m.s(`"/>`)
		}
	}
}

// isFresh reports whether a revision is still appearing.
func (sc *Scene) isFresh(rev int64) bool { return sc.Since > 0 && rev >= sc.Since && sc.At == 0 }

// back draws what lies behind a row: the hatching of what is gone, the slots' lines, the
// column of what is chosen.
func (sc *Scene) back(m *markup, e edge, top, bottom float64) {
	v := sc.View
	sc.hatch(m, e, top, bottom)
	if !sc.bars() {
		m.s(`<path class="st-grid" d="`)
		lo, hi := v.Range()
		for r := max(lo, 1); r <= hi; r++ {
			if f, in := v.Folded(r); in {
				r = f.Hi
				continue
			}
			m.s("M").n(v.X(r)).s(" ").n(top).s("V").n(bottom)
		}
		m.s(`"/>`)
	}
	if lo, hi, ok := sc.column(); ok {
		m.s(`<path class="st-column" d="M`).n(lo).s(" ").n(top).s("H").n(hi).s("V").n(bottom).s("H").n(lo).s(`z"/>`)
	}
	if sc.Since > 0 && sc.At == 0 {
		a, b := v.Edge(sc.Since-1), v.Edge(sc.head())
		m.s(`<path class="st-newcolumn" d="M`).n(a).s(" ").n(top).s("H").n(b).s("V").n(bottom).s("H").n(a).s(`z"/>`)
	}
}

// column returns the stretch of what is chosen.
func (sc *Scene) column() (lo, hi float64, ok bool) {
	c := sc.Chosen
	if c.Rev == 0 {
		return 0, 0, false
	}
	lo, hi = sc.View.Edge(c.Rev-1), sc.View.Edge(max(c.Rev, c.Last))
	if least := sc.px(22); hi-lo < least && c.Last <= c.Rev {
		lo, hi = (lo+hi-least)/2, (lo+hi+least)/2
	}
	return max(lo, -5), min(hi, sc.View.Width+5), hi > 0 && lo < sc.View.Width
}

// playLine draws where the playhead is in a row.
func (sc *Scene) playLine(m *markup, top, bottom float64) {
	if sc.At > 0 {
		x := sc.View.Edge(sc.At)
		m.s(`<path class="st-playline" stroke-width="`).n(sc.px(2)).s(`" d="M`).n(x).s(" ").n(top).s("V").n(bottom).s(`"/>`)
	}
}

// takeLines keeps words away from the thread and the playhead.
func (sc *Scene) takeLines(r *room, top, bottom float64) {
	if x := sc.View.X(sc.Chosen.Rev); sc.Chosen.Rev > 0 && sc.Chosen.Last <= sc.Chosen.Rev {
		r.take(box{x - sc.U, top, x + sc.U, bottom})
	}
	if x := sc.View.Edge(sc.At); sc.At > 0 {
		r.take(box{x - sc.U, top, x + sc.U, bottom})
	}
}

// halo returns text with an edge of the stage's colour, so that lines do not run into it.
func (m *markup) halo(class string, size, x, y float64, text string) *markup {
	return m.s(`<text class="st-text `, class,
		`" font-size="`).n(size).s(`" x="`).n(x).s(`" y="`).n(y).s(`">`).e(text).s(`</text>`)
}

// thread draws the thread of what is chosen through a row, as far as bottom;
// detour is where it goes round a line that it does not concern, 0 for nowhere.
func (sc *Scene) thread(m *markup, top, detour, bottom float64) {
	if sc.Chosen.Rev == 0 || sc.Chosen.Last > sc.Chosen.Rev {
		return
	}
	x, r := sc.View.X(sc.Chosen.Rev), sc.px(8)
	if x < 0 || x > sc.View.Width {
		return
	}
	m.s(`<path class="st-thread`)
	if sc.Chosen.Soft {
		m.s(" is-soft")
	}
	m.s(`" stroke-width="`).n(sc.px(1.8)).s(`" d="M`).n(x).s(" ").n(top)
	if detour > 0 {
		m.s("V").n(detour - r).s("a").n(r).s(" ").n(r).s(" 0 0 1 0 ").n(2 * r)
	}
	m.s("V").n(bottom).s(`"/>`)
}

// ring marks the chosen one of several marks.
func (sc *Scene) ring(m *markup, kind timeline.Kind, x, y, r float64) {
	m.s(`<circle class="st-ring" stroke-width="`).n(sc.px(2)).s(`" cx="`).n(x).s(`" cy="`).n(y +
		center(kind)*r).s(`" r="`).n(1.35 * r).s(`"/>`)
}
