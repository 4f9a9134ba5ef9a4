//go:build js && wasm

package lab

import (
	"math"
	"strconv"
	"syscall/js"
)

// markAt reads what a mark or bin stands for: its attribute, and the revisions
// that it covers. It gives "" for other elements.
func markAt(el js.Value) (attr string, lo, hi int64) {
	read := func(name string) int64 {
		v := el.Call("getAttribute", name)
		if v.Type() != js.TypeString {
			return 0
		}
		n, _ := strconv.ParseInt(v.String(), 10, 64)
		return n
	}
	if n := read("data-rev"); n != 0 {
		return "data-rev", n, n
	}
	if hi := read("data-hi"); hi != 0 {
		return "data-lo", read("data-lo"), hi
	}
	return "", 0, 0
}

// closest is the mark or bin that an event happened on; null if on none.
func closest(ev js.Value) js.Value {
	t := ev.Get("target")
	if t.Get("closest").Type() != js.TypeFunction {
		return js.Null()
	}
	return t.Call("closest", "[data-rev],[data-lo]")
}

// plotOf is the plot that an event happened in, and where in it.
func plotOf(ev js.Value) (svg js.Value, x float64) {
	t := ev.Get("target")
	if t.Get("closest").Type() != js.TypeFunction {
		return js.Null(), 0
	}
	svg = t.Call("closest", ".tl-plot")
	if svg.Truthy() && ev.Get("clientX").Type() == js.TypeNumber {
		x = ev.Get("clientX").Float() - svg.Call("getBoundingClientRect").Get("left").Float()
	}
	return svg, x
}

// listen wires pointer, wheel, keys and sizes.
func (p *timelinePanel) listen() {
	root := p.app.Panel("ruler").Underlying().Get("parentNode")
	on := func(target js.Value, name string, passive bool, f func(ev js.Value)) {
		target.Call("addEventListener", name, js.FuncOf(func(_ js.Value, args []js.Value) any {
			f(args[0])
			return nil
		}), map[string]any{"passive": passive})
	}
	on(root, "wheel", false, p.wheel)
	on(root, "keydown", false, p.key)
	on(root, "focusin", true, func(ev js.Value) {
		if p.refocusing {
			return // the revision that was chosen stays the one to come back to
		}
		p.focus = focus{}
		if el := closest(ev); el.Truthy() {
			attr, lo, _ := markAt(el)
			p.focus = focus{el.Call("closest", ".tl-plot").Get("id").String(), attr, strconv.FormatInt(lo, 10)}
			p.point(el)
		}
	})
	on(root, "focusout", true, func(ev js.Value) {
		if ev.Get("relatedTarget").Truthy() {
			p.focus = focus{}
		}
	})
	var over [2]float64
	on(root, "pointerover", true, func(ev js.Value) {
		at := [2]float64{ev.Get("clientX").Float(), ev.Get("clientY").Float()}
		if at == over {
			return // what is drawn has changed under a pointer that rests
		}
		over = at
		p.point(closest(ev))
	})
	on(root, "pointerleave", true, func(js.Value) { p.point(js.Null()) })
	on(root, "click", true, func(ev js.Value) {
		if el := closest(ev); el.Truthy() && !p.dragged {
			p.use(el)
		}
	})
	on(root, "dblclick", true, func(ev js.Value) {
		if svg, x := plotOf(ev); svg.Truthy() && !closest(ev).Truthy() {
			p.cam.Zoom(2, x, true)
			p.steered()
		}
	})
	p.drag(root, on)

	media := func(query string, set func(bool)) {
		m := js.Global().Call("matchMedia", query)
		set(m.Get("matches").Bool())
		on(m, "change", true, func(js.Value) {
			set(m.Get("matches").Bool())
			p.redraw = true
			p.book()
		})
	}
	media("(prefers-reduced-motion: reduce)", func(v bool) { p.cam.Still = v })
	media("(max-width: 999px)", func(v bool) { p.scene.Compact = v })
	p.watchSight()
	p.watchSizes()
}

// watchSight follows which plots are scrolled into sight.
func (p *timelinePanel) watchSight() {
	p.sight = js.Global().Get("IntersectionObserver").New(js.FuncOf(func(_ js.Value, args []js.Value) any {
		seen := map[string]bool{}
		for i := range args[0].Length() {
			e := args[0].Index(i)
			seen[e.Get("target").Get("id").String()] = e.Get("isIntersecting").Bool()
		}
		mark := func(pl *plot) {
			if in, ok := seen[pl.id]; ok {
				pl.hidden, pl.dirty = !in, true
			}
		}
		for _, pl := range p.lanes {
			mark(pl)
		}
		for _, pl := range p.chains {
			mark(pl)
		}
		p.book()
		return nil
	}), map[string]any{"rootMargin": "60px"})
}

// watchSizes follows the plots' width and whether the panels are shown at all.
func (p *timelinePanel) watchSizes() {
	sizes := js.Global().Get("ResizeObserver").New(js.FuncOf(func(_ js.Value, args []js.Value) any {
		for i := range args[0].Length() {
			e := args[0].Index(i)
			w := e.Get("contentRect").Get("width").Float()
			switch e.Get("target").Get("id").String() {
			case "tl-ruler":
				p.cam.Resize(w)
			case "panel-lanes":
				p.showLane = w > 0
			case "panel-paging":
				p.showPage = w > 0
			}
		}
		p.redraw = true
		p.book()
		return nil
	}))
	for _, id := range [...]string{"tl-ruler", "panel-lanes", "panel-paging"} {
		if el := js.Global().Get("document").Call("getElementById", id); el.Truthy() {
			sizes.Call("observe", el)
		}
	}
}

// wheel zooms on the ruler and pans sideways anywhere; elsewhere zooming needs
// Ctrl, so that lists keep scrolling.
func (p *timelinePanel) wheel(ev js.Value) {
	svg, x := plotOf(ev)
	if !svg.Truthy() {
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
	case svg.Get("id").String() == p.ruler.id || ev.Get("ctrlKey").Bool():
		p.cam.Zoom(math.Exp(-dy/240), x, false)
	default:
		return
	}
	ev.Call("preventDefault")
	p.steered()
}

// drag pans with one pointer and pinches with two.
func (p *timelinePanel) drag(root js.Value, on func(js.Value, string, bool, func(js.Value))) {
	type touch struct{ x, from float64 }
	down := map[int]*touch{}
	lift := func(ev js.Value) {
		delete(down, ev.Get("pointerId").Int())
		if len(down) == 0 {
			root.Get("classList").Call("remove", "is-dragging")
		}
	}
	on(root, "pointerdown", true, func(ev js.Value) {
		p.dragged = false
		if svg, _ := plotOf(ev); svg.Truthy() && ev.Get("button").Int() == 0 {
			x := ev.Get("clientX").Float()
			down[ev.Get("pointerId").Int()] = &touch{x, x}
		}
	})
	on(root, "pointermove", true, func(ev js.Value) {
		t := down[ev.Get("pointerId").Int()]
		if t == nil {
			return
		}
		if ev.Get("buttons").Int() == 0 {
			lift(ev) // it was released elsewhere
			return
		}
		x := ev.Get("clientX").Float()
		if len(down) == 2 {
			var other *touch
			for _, o := range down {
				if o != t {
					other = o
				}
			}
			before, after := math.Abs(t.x-other.x), math.Abs(x-other.x)
			t.x = x
			p.dragged = true
			if before > 8 && after > 8 {
				left := p.ruler.svg.Call("getBoundingClientRect").Get("left").Float()
				p.cam.Zoom(after/before, (x+other.x)/2-left, false)
				p.steered()
			}
			return
		}
		if !p.dragged && math.Abs(x-t.from) < 4 {
			return
		}
		if !p.dragged {
			p.dragged = true
			root.Get("classList").Call("add", "is-dragging")
			if svg, _ := plotOf(ev); svg.Truthy() {
				svg.Call("setPointerCapture", ev.Get("pointerId"))
			}
		}
		p.cam.Pan(t.x-x, false)
		t.x = x
		p.steered()
	})
	on(root, "pointerup", true, lift)
	on(root, "pointercancel", true, lift)
}

// use selects a mark's revision, or looks closer at a bin.
func (p *timelinePanel) use(el js.Value) {
	attr, lo, hi := markAt(el)
	switch attr {
	case "data-rev":
		p.selectRev(lo)
	case "data-lo":
		p.cam.ShowRange(lo, hi)
		p.steered()
	}
}

// point shows in the read-out what the pointer or the focus is on.
func (p *timelinePanel) point(el js.Value) {
	var rev int64
	if el.Truthy() {
		if attr, lo, _ := markAt(el); attr == "data-rev" {
			rev = lo
		}
	}
	if rev != p.pointed {
		p.pointed = rev
		p.renderReadout()
	}
}

// selectRev selects a revision for all panels. Others hear of it by the event
// "tabernetes:revision" on the document.
func (p *timelinePanel) selectRev(rev int64) {
	if p.scene.Selected == rev {
		rev = 0
	}
	p.scene.Selected = rev
	p.ruler.marks[0].layer.Invalidate()
	p.redraw = true
	p.renderReadout()
	p.book()
	detail := map[string]any{"revision": rev}
	if r := p.model.Readout(rev); r != nil && r.Known {
		detail["ref"] = r.Object.Ref()
	}
	doc := js.Global().Get("document")
	doc.Call("dispatchEvent", js.Global().Get("CustomEvent").New("tabernetes:revision", map[string]any{"detail": detail}))
}

// steered redraws after a person moved the view.
func (p *timelinePanel) steered() {
	if p.cam.Following() != p.follows {
		p.follows = p.cam.Following()
		p.renderTools()
	}
	p.book()
}
