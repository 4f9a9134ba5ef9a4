package app

const (
	rowHeight = 25 // of a row of a list, as rows.css has it
	spareRows = 12 // drawn above and below what is seen
)

// A Window is the visible part of a long list: only that is drawn.
type Window struct {
	pane
	top, height int
	// rowHeight is what the style makes of a row: more where fingers point.
	rowHeight int
	// observed says that changes of the element's size are reported, as scrolling is.
	observed bool
}

// take takes where the list is scrolled to, how high it is, and how high one of its rows; 0: none is drawn.
func (w *Window) take(top, height, row int) {
	w.top, w.height, w.rowHeight = top, height, rowHeight
	if row > 0 {
		w.rowHeight = row
	}
}

// Shown reports whether the list is in view, as of the last Measure; always, where
// a browser does not say.
func (w *Window) Shown() bool { return w.height > 0 || !w.observed }

// ToTop scrolls back to the beginning.
func (w *Window) ToTop() {
	w.top = 0
	w.scroll(0)
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
	w.scroll(w.top)
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
