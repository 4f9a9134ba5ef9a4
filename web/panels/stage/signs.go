package stage

import "github.com/tabernetes/tabernetes/web/panels/stage/timeline"

// Sign draws the sign of a Narration in a box of 40 by 24; nothing if it has none.
func Sign(name string) string {
	const x, y, r = 20, 12, 8
	var m markup
	switch name {
	case "":
	case "added", "deleted":
		kind, at := timeline.Added, y+0.85*r
		if name == "deleted" {
			kind, at = timeline.Deleted, y-0.85*r
		}
		mark(&m, kind, "", x, at, r)
	case "modified":
		mark(&m, timeline.Modified, "", x, y, 1.2*r)
	case "open":
		m.s(`<path class="st-line" stroke-width="2" d="M4 12H28"/><path class="st-arrow" stroke-width="2" d="`)
		arrow(&m, 30, y, r)
		m.s(`"/>`)
	case "cut":
		m.s(`<path class="st-line" stroke-width="2" d="M2 12H38"/>`)
		cutMark(&m, "", x, y, r)
	case "ended":
		m.s(`<path class="st-line" stroke-width="2" d="M4 12H24"/><path class="st-cap" stroke-width="3" d="M24 4V20"/>`)
	case "wall":
		m.s(`<path class="st-wall" stroke-width="4" d="M20 2V22"/>`)
	case "server":
		m.s(`<rect class="st-cache" x="4" y="6" width="24" height="12" rx="2"/><path class="st-cachehead" stroke-width="2" ` +
			`d="M28 3V21"/>`)
	case "read", "bad":
		class := "st-read"
		if name == "bad" {
			class += " is-old"
		}
		m.s(`<g class="`, class, `" stroke-width="2"><rect x="14" y="6" width="12" height="12" rx="1"/></g>`)
	default: // the code of an error
		stopSign(&m, x, y, 8.5, name)
	}
	return m.String()
}

func mark(m *markup, kind timeline.Kind, class string, x, y, r float64) {
	m.s(`<path class="st-mark `, kind.Class(), class, `" d="`)
	glyph(m, kind, x, y, r)
	m.s(`"/>`)
}

func stopSign(m *markup, x, y, r float64, code string) {
	m.s(`<g class="st-stop"><path d="`)
	stop(m, x, y, r)
	m.s(`"/><text font-size="`).n(1.4 * r).s(`" x="`).n(x).s(`" y="`).n(y + 0.5*r).s(`">`).e(code).s(`</text></g>`)
}

// The box of a Picture, and the most that a sign takes of it.
const (
	pictureWidth, pictureHeight = 240.0, 60.0
	pictureEdge, pictureSlot    = 12.0, 42.0
)

// Picture draws the picture of a scene: rows of signs (format.SceneSigns), each on its line. Signs that are not known
// are left out.
func Picture(rows [][]string) string {
	var m markup
	high := pictureHeight / float64(len(rows))
	for i, row := range rows {
		pictureRow(&m, row, high*(float64(i)+0.5), min(7, high*0.32))
	}
	return m.String()
}

func pictureRow(m *markup, row []string, y, r float64) {
	slot := min(pictureSlot, (pictureWidth-2*pictureEdge)/float64(len(row)))
	left := (pictureWidth - slot*float64(len(row))) / 2
	at := func(i int) float64 { return left + slot*(float64(i)+0.5) }
	stroke := func(class string, a, b float64) {
		m.s(`<path class="`, class, `" stroke-width="2" d="M`).n(a).s(" ").n(y).s("H").n(b).s(`"/>`)
	}
	for i, sign := range row { // the lines first, so that marks lie on them
		from, to := at(i)-slot/2, at(i)+slot/2
		switch sign {
		case "start":
			stroke("st-line", at(i), to)
		case "arrow", "cap", "410", "504":
			stroke("st-line", from, at(i))
		case "403", "409", "429", "503", "added", "modified", "deleted", "bookmark", "line", "initial", "end":
			stroke("st-line", from, to)
		case "cut", "gap":
			stroke("st-dots", from, to)
		}
	}
	for i, sign := range row {
		pictureSign(m, sign, at(i), y, r, slot)
	}
}

func pictureSign(m *markup, sign string, x, y, r, slot float64) {
	switch sign {
	case "added":
		mark(m, timeline.Added, "", x, y, r)
	case "modified":
		mark(m, timeline.Modified, "", x, y, r)
	case "deleted":
		mark(m, timeline.Deleted, "", x, y, r)
	case "initial":
		mark(m, timeline.Added, " is-initial", x, y, r)
	case "start":
		m.s(`<circle class="st-start" stroke-width="2" cx="`).n(x).s(`" cy="`).n(y).s(`" r="`).n(0.6 * r).s(`"/>`)
	case "bookmark", "end":
		class := "st-ribbon"
		if sign == "end" {
			class += " is-full"
		}
		m.s(`<path class="`, class, `" stroke-width="1.5" d="`)
		ribbon(m, x, y, r, 1.7*r)
		m.s(`"/>`)
	case "arrow":
		m.s(`<path class="st-arrow" stroke-width="2" d="`)
		arrow(m, x, y, r)
		m.s(`"/>`)
	case "cut":
		cutMark(m, "", x, y, r)
	case "cap":
		m.s(`<path class="st-cap" stroke-width="2.6" d="M`).n(x).s(" ").n(y - r).s("v").n(2 * r).s(`"/>`)
	case "wall":
		m.s(`<path class="st-wall" stroke-width="4" d="M`).n(x - slot/4).s(" ").n(y - 3.4*r).s("V").n(y + 3.4*r).s(`"/>`)
	case "cache", "late":
		end := pictureWidth - 20
		if sign == "late" {
			end *= 0.6
		}
		m.s(`<rect class="st-cache" x="20" y="`).n(y - 0.8*r).s(`" width="`).n(end - 20).s(`" height="`).n(1.6 * r).
			s(`" rx="2"/><path class="st-cachehead" stroke-width="2" d="M`).n(end).s(" ").n(y - 1.3*r).s("v").n(2.6 * r).s(`"/>`)
	case "read", "old":
		class := "st-read"
		if sign == "old" {
			class += " is-old"
		}
		m.s(`<g class="`, class, `" stroke-width="2"><rect x="`).n(x - 0.7*r).s(`" y="`).n(y + 0.6*r).
			s(`" width="`).n(1.4 * r).s(`" height="`).n(1.4 * r).s(`" rx="1"/></g>`)
	case "page", "lost":
		class := "st-bracketed"
		if sign == "lost" {
			class += " is-loose"
		}
		a, b, h := x-slot*0.42, x+slot*0.42, 2*r
		m.s(`<path class="`, class, `" stroke-width="2" d="M`).n(a + 6).s(" ").n(y - h).s("H").n(a).s("V").n(y + h).s("h6M").
			n(b - 6).s(" ").n(y - h).s("H").n(b).s("V").n(y + h).s(`h-6"/>`)
	default:
		if sign != "" && sign[0] <= '9' { // the code of an error
			stopSign(m, x, y, 1.3*r, sign)
		}
	}
}
