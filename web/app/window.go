//go:build js && wasm

package app

import (
	"syscall/js"

	"github.com/tabernetes/tabernetes/web/app/dom"
)

const (
	rowHeight = 25 // of a row of a list, as rows.css has it
	spareRows = 12 // drawn above and below what is seen
)

// A Window is the visible part of a long list: only that is drawn.
type Window struct {
	el          *dom.Element
	top, height int
	// rowHeight is what the style makes of a row: more where fingers point.
	rowHeight int
	// observed says that changes of the element's size are reported, as scrolling is.
	observed bool
}

// NewWindow returns the window of a scrolling element.
func (a *App) NewWindow(el *dom.Element) *Window {
	w := &Window{el: el, rowHeight: rowHeight, observed: js.Global().Get("ResizeObserver").Truthy()}
	w.Measure()
	a.Page.Call("watchSize", el.Underlying())
	return w
}

// Measure reads where the list is scrolled to. It forces a layout: call it when
// that has changed.
func (w *Window) Measure() {
	v := w.el.Underlying()
	w.top, w.height = v.Get("scrollTop").Int(), v.Get("clientHeight").Int()
	w.rowHeight = rowHeight
	if row := v.Call("querySelector", "tbody tr:not(.spacer) td"); row.Truthy() {
		if h := row.Get("offsetHeight").Int(); h > 0 {
			w.rowHeight = h
		}
	}
}

// Shown reports whether the list is in view, as of the last Measure; always, where
// a browser does not say.
func (w *Window) Shown() bool { return w.height > 0 || !w.observed }

// ToTop scrolls back to the beginning.
func (w *Window) ToTop() {
	w.el.Underlying().Set("scrollTop", 0)
	w.top = 0
}

// Reveal scrolls a row into view.
func (w *Window) Reveal(i int) {
	const head = 28 // the headings stay at the top, over the rows
	top := i * w.rowHeight
	switch {
	case top < w.top:
		w.top = top
	case top+w.rowHeight > w.top+w.height-head && w.height > 0:
		w.top = top + w.rowHeight - w.height + head
	default:
		return
	}
	w.el.Underlying().Set("scrollTop", w.top)
}

// Page returns how many rows can be seen at a time.
func (w *Window) Page() int { return max(1, w.height/w.rowHeight-1) }

// Rows returns the rows to draw of n, and the pixels above and below them.
func (w *Window) Rows(n int) (from, to, above, below int) {
	from = max(0, min(w.top/w.rowHeight-spareRows, n))
	to = min(n, (w.top+max(w.height, 300))/w.rowHeight+spareRows)
	from = min(from, to)
	return from, to, from * w.rowHeight, (n - to) * w.rowHeight
}
