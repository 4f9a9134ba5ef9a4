package stage

import (
	"math"
	"strings"
	"time"
)

// spot is where on the stage an event of the pointer happened.
type spot struct {
	row  string // "ruler", or a row's id; "" for none
	x, y float64
	grip string // "wall", "playhead": what can be dragged there
}

// onAxis reports whether a place is on the numbers of the ruler.
func (p *panel) onAxis(at spot) bool {
	return at.row == "ruler" && at.y > p.layout.ruler-min(30*p.cam.U, 0.4*p.layout.ruler)
}

// revisionAt returns the revision that lies at x, if one is drawn there.
func (p *panel) revisionAt(x float64) int64 {
	rev := p.cam.View.Rev(x)
	if _, in := p.cam.View.Folded(rev); in || rev < 1 || rev > p.model.Head() {
		return 0
	}
	return rev
}

// hovers follows the pointer over the stage; pressed: a button is. Only the pointer of a mouse points.
func (p *panel) hovers(at spot, mouse, pressed bool) {
	p.pointed = time.Now()
	if at.x == p.over.x && at.y == p.over.y || pressed {
		return
	}
	p.over = at
	rev := int64(0)
	if at.row != "" && mouse && !p.scene.bars() {
		rev = p.revisionAt(at.x)
	}
	p.point(rev)
	p.say(at, rev)
}

// left hides what the pointer shows.
func (p *panel) left() {
	p.point(0)
	p.say(spot{}, 0)
}

// clicked does what a click means, if nothing was dragged.
func (p *panel) clicked(at spot, extend bool) {
	if at.row == "" || p.hand.dragged || at.grip != "" {
		return
	}
	p.say(spot{}, 0)
	p.click(at, extend)
}

// doubled looks closer where there is no revision.
func (p *panel) doubled(at spot) {
	if at.row != "" && p.revisionAt(at.x) == 0 {
		p.cam.Zoom(2, at.x, true)
		p.steered()
	}
}

// preview shows what a compaction would do before it is done: that of the button that the pointer or the focus is on,
// which has this body; over: it is on one.
func (p *panel) preview(body string, over bool) {
	wall, edges := int64(0), int64(0)
	if over {
		wall, edges = p.model.Head(), p.model.Head()+1
		switch {
		case strings.Contains(body, `"etcd"`):
			edges = 0
		case strings.Contains(body, `"caches"`):
			wall = 0
		}
	}
	if (wall != p.scene.WallPreview || edges != p.scene.EdgePreview) && p.hand.wall == 0 {
		p.scene.WallPreview, p.scene.EdgePreview = wall, edges
		p.book()
	}
}

// click chooses the revision at a place, opens a fold, looks closer at a bar, or
// travels to a number of the axis.
func (p *panel) click(at spot, extend bool) {
	rev := p.cam.View.Rev(at.x)
	if f, in := p.cam.View.Folded(rev); in {
		p.unfold(f)
		return
	}
	if p.scene.bars() {
		n := p.cam.View.Bin(Countable * p.cam.U)
		lo := rev / n * n
		p.chooseRange(lo, lo+n-1)
		return
	}
	if rev = p.revisionAt(at.x); rev == 0 {
		p.choose(0)
		return
	}
	switch {
	case p.onAxis(at):
		p.Travel(rev)
	case extend && p.scene.Chosen.Rev > 0:
		p.chooseRange(min(rev, p.scene.Chosen.Rev), max(rev, p.scene.Chosen.Rev))
	case p.scene.Chosen.Rev == rev && p.scene.Chosen.Last <= rev:
		p.choose(0)
	default:
		p.choose(rev)
	}
}

// unfold shows the revisions of a fold one by one.
func (p *panel) unfold(f Fold) {
	p.opened[f.Lo] = true
	p.fold()
	p.cam.ShowRange(max(f.Lo-1, 1), f.Hi+2)
	p.changed = true
	p.steered()
	p.Announce("Revisions " + itoa(f.Lo) + " to " + itoa(f.Hi) + " are unfolded")
}

// point shows the thread of the revision that the pointer or the focus is on.
func (p *panel) point(rev int64) {
	if rev != p.hover {
		p.hover = rev
		p.book()
	}
}

// say shows beside the pointer what lies there.
func (p *panel) say(at spot, rev int64) { p.on.tip(at, p.tip(at, rev)) }

// tip returns what lies at a place; empty: nothing to say.
func (p *panel) tip(at spot, rev int64) string {
	switch {
	case at.row == "":
		return ""
	case at.grip == "wall":
		return "Drag to the right to compact etcd"
	case at.grip == "playhead":
		return "Drag through time"
	case p.onAxis(at) && rev > 0:
		return "Travel to " + itoa(rev)
	}
	if f, in := p.cam.View.Folded(p.cam.View.Rev(at.x)); in {
		return f.Name + ", " + itoa(f.Hi-f.Lo+1) + " revisions: click to unfold"
	}
	if k, ok := p.model.Commits.Find(rev); ok && rev > 0 {
		return itoa(rev) + " " + k.Kind.Word() + " " + p.model.Objects.Get(k.Obj).String()
	}
	return ""
}

// A turn is one of a mouse's wheel, in pixels or, if it says so, in lines.
type turn struct {
	x, y               float64
	lines, shift, ctrl bool
}

// wheel zooms on the ruler and pans sideways anywhere; over the rows zooming
// needs Ctrl, so that they keep scrolling. It reports whether it did.
func (p *panel) wheel(at spot, t turn) bool {
	if at.row == "" {
		return false
	}
	unit := 1.0
	if t.lines {
		unit = 16
	}
	dx, dy := t.x*unit, t.y*unit
	if t.shift {
		dx, dy = dx+dy, 0
	}
	switch {
	case math.Abs(dx) > math.Abs(dy):
		p.cam.Pan(dx, false)
	case at.row == "ruler" || t.ctrl:
		p.cam.Zoom(math.Exp(-dy/240), at.x, false)
	default:
		return false
	}
	p.steered()
	return true
}

// steered redraws after the user has moved the view.
func (p *panel) steered() {
	if p.cam.Following() != p.follows {
		p.follows = p.cam.Following()
		p.renderBar()
	}
	p.book()
}
