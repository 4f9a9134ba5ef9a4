//go:build js && wasm

package stage

import (
	"strconv"
	"syscall/js"
)

// layout is where the stage lies and how large its parts are, in pixels.
type layout struct {
	root     js.Value
	width    float64 // of the plots
	ruler    float64 // height of the ruler's plot
	height   float64 // of what is seen of the rows
	scrolled float64 // how far the rows are scrolled
	lane     float64 // height of a lane, in units
	grow     float64 // how much higher the other rows are than usual
	bin      int64   // revisions a bar, as the bar above the stage says
	hidden   bool    // the stage has no size
	low      bool    // the window is
	most     int     // lanes that fit into the presenter; 0: all are shown
}

// measure follows the sizes of the stage and of the unit.
func (p *panel) measure() {
	doc := js.Global().Get("document")
	l := &p.layout
	l.root, l.lane, l.grow, l.bin = doc.Call("getElementById", "panel-stage"), LaneUnits, 1, 1
	ruler, scroll, unit := doc.Call("getElementById", "st-ruler"), doc.Call("getElementById", "st-scroll"),
		doc.Call("getElementById", "st-unit")
	read := func() {
		size := func(el js.Value, name string) float64 { return el.Get(name).Float() }
		u := unit.Call("getBoundingClientRect").Get("width").Float() / 100
		l.width, l.ruler, l.height = size(ruler, "clientWidth"), size(ruler, "clientHeight"), size(scroll, "clientHeight")
		if l.width == 0 { // an svg in some engines
			box := ruler.Call("getBoundingClientRect")
			l.width, l.ruler = box.Get("width").Float(), box.Get("height").Float()
		}
		l.hidden = l.width == 0 || l.ruler == 0
		p.scene.Large = doc.Get("documentElement").Call("hasAttribute", "data-presenting").Bool()
		if u > 0 && l.width > 0 {
			p.cam.Resize(l.width, u)
		}
		p.fit()
		p.changed = true
		p.book()
	}
	if observer := js.Global().Get("ResizeObserver"); observer.Truthy() {
		o := observer.New(js.FuncOf(func(js.Value, []js.Value) any {
			read()
			return nil
		}))
		for _, el := range [...]js.Value{ruler, scroll, unit} {
			o.Call("observe", el)
		}
	}
	scroll.Call("addEventListener", "scroll", js.FuncOf(func(js.Value, []js.Value) any {
		l.scrolled = scroll.Get("scrollTop").Float()
		p.book()
		return nil
	}), map[string]any{"passive": true})
	media := func(query string, set func(bool)) {
		m := js.Global().Call("matchMedia", query)
		set(m.Get("matches").Bool())
		m.Call("addEventListener", "change", js.FuncOf(func(js.Value, []js.Value) any {
			set(m.Get("matches").Bool())
			read()
			return nil
		}))
	}
	media("(prefers-reduced-motion: reduce)", func(v bool) { p.cam.Still = v })
	media("(max-width: 699px)", func(v bool) { p.scene.Narrow = v })
	media("(min-width: 700px) and (max-height: 560px)", func(v bool) { l.low = v })
	read()
}

// fit chooses how high lanes are: they give up room before any of them is out of
// sight, and become thin when there are many.
func (p *panel) fit() {
	l := &p.layout
	lanes := float64(len(p.model.Lanes.List))
	other := 0.0
	l.grow = 1
	for _, r := range p.shown() {
		if r.lane == nil {
			other += r.units
		}
	}
	room := l.height/max(p.cam.U, 0.1) - other
	lane := LaneUnits
	l.most = 0
	if lanes*LaneUnits > room {
		lane = LowUnits
	}
	if lanes > 8 && lanes*LowUnits > 1.6*room {
		lane = DenseUnits
	}
	switch {
	case p.scene.Narrow:
		lane = PhoneUnits
	case p.scene.Large:
		l.most = int(max(1, room/LaneUnits))
		lanes = min(lanes, float64(l.most))
		l.grow = min(max(1, (room+other)/max(1, lanes*LaneUnits+other)), MostGrowth)
		lane = max(LaneUnits, (room+other-l.grow*other)/max(1, lanes))
	case l.low && lane > 46:
		lane = 46
	}
	if lane != l.lane || l.bin == 0 {
		l.lane = lane
		p.lists.Do()
	}
	// Below the last row there is room, so that the first one is whole when they are scrolled to their end.
	end := 0.0
	if over := lanes*lane + addUnits - room; over > 0 && !p.scene.Large && !p.scene.Narrow {
		for _, r := range p.shown() {
			if end < over {
				end += r.units
			}
		}
		end = max(0, end-over)
	}
	for name, v := range map[string]float64{"--lane": lane, "--grow": l.grow, "--end": end} {
		l.root.Get("style").Call("setProperty", name, strconv.FormatFloat(v, 'f', -1, 64))
	}
}
