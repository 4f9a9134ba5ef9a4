//go:build js && wasm

package app

import (
	"context"
	"slices"
	"strings"
	"syscall/js"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app/dom"
)

// screen is the page on which the lab draws, and whose events it receives.
type screen struct {
	Doc dom.Document
	// Page is lab.js: batching, patching, delegation.
	Page js.Value

	dirty   map[place][]part // renderings due at the next frame
	order   []place
	booked  bool
	flushed js.Func // flush, as the page calls it

	yields yields
}

// New returns the lab of this page. Add the panels, then call Begin.
func New() *App {
	shim := js.Global().Get("tabernetes")
	a := begin(screen{
		Doc: dom.GetDocument(), Page: js.Global().Get("tabernetesLab"), dirty: map[place][]part{},
	}, shim.Get("place").String(), shim.Get("page").String())
	a.flushed = js.FuncOf(func(js.Value, []js.Value) any {
		a.flush()
		return nil
	})
	return a
}

// Panel returns the element with the id "panel-<name>", or nil.
func (a *App) Panel(name string) *dom.Element { return a.Doc.GetElementByID("panel-" + name) }

// Render makes the content of el be c at the next animation frame, changing only the nodes that differ. Elements are
// matched by their id or data-key among their siblings, otherwise by position. Several calls for one element before a
// frame cost one rendering: the last.
func (a *App) Render(el *dom.Element, c templ.Component) {
	a.RenderFunc(el, func() templ.Component { return c })
}

// RenderFunc is Render with a component that is made only when the frame comes,
// so that a burst of changes costs one.
func (a *App) RenderFunc(el *dom.Element, make func() templ.Component) {
	if el != nil {
		a.due(part{place{el: el}, make})
	}
}

// Draw is RenderFunc for the element with an id, if there is one when the frame comes.
//
//go:noinline
func (a *App) Draw(id string, make func() templ.Component) { a.due(part{place{id: id}, make}) }

// DrawTogether is Draw for several elements that say one thing: they change in the same frame. Later calls for the
// first of them replace all.
func (a *App) DrawTogether(all ...Drawing) {
	parts := make([]part, len(all))
	for i, d := range all {
		parts[i] = part{place{id: d.ID}, d.Make}
	}
	a.due(parts...)
}

// A place is where something is drawn: an element, or the id of one, which is looked for when it is drawn. An element
// of Go is no place: each time that it is looked for it is another one.
type place struct {
	el *dom.Element
	id string
}

// part is a place, and what makes its content.
type part struct {
	at   place
	make func() templ.Component
}

// due has parts drawn in the next frame, all in the same one.
func (a *App) due(parts ...part) {
	first := parts[0].at
	if a.dirty[first] == nil {
		a.order = append(a.order, first)
	}
	a.dirty[first] = parts
	a.book("after")
}

// book asks for a frame, once: "after" what else is drawn in it or, for what is left of this one, "rest".
func (a *App) book(when string) {
	if !a.booked {
		a.booked = true
		a.Page.Call(when, a.flushed)
	}
}

// Attend has what is due drawn at once, as after an act of a person, who waits for it. Else a busy page draws two or
// three times a second (frames.js).
func (a *App) Attend() { a.Page.Call("attend") }

// drawTime is how long one frame draws before it leaves the rest to the next.
const drawTime = 16 * time.Millisecond

// flush does the renderings that are due, in the order of their first call. It runs once per frame.
func (a *App) flush() {
	a.booked = false
	began := time.Now()
	order, dirty := a.order, a.dirty
	a.order, a.dirty = nil, map[place][]part{}
	var b strings.Builder
	for i, at := range order {
		if i > 0 && time.Since(began) > drawTime {
			a.putOff(order[i:], dirty)
			return
		}
		for _, part := range dirty[at] {
			el := part.at.el
			if el == nil {
				el = a.Doc.GetElementByID(part.at.id)
			}
			if el == nil {
				continue
			}
			b.Reset()
			if err := part.make().Render(context.Background(), &b); err != nil {
				js.Global().Get("console").Call("error", "render "+el.ID()+": "+err.Error())
				continue
			}
			a.Page.Call("patch", el.Underlying(), b.String())
		}
	}
}

// putOff leaves renderings to the next frame, before those that were asked for meanwhile.
func (a *App) putOff(order []place, dirty map[place][]part) {
	later := a.order
	a.order = order
	for _, at := range order {
		if a.dirty[at] == nil {
			a.dirty[at] = dirty[at]
		}
	}
	for _, at := range later {
		if !slices.Contains(order, at) {
			a.order = append(a.order, at)
		}
	}
	a.book("rest")
}

// Action calls f when an element with data-action="name" is used: a form on submit, an input, select or textarea on
// change, anything else on click. data-on="input" (or keydown, …) on the element names another event. A submitted form
// does not navigate.
//
//go:noinline
func (a *App) Action(name string, f func(el *dom.Element, ev dom.Event)) {
	a.OnUse(name, func(u Use) { f(u.El, u.Event) })
}

// Key calls f when a key is pressed anywhere in the page where nothing is typed; f reports whether it used it. Of
// several functions for a key the last one is asked first.
func (a *App) Key(key string, f func(ev js.Value) bool) {
	a.Page.Call("key", key, js.FuncOf(func(_ js.Value, args []js.Value) any { return f(args[0]) }))
}

// Abort ends the request with that tap id, no matter which part of the page made it.
func (a *App) Abort(id int) { js.Global().Get("tabernetes").Call("abort", id) }

// Cut breaks the connection of the request of that tap id, as a network does.
func (a *App) Cut(id int) { js.Global().Get("tabernetes").Call("cut", id) }
