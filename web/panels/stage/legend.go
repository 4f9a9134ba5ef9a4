package stage

import "github.com/tabernetes/tabernetes/web/panels/stage/timeline"

// A Glyph is an entry of the legend.
type Glyph struct {
	Name, Words string
	SVG         string // in a box of 92 by 48, its line at 26
}

// Glyphs returns the legend: of a watch's events, of its line, of the cluster.
func Glyphs() (events, line, cluster []Glyph) {
	const w, y, r = 92.0, 26.0, 10.0
	draw := func(from, to float64, f func(m *markup)) string {
		var m markup
		if to > from {
			m.s(`<path class="st-line" stroke-width="2" d="M`).n(from).s(" ").n(y).s("H").n(to).s(`"/>`)
		}
		f(&m)
		return m.String()
	}
	path := func(m *markup, class string, f func()) {
		m.s(`<path class="`, class, `" stroke-width="2" d="`)
		f()
		m.s(`"/>`)
	}
	mark := func(kind timeline.Kind, class string) func(m *markup) {
		return func(m *markup) {
			path(m, "st-mark "+kind.Class()+class, func() { glyph(m, kind, w/2, y, r) })
		}
	}
	events = []Glyph{
		{"Added", "above the line: it was created", draw(8, 84, mark(timeline.Added, ""))},
		{"Modified", "on the line: it was changed", draw(8, 84, mark(timeline.Modified, ""))},
		{"Deleted", "below the line: it was deleted", draw(8, 84, mark(timeline.Deleted, ""))},
		{"Added, initial state", "outlined, in a dashed band: described, not just created", draw(8, 84, func(m *markup) {
			m.s(`<rect class="st-band" x="10" y="5" width="68" height="40" rx="4"/>`)
			mark(timeline.Added, " is-initial")(m)
		})},
		{"Bookmark", "hollow ribbon: progress without an object", draw(8, 84, func(m *markup) {
			path(m, "st-ribbon", func() { ribbon(m, w/2, y, r, 1.7*r) })
		})},
		{"End of the initial events", "filled ribbon", draw(8, 84, func(m *markup) {
			path(m, "st-ribbon is-full", func() { ribbon(m, w/2, y, r, 1.7*r) })
		})},
		{"Error", "stop sign with its code; the line ends there", draw(8, 30, func(m *markup) {
			m.s(`<g class="st-stop"><path d="`)
			stop(m, 52, y, 9.5)
			m.s(`"/><text font-size="14" x="52" y="31">410</text></g>`)
		})},
		{"Replayed", "an event on dots: received after resuming", draw(0, 0, func(m *markup) {
			m.s(`<path class="st-dots" stroke-width="1.6" d="M8 26H84"/>`)
			mark(timeline.Added, "")(m)
		})},
	}
	line = []Glyph{
		{"Start", "ring at N: everything after N", draw(24, 84, func(m *markup) {
			m.s(`<circle class="st-start" stroke-width="2" cx="24" cy="26" r="6"/>`)
		})},
		{"Open", "arrow: more will come", draw(8, 70, func(m *markup) {
			path(m, "st-arrow", func() { arrow(m, 72, y, r) })
		})},
		{"Ended", "flat cap: closed by its client, or timed out", draw(8, 62, func(m *markup) {
			m.s(`<path class="st-cap" stroke-width="3.4" d="M62 16V36"/>`)
		})},
		{"Cut", "two strokes, then dots: no events arrive", draw(8, 46, func(m *markup) {
			m.s(`<path class="st-dots" stroke-width="1.6" d="M52 26H84"/><g class="st-cut" stroke-width="2.6"><path d="`)
			strokes(m, 46, y, r)
			m.s(`"/></g>`)
		})},
		{"Resume point", "house on the lane's lower edge: the client's own number", draw(8, 46, func(m *markup) {
			path(m, "st-house", func() { house(m, 46, 46, 8) })
		})},
		{"Resume point, gone", "the same, hollow and red: before the lane's edge, refused", draw(8, 46, func(m *markup) {
			path(m, "st-house is-gone", func() { house(m, 46, 46, 8) })
		})},
		{"Not received", "the thread goes round a lane that the write does not concern", draw(8, 84, func(m *markup) {
			m.s(`<path class="st-thread" stroke-width="1.8" d="M46 0V18a8 8 0 0 1 0 16V48"/>`)
		})},
	}
	cluster = []Glyph{
		{"etcd's head", "filled flag: the newest revision", draw(0, 0, func(m *markup) {
			m.s(`<g class="st-head"><path stroke-width="2" d="M40 4V46"/><path class="st-flag" d="`)
			flag(m, 40, 14, 9)
			m.s(`"/></g>`)
		})},
		{"A cache's head", "hollow dashed flag: how far one API server has read", draw(0, 0, func(m *markup) {
			m.s(`<g class="st-head is-cache"><path stroke-width="2" d="M40 4V46"/><path class="st-flag" d="`)
			flag(m, 40, 14, 9)
			m.s(`"/></g>`)
		})},
		{"Wall", "etcd's: the hatched part is compacted; drag the grip to compact to N", draw(0, 0, func(m *markup) {
			m.s(`<path class="st-gone" fill="url(#st-hatch)" d="M4 4H44V46H4z"/><path class="st-wall" stroke-width="4" ` +
				`d="M46 4V46"/><g class="st-grip"><rect x="40" y="4" width="12" height="18" rx="3"/><path d="M44 9v8m4-8v8"/></g>`)
		})},
		{"Edge", "in a lane: where the buffer of its type begins. Arrow: events push it", draw(40, 84, func(m *markup) {
			m.s(`<path class="st-gone" fill="url(#st-hatch)" d="M4 4H38V46H4z"/><path class="st-wall" stroke-width="4" ` +
				`d="M40 6V44"/><path class="st-push-out" d="M42 31l9.5 5l-9.5 5z"/>`)
		})},
		{"Edge, started over", "ring: the server restarted, or the cache was listed again", draw(40, 84, func(m *markup) {
			m.s(`<path class="st-gone" fill="url(#st-hatch)" d="M4 4H38V46H4z"/><path class="st-wall" stroke-width="4" ` +
				`d="M40 6V44"/>`)
			path(m, "st-again", func() { ringArrow(m, 51, 37, 5) })
		})},
		{"Buffer", "beside a lane's name: how full it is; none: the type reads etcd", draw(0, 0, func(m *markup) {
			m.s(`<rect class="st-fold" x="40" y="6" width="10" height="36" rx="2"/><path class="st-push-out" d="M41 ` +
				`26h8v15h-8z"/>`)
		})},
		{"Snapshot", "the revision of a list; its pages open below", draw(0, 0, func(m *markup) {
			m.s(`<path class="st-pole" stroke-width="2" d="M46 4V46"/><path class="st-snap" stroke-width="2" d="`)
			diamond(m, 46, 24, 9)
			m.s(`"/>`)
		})},
		{"Read", "square on a server's bar, at the revision that it answered with", draw(8, 84, func(m *markup) {
			m.s(`<g class="st-read" stroke-width="2"><rect x="40" y="20" width="12" height="12" rx="1"/></g>`)
		})},
		{"Frozen", "on a server's bar: it reads no further", draw(8, 84, func(m *markup) {
			path(m, "st-crystal", func() { crystal(m, w/2, y, 9) })
		})},
		{"Request", "a square above what it wrote; a bracket where it wrote twice", draw(0, 0, func(m *markup) {
			m.s(`<path class="st-request" d="M33 10h5v5h-5z"/><path class="st-bracket" d="M62 20V12.5H40"/>`)
			path(m, "st-mark modified", func() { disc(m, 36, 34, 7) })
			path(m, "st-mark deleted", func() { glyph(m, timeline.Deleted, 62, 30, 8) })
		})},
		{"Fold", "a run of revisions in one box", draw(0, 0, func(m *markup) {
			m.s(`<rect class="st-fold" x="14" y="8" width="64" height="34" rx="4"/><path class="st-foldlines" d="M22 ` +
				`16v18m6-18v18m6-18v18m6-18v18m6-18v18m6-18v18m6-18v18m6-18v18"/>`)
		})},
		{"Counts", "where a revision has too little room: up: created, down: deleted", draw(0, 0, func(m *markup) {
			m.s(`<path class="st-mark added" d="M20 8h10v14h-10zM32 4h10v18h-10zM44 12h10v10h-10z"/><path class="st-mark ` +
				`modified" d="M20 22h10v8h-10zM32 22h10v6h-10zM44 22h10v10h-10z"/><path class="st-mark deleted" d="M20 ` +
				`30h10v6h-10zM44 32h10v10h-10z"/>`)
		})},
		{"Later", "outlined: after the playhead", draw(8, 84, mark(timeline.Added, " is-later"))},
	}
	return events, line, cluster
}
