package stage

import (
	"math"
	"time"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/app"
)

// longPress is after which time a finger that rests shows what the pointer of a mouse does.
const longPress = 500 * time.Millisecond

// hand is what the pointers do that are down: one pans, two pinch, and what has a grip is moved.
type hand struct {
	down    map[int]*touch // by the pointer's id
	grip    string
	rests   *time.Timer // of a finger
	shows   bool        // it has rested: it shows what it is on
	dragged bool        // the pointer moved something: what follows is no click
	wall    int64       // where the wall is being dragged to
}

// touch is where a pointer is, and where it came down, in pixels of the window.
type touch struct{ x, from float64 }

// press takes a pointer that comes down.
func (p *panel) press(at spot, id int, x float64, finger bool) {
	h := &p.hand
	h.dragged = false
	if at.row == "" {
		return
	}
	if h.down == nil {
		h.down = map[int]*touch{}
	}
	h.down[id] = &touch{x, x}
	h.grip = at.grip
	if h.stirs(); finger && h.grip == "" && len(h.down) == 1 {
		h.rests = time.AfterFunc(longPress, func() { p.rest(at) })
	}
}

// stirs keeps a finger from showing what it is on: it moves.
func (h *hand) stirs() {
	if h.rests != nil {
		h.rests.Stop()
	}
}

// rest shows what a finger is on.
func (p *panel) rest(at spot) {
	p.hand.shows, p.hand.dragged = true, true // what follows is no click
	p.point(p.revisionAt(at.x))
	p.say(at, p.revisionAt(at.x))
}

// lift forgets a pointer that is gone. If does is true, it was lifted, and what it was dragged to is done. A pointer
// that the browser cancels, to scroll, does nothing.
func (p *panel) lift(id int, does bool) {
	h := &p.hand
	if h.stirs(); h.shows {
		h.shows = false
		p.left()
	}
	delete(h.down, id)
	if len(h.down) > 0 {
		return
	}
	p.on.dragging(false)
	if does && h.grip == "wall" && h.wall > 0 {
		app.Emit(p.Bus, app.RunAct{Act: settings.CompactEtcd, Value: itoa(h.wall),
			Parameters: settings.Values{"revision": h.wall}})
	}
	h.grip, h.wall, p.scene.WallPreview = "", 0, 0
	p.book()
}

// drag follows a pointer that is down to x; pressed: it still is. at returns where it is on the stage.
func (p *panel) drag(id int, x float64, pressed bool, at func() spot) {
	h := &p.hand
	t := h.down[id]
	if t == nil {
		return
	}
	if !pressed {
		p.lift(id, true) // it was released elsewhere
		return
	}
	if len(h.down) == 2 && h.grip == "" {
		p.pinch(t, x)
		return
	}
	if h.shows {
		p.rest(at())
		return
	}
	if !h.dragged && math.Abs(x-t.from) < 4 {
		return
	}
	if h.stirs(); !h.dragged {
		h.dragged = true
		p.on.dragging(true)
	}
	rev := min(max(p.cam.View.Rev(x-p.on.left()), 1), p.model.Head())
	switch h.grip {
	case "wall":
		if h.wall = 0; rev > p.model.State.Compacted {
			h.wall = rev
		}
		p.scene.WallPreview = h.wall
		p.book()
	case "playhead":
		p.Travel(rev)
	default:
		p.cam.Pan(t.x-x, false)
		p.steered()
	}
	t.x = x
}

// pinch zooms by the distance of two pointers, of which one has moved to x.
func (p *panel) pinch(t *touch, x float64) {
	var other *touch
	for _, o := range p.hand.down {
		if o != t {
			other = o
		}
	}
	before, after := math.Abs(t.x-other.x), math.Abs(x-other.x)
	t.x = x
	p.hand.dragged = true
	if before > 8 && after > 8 {
		p.cam.Zoom(after/before, (x+other.x)/2-p.on.left(), false)
		p.steered()
	}
}
