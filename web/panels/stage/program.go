package stage

import (
	"math"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
)

const (
	// ProgramUnits is the height of a program's row, and programLine how far down its line is. LowProgramUnits is how low
	// rows become, so that all of them are in sight.
	ProgramUnits, programLine, LowProgramUnits = 42.0, 16.0, 31.0
	// drawnLinks is how many links are drawn; of more only those of the chosen chain are.
	drawnLinks = 40
)

// A written is a row of what was written: by a program, by a part of one, or, without a program, by requests of this
// page.
type written struct {
	program *timeline.Program
	writer  *timeline.Writer // nil: all of the program
	open    bool             // its parts have rows
	away    []string         // those of its parts that have none: they wrote nothing on screen
}

// marks returns what was written.
func (w *written) marks(m *timeline.Model) *timeline.Series {
	switch {
	case w.writer != nil:
		return &w.writer.Marks
	case w.program != nil:
		return &w.program.Marks
	}
	return &m.Programs.Own
}

// id names the row.
func (w *written) id() string {
	switch {
	case w.writer != nil:
		return "by-" + w.program.Name + "-" + w.writer.Name
	case w.program != nil:
		return "by-" + w.program.Name
	}
	return "by-page"
}

// A link is drawn from the write of an event to a write that came after it; in pixels, from the top of the rows.
type link struct {
	x1, y1, x2, y2 float64
	chosen         bool
}

// links returns those that are drawn between rows, of which the first begins at top. What was written by none of them
// is where the rows begin.
func (sc *Scene) links(rows []shownRow, top float64) []link {
	if sc.bars() || len(sc.Programs.List) == 0 {
		return nil
	}
	first, lines := -1.0, map[any]float64{}
	for _, r := range rows {
		if w := r.written; w != nil {
			if first < 0 {
				first = top
			}
			y := top + sc.lineOf(r.units*sc.U)
			switch {
			case w.writer != nil:
				lines[w.writer] = y
			case w.program != nil:
				lines[w.program] = y
			default:
				lines[nil] = y
			}
		}
		top += r.units * sc.U
	}
	at := func(rev int64) float64 {
		l, ok := sc.Programs.Of(rev)
		if y, open := lines[l.Writer]; ok && l.Writer != nil && open {
			return y
		}
		if y, shown := lines[l.Program]; ok && shown {
			return y
		}
		if _, own := sc.Programs.Own.Find(rev); own {
			return lines[nil]
		}
		return first
	}
	shown := func(rev int64) bool {
		_, in := sc.View.Folded(rev)
		return !in && rev <= sc.now()
	}
	chosen := map[int64]bool{}
	for _, rev := range sc.Chain {
		chosen[rev] = true
	}
	lo, hi := sc.View.Range()
	var out []link
	many := 0
	for _, l := range sc.Programs.Between(lo, hi) {
		if l.After >= lo {
			many++
		}
	}
	for _, l := range sc.Programs.Between(lo, hi+farView) {
		on := chosen[l.Rev] && chosen[l.After]
		if l.After == 0 || l.After > hi || !shown(l.Rev) || !shown(l.After) || !on && (many > drawnLinks || l.After < lo) {
			continue
		}
		out = append(out, link{sc.View.X(l.After), at(l.After), sc.View.X(l.Rev), at(l.Rev), on})
	}
	return out
}

// farView is how many revisions behind what is in view a link is looked for that comes from there.
const farView = 200

// lineOf returns how far down the line of a program's row of that height is.
func (sc *Scene) lineOf(height float64) float64 {
	if sc.Narrow {
		return height - sc.px(ProgramUnits-programLine)
	}
	return height * programLine / ProgramUnits
}

// drawLinks draws the parts of links that are in a row from top to bottom.
func (sc *Scene) drawLinks(m *markup, links []link, top, height float64) {
	for _, chosen := range [...]bool{false, true} {
		var path markup
		for _, l := range links {
			d := math.Max(math.Abs(l.y2-l.y1)/2, sc.px(16))
			if l.y1 == l.y2 { // below the line
				d = math.Min(d, height*0.4)
			}
			if l.chosen != chosen || math.Max(l.y1, l.y2)+d < top || math.Min(l.y1, l.y2)-d > top+height {
				continue
			}
			down := d
			if l.y2 < l.y1 {
				down = -d
			}
			end := l.y2 - down
			if l.y1 == l.y2 {
				end = l.y2 + d
			}
			path.s("M").n(l.x1).s(" ").n(l.y1 - top).s("C").n(l.x1).s(" ").n(l.y1 + down - top).s(" ").n(l.x2).s(" ").
				n(end - top).s(" ").n(l.x2).s(" ").n(l.y2 - top)
		}
		if len(path.b) == 0 {
			continue
		}
		m.s(`<path class="st-link`)
		width := 1.0
		if chosen {
			m.s(" is-in")
			width = 2.2
		}
		m.s(`" stroke-width="`).n(width * sc.U).s(`" d="`)
		m.b = append(m.b, path.b...)
		m.s(`"/>`)
	}
}

// Written draws a row of what was written, which begins at top, with the links through it.
func (sc *Scene) Written(w *written, links []link, top, height float64) string {
	series := w.marks(sc.Model)
	y := sc.lineOf(height)
	row := &laneRow{Lane: &timeline.Lane{Marks: *series}, height: height, y: y, r: min(sc.radius(7.5, 0.28), height*0.19),
		edge: sc.etcdEdge()}
	row.room.width = sc.View.Width
	m := &row.lines
	sc.back(m, row.edge, 0, height)
	sc.playLine(m, 0, height)
	sc.thread(m, 0, 0, height)
	from := math.Max(sc.View.X(max(series.First(), 1)), -20)
	end := sc.headX(sc.now())
	switch {
	case w.open: // its parts' rows have them
	case sc.heldSince(w) > 0 && sc.At == 0:
		sc.line(row, from, sc.View.Edge(sc.heldSince(w)), 0)
	case series.Len() > 0:
		sc.line(row, from, end, 0)
	default:
		sc.stroke(m, "st-ahead", 1, 0, y, end)
	}
	sc.drawLinks(m, links, top, height)
	if w.open {
		sc.sayAway(row, w)
		return m.String()
	}
	sc.drawHeld(row, w)
	if sc.bars() {
		sc.counts(&row.signs, row.edge, series, y, min(height*0.36, sc.px(16)), sc.tallest())
	} else {
		sc.events(row)
		sc.sayChain(row)
	}
	m.b = append(m.b, row.signs.b...)
	return m.String()
}

// sayChain rings what a row has of the chosen chain, and says what it is.
func (sc *Scene) sayChain(row *laneRow) {
	for _, rev := range sc.Chain {
		k, ok := row.Marks.Find(rev)
		x := sc.View.X(rev)
		if _, in := sc.View.Folded(rev); !ok || in || x < 0 || x > sc.View.Width {
			continue
		}
		sc.ring(&row.signs, k.Kind, x, row.y, row.r)
		u := sc.U
		said := words{"accent strong end", 12.5 * u, x - 6*u, row.below(u), sc.Wrote(k)}
		other := said
		other.class, other.x = "accent strong", x+8*u
		row.signs.say(&row.room, said, other)
	}
}

// Wrote returns what a write of a chain is, in few words: "Pod bound", "Pod status", "ReplicaSet".
func (sc *Scene) Wrote(k timeline.Mark) string {
	s := sc.Objects.Get(k.Obj).Resource
	if sc.Kind != nil {
		s = sc.Kind(sc.Objects.Get(k.Obj))
	}
	l, _ := sc.Programs.Of(k.Rev)
	switch {
	case k.Kind == timeline.Deleted:
		return s + " deleted"
	case l.Subresource == "binding":
		return s + " bound"
	case l.Subresource != "":
		return s + " " + l.Subresource
	}
	return s
}

// ProgramView is a row of what was written, as its head shows it.
type ProgramView struct {
	Name   string // of the program, or of its part
	Of     string // the program that the row is a part of
	Parts  int    // that wrote something
	Open   bool   // they have rows
	Writes int
	Beats  int
	Held   bool // the program is paused
}

// ProgramView returns what the head of a row says.
func (sc *Scene) ProgramView(w *written) ProgramView {
	v := ProgramView{Name: "this page", Writes: w.marks(sc.Model).Total()}
	if w.program != nil {
		v.Name, v.Open, v.Parts, v.Beats = w.program.Name, w.open, len(w.program.Writers), w.program.Beats
	}
	v.Held = sc.heldSince(w) > 0
	if w.writer != nil {
		v.Name, v.Of, v.Parts, v.Beats = w.writer.Name, w.program.Name, 0, 0
	}
	return v
}

// Words returns the row as a sentence.
func (v ProgramView) Words() string {
	s := v.Name
	if v.Of != "" {
		s += " of " + v.Of
	}
	s += ", " + v.count()
	if v.Held {
		s += ", paused"
	}
	return s
}

// shown returns what the row is called: a second replica is below the first, and its whole name has no room.
func (v ProgramView) shown() string {
	if v.Of == "" && strings.HasSuffix(v.Name, timeline.Second) {
		return "replica 2"
	}
	return v.Name
}

func (v ProgramView) count() string {
	s := itoa(int64(v.Writes)) + plural(int64(v.Writes), " write", " writes")
	if v.Parts > 1 {
		s += " by " + itoa(int64(v.Parts)) + " clients"
	}
	return s
}

// hold takes which programs are paused now: of those that were not, since which head.
func (p *panel) hold(names []string) {
	held := map[string]int64{}
	for _, name := range names {
		since, was := p.scene.Held[name]
		if !was {
			since = p.model.Head()
		}
		held[name] = since
	}
	p.scene.Held = held
	p.lists.Do()
	p.book()
}

// heldSince returns the head at which the program of a row was paused; 0: it is not paused. What the program wrote came
// before: the page may learn of it later than of the pause.
func (sc *Scene) heldSince(w *written) int64 {
	if w.program == nil || sc.Held[w.program.Name] == 0 {
		return 0
	}
	return max(sc.Held[w.program.Name], w.program.Marks.Last())
}

// drawHeld hatches a row from where its program was paused, leaning to the left: what is hatched to the right is gone.
func (sc *Scene) drawHeld(row *laneRow, w *written) {
	since := sc.heldSince(w)
	if since == 0 || sc.At > 0 {
		return
	}
	x, u := max(sc.View.Edge(since), -20), sc.U
	m := &row.lines
	m.s(`<path class="st-held" fill="url(#st-held-hatch)" d="M`).n(x).s(" 0H").n(sc.View.Width).s("V").n(row.height).
		s("H").n(x).s(`z"/><path class="st-dots" stroke-width="`).n(1.6 * u).s(`" d="M`).n(x).s(" 0V").n(row.height).s(`"/>`)
	n := sc.head() - since
	said := "paused: " + itoa(n) + plural(n, " revision since", " revisions since")
	row.signs.say(&row.room, words{"strong", 12.5 * u, x + 8*u, row.below(u), said},
		words{"strong end", 12.5 * u, x - 8*u, row.below(u), said})
}

// below returns where words below the line of a program's row are.
func (r *laneRow) below(u float64) float64 { return min(r.y+20*u, r.height-3*u) }

// chained takes the chain of what is chosen.
func (p *panel) chained() {
	p.scene.Chain = nil
	if c := p.scene.Chosen; c.Rev > 0 && c.Last <= c.Rev {
		p.scene.Chain = p.model.Programs.Chain(c.Rev)
	}
}

// sayChain tells the chain of a revision, for who reads: each write, who made it, and how much later.
func (p *panel) sayChain(rev int64) string {
	chain := p.model.Programs.Chain(rev)
	if len(chain) == 0 {
		return ""
	}
	s := "One after another"
	first, _ := p.model.Commits.Find(chain[0])
	last, known := p.model.Commits.Find(chain[len(chain)-1])
	if known && first.At > 0 {
		s += ", in " + strconv.FormatFloat(float64(last.At-first.At)/1000, 'f', 1, 64) + " s"
	}
	for i, at := range chain {
		k, _ := p.model.Commits.Find(at)
		s += []string{": ", " → "}[min(i, 1)] + itoa(at) + " " + p.scene.Wrote(k)
	}
	return s + ". Each came after the event before it; why a program wrote is not known. "
}
