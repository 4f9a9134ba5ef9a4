//go:build js && wasm

package lab

import (
	"strconv"
	"syscall/js"
)

// focus is the mark or bin that holds the keyboard's focus. Redrawing replaces
// the element; the focus goes to its successor.
type focus struct {
	plot string // the svg's id; empty: no mark has it
	attr string // data-rev or data-lo
	val  string
}

// refocus gives the focus back after a redraw replaced the element that had it.
func (p *timelinePanel) refocus(pl *plot) {
	if p.focus.plot != pl.id {
		return
	}
	active := js.Global().Get("document").Get("activeElement")
	if active.Truthy() && active.Get("id").String() != pl.id && active.Get("nodeName").String() != "BODY" {
		return
	}
	el := pl.svg.Call("querySelector", "["+p.focus.attr+`="`+p.focus.val+`"]`)
	if !el.Truthy() {
		// Another scale has other bins: the one that holds the revision.
		el = p.nearest(pl.svg, p.focus.val)
	}
	if !el.Truthy() {
		el = pl.svg
	}
	p.refocusing = true
	el.Call("focus", map[string]any{"preventScroll": true})
	p.refocusing = false
}

// nearest is the first mark or bin at or after a revision.
func (p *timelinePanel) nearest(svg js.Value, rev string) js.Value {
	want, _ := strconv.ParseInt(rev, 10, 64)
	all := svg.Call("querySelectorAll", "[data-rev],[data-lo]")
	for i := range all.Length() {
		if _, _, hi := markAt(all.Index(i)); hi >= want {
			return all.Index(i)
		}
	}
	return js.Null()
}

// key is the keyboard on a plot.
func (p *timelinePanel) key(ev js.Value) {
	svg, _ := plotOf(ev)
	if !svg.Truthy() || ev.Get("altKey").Bool() || ev.Get("ctrlKey").Bool() || ev.Get("metaKey").Bool() {
		return
	}
	el := closest(ev)
	middle := p.cam.Width / 2
	if el.Truthy() {
		_, lo, _ := markAt(el)
		middle = p.cam.X(lo)
	}
	switch ev.Get("key").String() {
	case "ArrowRight":
		p.step(svg, el, true)
	case "ArrowLeft":
		p.step(svg, el, false)
	case "PageDown":
		p.cam.Pan(p.cam.Width*0.8, true)
	case "PageUp":
		p.cam.Pan(-p.cam.Width*0.8, true)
	case "Home":
		p.cam.Show(p.model.Oldest())
	case "End":
		p.cam.Follow(true)
	case "+", "=":
		p.cam.Zoom(2, middle, true)
	case "-", "_":
		p.cam.Zoom(0.5, middle, true)
	case "f", "F":
		p.cam.Fit()
	case "Enter", " ":
		if !el.Truthy() {
			return
		}
		p.use(el)
	default:
		return
	}
	ev.Call("preventDefault")
	p.steered()
}

// step moves the focus to the next mark or bin of a plot.
func (p *timelinePanel) step(svg, el js.Value, forward bool) {
	all := svg.Call("querySelectorAll", "[data-rev][role],[data-lo]")
	n := all.Length()
	if n == 0 {
		return
	}
	lo, hi := p.cam.View.Range()
	edge := lo - 1
	if !forward {
		edge = hi + 1
	}
	// The groups of a plot are drawn one after the other: order by revision.
	best, bestRev := js.Null(), int64(0)
	next := func(from int64) {
		for i := range n {
			_, rev, _ := markAt(all.Index(i))
			if forward && rev > from && (bestRev == 0 || rev < bestRev) || !forward && rev < from && rev > bestRev {
				best, bestRev = all.Index(i), rev
			}
		}
	}
	switch sel := p.scene.Selected; {
	case el.Truthy():
		_, from, _ := markAt(el)
		next(from)
	case sel >= lo && sel <= hi: // the first step goes to the selected revision
		best = p.nearest(svg, strconv.FormatInt(sel, 10))
		if best.Truthy() {
			_, bestRev, _ = markAt(best)
		}
	default:
		next(edge)
	}
	if !best.Truthy() {
		return
	}
	best.Call("focus", map[string]any{"preventScroll": true})
	p.cam.Follow(false) // who looks at one event wants it to stay
	p.cam.Show(bestRev)
}
