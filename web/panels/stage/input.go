//go:build js && wasm

package stage

import (
	"math"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/app"
)

// spot is where on the stage an event of the pointer happened.
type spot struct {
	svg  js.Value
	row  string // "ruler", or a row's id; "" for none
	x, y float64
	grip string // "wall", "playhead": what can be dragged there
}

func spotOf(ev js.Value) spot {
	t := ev.Get("target")
	if t.Type() != js.TypeObject || t.Get("closest").Type() != js.TypeFunction {
		return spot{}
	}
	svg := t.Call("closest", "[data-plot]")
	if !svg.Truthy() {
		return spot{}
	}
	at := spot{svg: svg, row: svg.Call("getAttribute", "data-plot").String()}
	if ev.Get("clientX").Type() == js.TypeNumber {
		box := svg.Call("getBoundingClientRect")
		at.x, at.y = ev.Get("clientX").Float()-box.Get("left").Float(), ev.Get("clientY").Float()-box.Get("top").Float()
	}
	if g := t.Call("closest", "[data-grip]"); g.Truthy() {
		at.grip = g.Call("getAttribute", "data-grip").String()
	}
	return at
}

// onAxis reports whether a place is on the numbers of the ruler.
func (p *panel) onAxis(at spot) bool {
	return at.row == "ruler" && at.y > p.layout.ruler-30*p.cam.U
}

// revisionAt returns the revision that lies at x, if one is drawn there.
func (p *panel) revisionAt(x float64) int64 {
	rev := p.cam.View.Rev(x)
	if _, in := p.cam.View.Folded(rev); in || rev < 1 || rev > p.model.Head() {
		return 0
	}
	return rev
}

// on adds a listener for the life of the page.
func on(target js.Value, name string, passive bool, f func(ev js.Value)) {
	target.Call("addEventListener", name, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	}), map[string]any{"passive": passive})
}

// listen wires pointer, wheel and keys.
func (p *panel) listen() {
	root := p.layout.root
	on(root, "wheel", false, p.wheel)
	on(root, "keydown", false, p.key)
	var over [2]float64
	on(root, "pointermove", true, func(ev js.Value) {
		p.pointed = time.Now()
		at := spotOf(ev)
		pos := [2]float64{at.x, at.y}
		if pos == over || ev.Get("buttons").Int() != 0 {
			return
		}
		over = pos
		rev := int64(0)
		if at.row != "" && ev.Get("pointerType").String() == "mouse" && !p.scene.bars() {
			rev = p.revisionAt(at.x)
		}
		p.point(rev)
		p.say(at, rev)
	})
	on(root, "pointerleave", true, func(js.Value) {
		p.point(0)
		p.say(spot{}, 0)
	})
	on(root, "click", true, func(ev js.Value) {
		at := spotOf(ev)
		if at.row == "" || p.travel.dragged || at.grip != "" {
			return
		}
		p.say(spot{}, 0)
		p.click(at, ev.Get("shiftKey").Bool())
	})
	on(root, "dblclick", true, func(ev js.Value) {
		if at := spotOf(ev); at.row != "" && p.revisionAt(at.x) == 0 {
			p.cam.Zoom(2, at.x, true)
			p.steered()
		}
	})
	// What a compaction would do is seen before it is done.
	preview := func(ev js.Value) {
		wall, edges := int64(0), int64(0)
		if t := ev.Get("target"); t.Type() == js.TypeObject && t.Get("closest").Type() == js.TypeFunction {
			b := t.Call("closest", `[data-lever="compact"]`)
			if b.Truthy() && ev.Get("type").String() != "focusout" && ev.Get("type").String() != "pointerleave" {
				wall, edges = p.model.Head(), p.model.Head()+1
				switch body := b.Call("getAttribute", "data-body").String(); {
				case strings.Contains(body, `"etcd"`):
					edges = 0
				case strings.Contains(body, `"caches"`):
					wall = 0
				}
			}
		}
		if (wall != p.scene.WallPreview || edges != p.scene.EdgePreview) && p.travel.wallPreview == 0 {
			p.scene.WallPreview, p.scene.EdgePreview = wall, edges
			p.book()
		}
	}
	menu := js.Global().Get("document").Call("getElementById", "panel-compact")
	for _, name := range [...]string{"pointerover", "focusin", "focusout", "pointerleave"} {
		on(menu, name, true, preview)
	}
	p.drag()
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
func (p *panel) say(at spot, rev int64) {
	tip := p.Doc.GetElementByID("st-tip").Underlying()
	words := ""
	switch {
	case at.row == "":
	case at.grip == "wall":
		words = "Drag to the right to compact etcd"
	case at.grip == "playhead":
		words = "Drag through time"
	case p.onAxis(at) && rev > 0:
		words = "Travel to " + itoa(rev)
	default:
		if f, in := p.cam.View.Folded(p.cam.View.Rev(at.x)); in {
			words = f.Name + ", " + itoa(f.Hi-f.Lo+1) + " revisions: click to unfold"
		} else if rev > 0 {
			if k, ok := p.model.Commits.Find(rev); ok {
				words = itoa(rev) + " " + k.Kind.Word() + " " + p.model.Objects.Get(k.Obj).String()
			}
		}
	}
	tip.Set("hidden", words == "")
	if words == "" {
		return
	}
	tip.Set("textContent", words)
	box := p.layout.root.Call("getBoundingClientRect")
	x := at.svg.Call("getBoundingClientRect").Get("left").Float() - box.Get("left").Float() + at.x
	y := at.svg.Call("getBoundingClientRect").Get("top").Float() - box.Get("top").Float() + at.y
	style := tip.Get("style")
	x = math.Min(x+14, box.Get("width").Float()-tip.Get("offsetWidth").Float()-8)
	style.Call("setProperty", "left", strconv.FormatFloat(math.Max(x, 4), 'f', 0, 64)+"px")
	style.Call("setProperty", "top", strconv.FormatFloat(y+18, 'f', 0, 64)+"px")
}

// wheel zooms on the ruler and pans sideways anywhere; over the rows zooming
// needs Ctrl, so that they keep scrolling.
func (p *panel) wheel(ev js.Value) {
	at := spotOf(ev)
	if at.row == "" {
		return
	}
	unit := 1.0
	if ev.Get("deltaMode").Int() == 1 {
		unit = 16
	}
	dx, dy := ev.Get("deltaX").Float()*unit, ev.Get("deltaY").Float()*unit
	if ev.Get("shiftKey").Bool() {
		dx, dy = dx+dy, 0
	}
	switch {
	case math.Abs(dx) > math.Abs(dy):
		p.cam.Pan(dx, false)
	case at.row == "ruler" || ev.Get("ctrlKey").Bool():
		p.cam.Zoom(math.Exp(-dy/240), at.x, false)
	default:
		return
	}
	ev.Call("preventDefault")
	p.steered()
}

// longPress is after which time a finger that rests shows what the pointer of a mouse does.
const longPress = 500 * time.Millisecond

// drag pans with one pointer, pinches with two, and moves what has a grip.
func (p *panel) drag() {
	root := p.layout.root
	type touch struct{ x, from float64 }
	down := map[int]*touch{}
	grip := ""
	left := func() float64 {
		return p.ruler.el.Get("ownerSVGElement").Call("getBoundingClientRect").Get("left").Float()
	}
	var rests *time.Timer // of a finger
	shows := false        // it has rested: it shows what it is on
	rest := func(at spot) {
		shows, p.travel.dragged = true, true // what follows is no click
		p.point(p.revisionAt(at.x))
		p.say(at, p.revisionAt(at.x))
	}
	moves := func() {
		if rests != nil {
			rests.Stop()
		}
	}
	// A finger that is lifted does what it was dragged to; one that the browser takes away, to scroll, does nothing.
	lift := func(ev js.Value, does bool) {
		if moves(); shows {
			shows = false
			p.point(0)
			p.say(spot{}, 0)
		}
		delete(down, ev.Get("pointerId").Int())
		if len(down) > 0 {
			return
		}
		root.Get("classList").Call("remove", "is-dragging")
		if does && grip == "wall" && p.travel.wallPreview > 0 {
			app.Emit(p.Bus, app.RunAct{Act: settings.CompactEtcd, Value: itoa(p.travel.wallPreview),
				Parameters: settings.Values{"revision": p.travel.wallPreview}})
		}
		grip, p.travel.wallPreview, p.scene.WallPreview = "", 0, 0
		p.book()
	}
	on(root, "pointerdown", true, func(ev js.Value) {
		p.travel.dragged = false
		if at := spotOf(ev); at.row != "" && ev.Get("button").Int() == 0 {
			x := ev.Get("clientX").Float()
			down[ev.Get("pointerId").Int()] = &touch{x, x}
			grip = at.grip
			if moves(); ev.Get("pointerType").String() == "touch" && grip == "" && len(down) == 1 {
				rests = time.AfterFunc(longPress, func() { rest(at) })
			}
		}
	})
	// A long press is for what the pointer of a mouse shows, not for the browser's menu.
	on(root, "contextmenu", false, func(ev js.Value) {
		if at := spotOf(ev); at.row != "" && len(down) > 0 {
			ev.Call("preventDefault")
		}
	})
	on(js.Global().Get("document"), "pointermove", true, func(ev js.Value) {
		t := down[ev.Get("pointerId").Int()]
		if t == nil {
			return
		}
		if ev.Get("buttons").Int() == 0 {
			lift(ev, true) // it was released elsewhere
			return
		}
		x := ev.Get("clientX").Float()
		if len(down) == 2 && grip == "" {
			var other *touch
			for _, o := range down {
				if o != t {
					other = o
				}
			}
			before, after := math.Abs(t.x-other.x), math.Abs(x-other.x)
			t.x = x
			p.travel.dragged = true
			if before > 8 && after > 8 {
				p.cam.Zoom(after/before, (x+other.x)/2-left(), false)
				p.steered()
			}
			return
		}
		if shows {
			rest(spotOf(ev))
			return
		}
		if !p.travel.dragged && math.Abs(x-t.from) < 4 {
			return
		}
		moves()
		if !p.travel.dragged {
			p.travel.dragged = true
			root.Get("classList").Call("add", "is-dragging")
		}
		rev := min(max(p.cam.View.Rev(x-left()), 1), p.model.Head())
		switch grip {
		case "wall":
			if rev > p.model.State.Compacted {
				p.travel.wallPreview, p.scene.WallPreview = rev, rev
			} else {
				p.travel.wallPreview, p.scene.WallPreview = 0, 0
			}
			p.book()
		case "playhead":
			p.Travel(rev)
		default:
			p.cam.Pan(t.x-x, false)
			p.steered()
		}
		t.x = x
	})
	on(js.Global().Get("document"), "pointerup", true, func(ev js.Value) {
		if down[ev.Get("pointerId").Int()] != nil {
			lift(ev, true)
		}
	})
	on(js.Global().Get("document"), "pointercancel", true, func(ev js.Value) { lift(ev, false) })
}

// steered redraws after the user has moved the view.
func (p *panel) steered() {
	if p.cam.Following() != p.follows {
		p.follows = p.cam.Following()
		p.renderBar()
	}
	p.book()
}
