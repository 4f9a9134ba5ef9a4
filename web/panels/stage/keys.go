package stage

import (
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
)

// cursor is where the keyboard is on the stage: a row, and a revision in it, or another part of a lane.
type cursor struct {
	row  int // -1: the ruler
	rev  int64
	part lanePart
}

// key is the keyboard on the stage, which is one stop of the Tab key. It reports whether it used a key.
func (p *panel) key(at spot, k app.Press) bool {
	if at.row != "ruler" || k.Alt || k.Ctrl || k.Meta {
		return false
	}
	middle := p.cam.Width / 2
	if p.cursor.rev > 0 {
		middle = p.cam.X(p.cursor.rev)
	}
	switch k.Key {
	case "ArrowRight":
		p.step(1)
	case "ArrowLeft":
		p.step(-1)
	case "ArrowDown":
		p.goRow(1)
	case "ArrowUp":
		p.goRow(-1)
	case "PageDown":
		p.cam.Pan(p.cam.Width*0.8, true)
	case "PageUp":
		p.cam.Pan(-p.cam.Width*0.8, true)
	case "Home":
		p.cam.Show(max(p.model.State.Compacted, p.oldest()))
	case "End":
		p.back()
	case "+", "=":
		p.cam.Zoom(2, middle, true)
	case "-", "_":
		p.cam.Zoom(0.5, middle, true)
	case "0":
		p.cam.Fit()
	case "Enter":
		p.enter(k.Shift)
	case "Escape":
		if p.Page.Call("menuIsOpen", "panel-buffers").Bool() {
			return false // that is closed
		}
		// What the mouse happens to rest on is no reason to take the key from the page, which leaves the presenter by it.
		at := p.hover != 0 && p.hover == p.cursor.rev
		if p.scene.Chosen.Rev == 0 && !at && p.cursor.part == onEvents {
			return false
		}
		p.cursor.part = onEvents
		p.point(0)
		p.choose(0)
	default:
		return false
	}
	p.steered()
	return true
}

// series returns what the cursor's row shows.
func (p *panel) series() (s []*timeline.Series, name string) {
	rows := p.shown()
	if p.cursor.row >= len(rows) {
		p.cursor.row = len(rows) - 1
	}
	if p.cursor.row >= 0 {
		if w := rows[p.cursor.row].written; w != nil {
			return []*timeline.Series{w.marks(p.model)}, p.scene.ProgramView(w).Name + ", "
		}
		if l := rows[p.cursor.row].lane; l != nil {
			return []*timeline.Series{&l.State, &l.Marks}, l.ID() + ", "
		}
	}
	return []*timeline.Series{&p.model.Commits}, ""
}

// step moves the cursor to the next mark of its row. While travelling it moves
// the playhead.
func (p *panel) step(delta int64) {
	if p.scene.At > 0 {
		p.travelBy(delta)
		return
	}
	if p.scene.Large { // the sentence says what is chosen: there it is the ruler's revisions
		p.cursor.row, p.cursor.rev = -1, p.scene.Chosen.Rev
	}
	if p.stepPart(delta) {
		return
	}
	from := p.cursor.rev
	if from == 0 {
		from = p.scene.Chosen.Rev
	}
	if from == 0 {
		from = p.model.Head() + 1
		if delta > 0 {
			lo, _ := p.cam.View.Range()
			from = lo - 1
		}
	}
	if f, in := p.cam.View.Folded(from); in {
		if from = f.Lo; delta > 0 {
			from = f.Hi
		}
	}
	all, name := p.series()
	var best int64
	for _, s := range all {
		i := s.Index(from + 1)
		if delta < 0 {
			i = s.Index(from) - 1
		}
		if i < 0 || i >= s.Len() {
			continue
		}
		if rev := s.At(i).Rev; best == 0 || delta > 0 && rev < best || delta < 0 && rev > best {
			best = rev
		}
	}
	if best == 0 {
		p.Announce(name + "no more")
		return
	}
	p.cursor.rev = best
	p.cam.Follow(false) // who looks at one event wants it to stay
	p.cam.Show(best)
	if p.scene.Large {
		p.choose(best)
	} else {
		p.point(best)
	}
	p.Announce(name + p.scene.Revision(best))
}

// goRow moves the cursor to another row and says what the row is.
func (p *panel) goRow(delta int) {
	rows := p.shown()
	p.cursor.row, p.cursor.part = min(max(p.cursor.row+delta, -1), len(rows)-1), onHead
	p.lists.Do()
	if p.cursor.row < 0 {
		p.Announce("The ruler, head at " + itoa(p.model.Head()))
		return
	}
	r := rows[p.cursor.row]
	id := "st-plot-" + r.id
	if !p.Has(id) {
		return
	}
	p.Page.Call("revealAround", id)
	p.Announce(p.Attribute(id, "aria-label"))
}

// lane returns the lane that the cursor is on, nil if it is elsewhere.
func (p *panel) lane() *timeline.Lane {
	if rows := p.shown(); p.cursor.row >= 0 && p.cursor.row < len(rows) {
		return rows[p.cursor.row].lane
	}
	return nil
}

// stepPart moves the cursor among the parts of a lane before its events, and reports whether it has.
func (p *panel) stepPart(delta int64) bool {
	l := p.lane()
	if l == nil {
		p.cursor.part = onEvents
	}
	if p.cursor.part == onEvents {
		return false
	}
	part, words := p.scene.besidePart(l, p.cursor.part, delta)
	p.cursor.part = part
	p.lists.Do()
	if part == onEvents {
		p.cursor.rev = 0
		return false
	}
	if e, _ := p.scene.laneEdge(l); part == onEdge {
		p.cam.Show(e.start)
		p.steered()
	}
	p.Announce(words)
	return true
}

// enterPart chooses the lane whose head, tank or edge the cursor is on, and shows the table of buffers for the latter
// two; it reports whether it has.
func (p *panel) enterPart() bool {
	l := p.lane()
	if l == nil || p.cursor.part == onEvents {
		return false
	}
	p.show(app.Selection{Request: l.Req}, false)
	p.Select(app.Selection{Request: l.Req}, "stage")
	if p.cursor.part != onHead {
		p.Click(`.st-lever[popovertarget="panel-buffers"]`)
	}
	return true
}

// enter uses what the cursor is on; extend compares it with the revision that is chosen.
func (p *panel) enter(extend bool) {
	if p.enterPart() {
		return
	}
	rev := p.cursor.rev
	if rev == 0 {
		return
	}
	if f, in := p.cam.View.Folded(rev); in {
		p.unfold(f)
		return
	}
	if p.scene.bars() {
		n := p.cam.View.Bin(Countable * p.cam.U)
		p.cam.ShowRange(rev/n*n, rev/n*n+n-1)
		return
	}
	if extend && p.scene.Chosen.Rev > 0 {
		p.chooseRange(min(rev, p.scene.Chosen.Rev), max(rev, p.scene.Chosen.Rev))
		return
	}
	p.choose(rev)
}
