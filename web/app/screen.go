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

	dirty   map[*dom.Element][]Part // renderings due at the next frame
	order   []*dom.Element
	booked  bool
	flushed js.Func // flush, as the page calls it

	yields yields
}

// New returns the lab of this page. Add the panels, then call Begin.
func New() *App {
	shim := js.Global().Get("tabernetes")
	a := begin(screen{
		Doc: dom.GetDocument(), Page: js.Global().Get("tabernetesLab"), dirty: map[*dom.Element][]Part{},
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
		a.RenderTogether(Part{el, make})
	}
}

// Part is an element, and what makes its content.
type Part struct {
	El   *dom.Element
	Make func() templ.Component
}

// RenderTogether is RenderFunc for several elements that say one thing: they change in the same frame. Later calls for
// the first of them replace all.
func (a *App) RenderTogether(parts ...Part) {
	first := parts[0].El
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
	a.order, a.dirty = nil, map[*dom.Element][]Part{}
	var b strings.Builder
	for i, el := range order {
		if i > 0 && time.Since(began) > drawTime {
			a.putOff(order[i:], dirty)
			return
		}
		for _, part := range dirty[el] {
			b.Reset()
			if err := part.Make().Render(context.Background(), &b); err != nil {
				js.Global().Get("console").Call("error", "render "+part.El.ID()+": "+err.Error())
				continue
			}
			a.Page.Call("patch", part.El.Underlying(), b.String())
		}
	}
}

// putOff leaves renderings to the next frame, before those that were asked for meanwhile.
func (a *App) putOff(order []*dom.Element, dirty map[*dom.Element][]Part) {
	later := a.order
	a.order = order
	for _, el := range order {
		if a.dirty[el] == nil {
			a.dirty[el] = dirty[el]
		}
	}
	for _, el := range later {
		if !slices.Contains(order, el) {
			a.order = append(a.order, el)
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
