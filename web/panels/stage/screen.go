//go:build js && wasm

package stage

import (
	"math"
	"strconv"
	"syscall/js"

	"github.com/tabernetes/tabernetes/web/app"
)

func init() {
	Start = func(a *app.App) {
		if !a.Has("st-ruler") {
			return
		}
		var p *panel
		s := &screen{app: a, root: a.Panel("stage").Underlying(), plots: map[string]*plot{},
			draw: js.FuncOf(func(_ js.Value, args []js.Value) any {
				p.draw(args[0].Float())
				return nil
			})}
		p = start(a, s)
		s.measure(p)
		s.listen(p)
	}
}

// screen is the surface in a page. It does not embed the App: the linker would keep all methods of a value behind an
// interface.
type screen struct {
	app   *app.App
	root  js.Value
	plots map[string]*plot
	draw  js.Func
}

// plot is one drawing on the axis.
type plot struct {
	el   js.Value
	held string // what it holds
}

func (s *screen) plot(id, svg string) {
	pl := s.plots[id]
	if pl == nil || !pl.el.Get("isConnected").Bool() { // it may not have been rendered yet
		el := s.app.Doc.GetElementByID("st-" + id)
		if el == nil {
			return
		}
		pl = &plot{el: el.Underlying()}
		s.plots[id] = pl
	}
	if pl.held != svg {
		pl.held = svg
		pl.el.Set("innerHTML", svg)
	}
}

func (s *screen) frame() { s.app.Page.Call("soon", s.draw) }

func (s *screen) style(name, value string) { s.root.Get("style").Call("setProperty", name, value) }

func (s *screen) left() float64 {
	return s.app.Doc.GetElementByID("st-ruler").Underlying().Call("getBoundingClientRect").Get("left").Float()
}

func (s *screen) dragging(on bool) { s.root.Get("classList").Call("toggle", "is-dragging", on) }

func (s *screen) tip(at spot, words string) {
	tip := s.app.Doc.GetElementByID("st-tip").Underlying()
	tip.Set("hidden", words == "")
	if words == "" {
		return
	}
	tip.Set("textContent", words)
	box := s.root.Call("getBoundingClientRect")
	svg := s.root.Call("querySelector", `[data-plot="`+at.row+`"]`).Call("getBoundingClientRect")
	x := svg.Get("left").Float() - box.Get("left").Float() + at.x
	y := svg.Get("top").Float() - box.Get("top").Float() + at.y
	x = math.Min(x+14, box.Get("width").Float()-tip.Get("offsetWidth").Float()-8)
	style := tip.Get("style")
	style.Call("setProperty", "left", strconv.FormatFloat(math.Max(x, 4), 'f', 0, 64)+"px")
	style.Call("setProperty", "top", strconv.FormatFloat(y+18, 'f', 0, 64)+"px")
}

// spotOf returns where on the stage an event happened.
func spotOf(ev js.Value) spot {
	t := ev.Get("target")
	if t.Type() != js.TypeObject || t.Get("closest").Type() != js.TypeFunction {
		return spot{}
	}
	svg := t.Call("closest", "[data-plot]")
	if !svg.Truthy() {
		return spot{}
	}
	at := spot{row: svg.Call("getAttribute", "data-plot").String()}
	if ev.Get("clientX").Type() == js.TypeNumber {
		box := svg.Call("getBoundingClientRect")
		at.x, at.y = ev.Get("clientX").Float()-box.Get("left").Float(), ev.Get("clientY").Float()-box.Get("top").Float()
	}
	if g := t.Call("closest", "[data-grip]"); g.Truthy() {
		at.grip = g.Call("getAttribute", "data-grip").String()
	}
	return at
}

// on adds a listener for the life of the page.
func on(target js.Value, name string, passive bool, f func(ev js.Value)) {
	target.Call("addEventListener", name, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	}), map[string]any{"passive": passive})
}

// listen wires pointer, wheel and keys.
func (s *screen) listen(p *panel) {
	root, doc := s.root, js.Global().Get("document")
	is := func(ev js.Value, name, value string) bool { return ev.Get(name).String() == value }
	id := func(ev js.Value) int { return ev.Get("pointerId").Int() }
	on(root, "wheel", false, func(ev js.Value) {
		if p.wheel(spotOf(ev), turn{ev.Get("deltaX").Float(), ev.Get("deltaY").Float(), ev.Get("deltaMode").Int() == 1,
			ev.Get("shiftKey").Bool(), ev.Get("ctrlKey").Bool()}) {
			ev.Call("preventDefault")
		}
	})
	on(root, "keydown", false, func(ev js.Value) {
		if p.key(spotOf(ev), app.PressOf(ev)) {
			ev.Call("preventDefault")
			ev.Call("stopPropagation")
		}
	})
	on(root, "pointermove", true, func(ev js.Value) {
		p.hovers(spotOf(ev), is(ev, "pointerType", "mouse"), ev.Get("buttons").Int() != 0)
	})
	on(root, "pointerleave", true, func(js.Value) { p.left() })
	on(root, "click", true, func(ev js.Value) { p.clicked(spotOf(ev), ev.Get("shiftKey").Bool()) })
	on(root, "dblclick", true, func(ev js.Value) { p.doubled(spotOf(ev)) })
	preview := func(ev js.Value) {
		b := js.Null()
		if t := ev.Get("target"); t.Type() == js.TypeObject && t.Get("closest").Type() == js.TypeFunction {
			b = t.Call("closest", `[data-lever="compact"]`)
		}
		if over := b.Truthy() && !is(ev, "type", "focusout") && !is(ev, "type", "pointerleave"); over {
			p.preview(b.Call("getAttribute", "data-body").String(), true)
		} else {
			p.preview("", false)
		}
	}
	menu := doc.Call("getElementById", "panel-compact")
	for _, name := range [...]string{"pointerover", "focusin", "focusout", "pointerleave"} {
		on(menu, name, true, preview)
	}
	on(root, "pointerdown", true, func(ev js.Value) {
		at := spotOf(ev)
		if ev.Get("button").Int() != 0 {
			at = spot{}
		}
		p.press(at, id(ev), ev.Get("clientX").Float(), is(ev, "pointerType", "touch"))
	})
	// A long press is for what the pointer of a mouse shows, not for the browser's menu.
	on(root, "contextmenu", false, func(ev js.Value) {
		if at := spotOf(ev); at.row != "" && len(p.hand.down) > 0 {
			ev.Call("preventDefault")
		}
	})
	on(doc, "pointermove", true, func(ev js.Value) {
		if len(p.hand.down) > 0 {
			p.drag(id(ev), ev.Get("clientX").Float(), ev.Get("buttons").Int() != 0, func() spot { return spotOf(ev) })
		}
	})
	on(doc, "pointerup", true, func(ev js.Value) {
		if p.hand.down[id(ev)] != nil {
			p.lift(id(ev), true)
		}
	})
	on(doc, "pointercancel", true, func(ev js.Value) { p.lift(id(ev), false) })
}

// measure follows the sizes of the stage and of the unit.
func (s *screen) measure(p *panel) {
	doc := js.Global().Get("document")
	ruler, scroll, unit := doc.Call("getElementById", "st-ruler"), doc.Call("getElementById", "st-scroll"),
		doc.Call("getElementById", "st-unit")
	read := func() {
		size := func(el js.Value, name string) float64 { return el.Get(name).Float() }
		now := sizes{width: size(ruler, "clientWidth"), ruler: size(ruler, "clientHeight"),
			height: size(scroll, "clientHeight"), large: s.app.Presents(),
			unit: unit.Call("getBoundingClientRect").Get("width").Float() / 100}
		if now.width == 0 { // an svg in some engines
			box := ruler.Call("getBoundingClientRect")
			now.width, now.ruler = box.Get("width").Float(), box.Get("height").Float()
		}
		p.sized(now)
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
	on(scroll, "scroll", true, func(js.Value) {
		p.layout.scrolled = scroll.Get("scrollTop").Float()
		p.book()
	})
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
	media("(max-width: 559px), (max-width: 699px) and (min-height: 561px)", func(v bool) { p.scene.Narrow = v })
	media("(min-width: 560px) and (max-height: 560px)", func(v bool) { p.layout.low = v })
	read()
}
