package stage

import (
	"strings"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/text"
)

// A pageRow is the drawing of a list that comes in pages.
type pageRow struct {
	*timeline.Chain
	key       func(float64) float64 // where an item's place is on the axis of keys
	top, foot float64               // of the brackets
	m         markup
	room      room
}

// Page draws a list that comes in pages: lines lead from the revisions of its
// pages on the axis to a second axis, that of its keys.
func (sc *Scene) Page(c *timeline.Chain, height float64) string {
	sc = sc.grown(height, PageUnits)
	v, u := sc.View, sc.U
	row := &pageRow{Chain: c, top: height - 68*u, foot: height - 40*u, room: room{width: v.Width}}
	m, split := &row.m, pageAxis*u
	e := sc.edgeOf(sc.Listed(c), true)
	sc.back(m, e, 0, split)
	sc.playLine(m, 0, split)
	sc.thread(m, 0, 0, split)
	left, right := 18*u, v.Width-26*u
	rest := sc.rest(c)
	all := float64(c.Items()) + rest
	row.key = func(n float64) float64 { return left + n/max(all, 1)*(right-left) }

	var said []words
	for i := 0; i < len(c.Pages); { // one fan for the pages of each moment
		j := i
		for j < len(c.Pages) && c.Pages[j].Rev == c.Pages[i].Rev {
			j++
		}
		to := float64(c.Pages[j-1].To)
		if j == len(c.Pages) && rest > 0 {
			to = all
		}
		said = append(said, sc.fan(row, i, j, to))
		i = j
	}
	sc.bar(m, &row.room, e, 0, split)
	sc.takeLines(&row.room, 0, split)
	for _, w := range said {
		other := w
		other.class, other.x = w.class+" end", w.x-28*u
		m.say(&row.room, w, other)
	}
	if len(c.Pages) == 0 {
		return m.String()
	}
	spans := row.spans(u)
	sc.brackets(row, spans)
	said = sc.gone(row)
	sc.numbers(row, spans)
	shown := 0
	for _, w := range said {
		at := w.box()
		half := (at.right - at.left) / 2
		w.x = min(max(w.x, half+8*u), v.Width-half-8*u)
		if shown < 3 && m.say(&row.room, w) {
			shown++
		}
	}
	if rest > 0 {
		a, b := row.key(float64(c.Items()))+4*u, row.key(all)
		y := (row.top + row.foot) / 2
		m.s(`<path class="st-dots" stroke-width="`).n(1.6 * u).s(`" d="M`).n(a).s(" ").n(y).s("H").n(b).s(`"/>`)
		word := "more remain"
		if c.Remaining > 0 {
			word = text.Count(c.Remaining) + " remain"
		}
		row.within(a, b, words{"soft strong mid", 13.5 * u, (a + b) / 2, y + 4.5*u, word})
	}
	m.s(`<path class="st-keys" d="M`).n(left).s(" ").n(row.foot + 9*u).s("H").n(right).s(`"/>`)
	return m.String()
}

// fan draws the moment of the pages i to j - 1, which opens into their keys, as far as that of the item at to. It
// returns what is to be said of it.
func (sc *Scene) fan(row *pageRow, i, j int, to float64) words {
	v, u, m := sc.View, sc.U, &row.m
	p := row.Pages[i]
	top, line := pageAxis*sc.U, row.top
	x := min(max(v.X(p.Rev), 8*u), v.Width-8*u)
	x += row.room.push(around(x, 17*u, 8*u, 10*u))
	a, b := row.key(float64(p.From-1)), row.key(to)
	class := sc.laterClass(p.Rev)
	if p.Inconsistent {
		class += " is-loose"
	}
	m.s(`<path class="st-fan`, class,
		`" data-ref="rev-`).i(p.Rev).s(`" d="M`).n(x).s(" ").n(top - 2*u).s("L").n(b).s(" ").n(line).s("H").n(a).s(`z"/>`)
	m.s(`<path class="st-pole`, class,
		`" stroke-width="`).n(2*u).s(`" d="M`).n(x).s(" 0V").n(top-2*u).s(`"/><path class="st-snap`, class,
		`" stroke-width="`).n(1.8 * u).s(`" d="`)
	diamond(m, x, 17*u, 8*u)
	m.s(`"/>`)
	said := words{"strong", 13 * u, x + 14*u, 21 * u, "as of " + itoa(p.Rev)}
	if len(row.Pages) > j || i > 0 {
		said.text = pageRange(i+1, j) + " as of " + itoa(p.Rev)
	}
	if p.Inconsistent {
		said.class = "bad strong"
	}
	return said
}

// within writes words between two places at the first place that is free: in the middle, or in one of the halves.
func (row *pageRow) within(a, b float64, w words) {
	for _, part := range [...]float64{0.5, 0.25, 0.75} {
		w.x = a + part*(b-a)
		if at := w.box(); at.left > a && at.right < b && row.m.say(&row.room, w) {
			return
		}
	}
}

func pageRange(from, to int) string {
	if from == to {
		return "page " + itoa(int64(from))
	}
	return "pages " + itoa(int64(from)) + " to " + itoa(int64(to))
}

// rest returns how many keys are left, an estimate where the server does not say.
func (sc *Scene) rest(c *timeline.Chain) float64 {
	switch {
	case c.Done():
		return 0
	case c.Remaining > 0:
		return float64(c.Remaining)
	}
	return max(float64(c.Items())*0.15, 1)
}

// A span is some pages of one moment that share a pair of brackets, from a to b.
type span struct {
	first, last timeline.Page
	a, b        float64
}

// spans returns the brackets: a pair for each page that has room for one, apart from those beside it.
func (row *pageRow) spans(u float64) (out []span) {
	for _, p := range row.Pages {
		if p.From == 0 {
			continue
		}
		if n := len(out) - 1; n >= 0 && out[n].last.Inconsistent == p.Inconsistent &&
			row.key(float64(out[n].last.To))-row.key(float64(out[n].first.From-1)) < 16*u {
			out[n].last = p
		} else {
			out = append(out, span{first: p, last: p})
		}
	}
	for i := range out {
		s := &out[i]
		s.a, s.b = row.key(float64(s.first.From-1)), row.key(float64(s.last.To))
		inset := min(4*u, (s.b-s.a)/4)
		s.a, s.b = s.a+inset, s.b-inset
	}
	return out
}

func (sc *Scene) brackets(row *pageRow, spans []span) {
	m, u, top, bottom := &row.m, sc.U, row.top, row.foot
	var firm, loose markup
	for _, s := range spans {
		w := min(8*u, (s.b-s.a)/3, (s.b-s.a)/2-1.2*u)
		if w < 0 {
			continue
		}
		to := &firm
		if s.last.Inconsistent {
			to = &loose
		}
		to.s("M").n(s.a + w).s(" ").n(top).s("H").n(s.a).s("V").n(bottom).s("h").n(w)
		to.s("M").n(s.b - w).s(" ").n(top).s("H").n(s.b).s("V").n(bottom).s("h").n(-w)
		row.room.take(box{s.a - u, top - u, s.a + w + u, bottom + u})
		row.room.take(box{s.b - w - u, top - u, s.b + u, bottom + u})
	}
	m.s(`<path class="st-bracketed" stroke-width="`).n(2*u).s(`" d="`, firm.String(), `"/>`)
	if len(loose.b) > 0 {
		m.s(`<path class="st-bracketed is-loose" stroke-width="`).n(2*u).s(`" d="`, loose.String(), `"/>`)
	}
}

// numbers writes which items the pages have.
func (sc *Scene) numbers(row *pageRow, spans []span) {
	u := sc.U
	for _, s := range spans {
		row.m.s(`<g data-ref="`).e(s.first.Ref()).s(`">`)
		row.within(s.a, s.b, words{"strong mid", 13.5 * u, 0, (row.top+row.foot)/2 + 4.5*u,
			text.Count(s.first.From) + " – " + text.Count(s.last.To)})
		row.m.s(`</g>`)
	}
}

// place returns about where an object's key lies among a list's items: within a page it is estimated by the letters of
// the keys.
func place(c *timeline.Chain, key string) (n float64, page int, ok bool) {
	for i, p := range c.Pages {
		if p.From == 0 || key > p.Last {
			continue
		}
		f := fraction(p.First, p.Last, key)
		return float64(p.From-1) + f*float64(p.To-p.From+1), i, true
	}
	if c.Done() || len(c.Pages) == 0 {
		return 0, 0, false
	}
	return float64(c.Items()) + 0.5*max(float64(c.Remaining), 1), len(c.Pages), true
}

// fraction returns how far a key lies between two others, by their letters.
func fraction(lo, hi, key string) float64 {
	n := 0
	for n < len(lo) && n < len(hi) && lo[n] == hi[n] {
		n++
	}
	value := func(s string) (v float64) {
		scale := 1.0
		for i := n; i < min(len(s), n+8); i++ {
			scale /= 128
			v += float64(s[i]&127) * scale
		}
		return v
	}
	a, b := value(lo), value(hi)
	if b <= a {
		return 0.5
	}
	return min(max((value(key)-a)/(b-a), 0.01), 0.99)
}

// gone marks objects that existed when the list began and were deleted since. Pages of a revision before the deletion
// have such an object, also those that are not read yet; pages of a later revision miss it. It returns what to say of
// that.
func (sc *Scene) gone(row *pageRow) (said []words) {
	c, u, m, y := row.Chain, sc.U, &row.m, (row.top+row.foot)/2
	var ghosts markup
	for i := max(c.Since.Len()-200, 0); i < c.Since.Len(); i++ {
		k := c.Since.At(i)
		if k.Kind != timeline.Deleted {
			continue
		}
		o := sc.Objects.Get(k.Obj)
		name := o.Name
		if o.Namespace != "" && c.Target.Namespace == "" {
			name = o.Namespace + "/" + name
		} else if len(c.Pages) > 0 && strings.Contains(c.Pages[0].First, "/") {
			name = o.Namespace + "/" + name
		}
		at, page, ok := place(c, name)
		if !ok {
			continue
		}
		x, came := row.key(at), page < len(c.Pages)
		shown := c.Snapshot // of the pages to come
		if came {
			shown = c.Pages[page].Rev
		}
		missing := shown >= k.Rev
		if had := c.Since.Had(k.Obj, shown); missing && (had || !c.Since.Had(k.Obj, c.Pages[0].Rev)) ||
			!missing && (!had || !came && c.Gone != "") {
			continue
		}
		w := words{"soft mid", 12.5 * u, x, row.foot + 28*u, o.Name + ", deleted later: still to come"}
		switch {
		case missing:
			w.class, w.text = "bad strong mid", o.Name+" is missing: deleted at "+itoa(k.Rev)
		case came: // between the brackets of its page
			w.text = o.Name + ", deleted later: still on page " + itoa(int64(page+1))
			x = min(max(x, row.key(float64(c.Pages[page].From-1))+20*u), row.key(float64(c.Pages[page].To))-20*u)
			if row.room.claim(markBox(timeline.Deleted, x, y-4*u, 8*u)) {
				glyph(&ghosts, timeline.Deleted, x, y-4*u, 7*u)
			}
		}
		m.s(`<path class="st-keytick" d="M`).n(x).s(" ").n(row.foot + 5*u).s("v").n(8 * u).s(`"/>`)
		said = append(said, w)
	}
	if len(ghosts.b) > 0 {
		m.s(`<path class="st-mark deleted is-untold" d="`, ghosts.String(), `"/>`)
	}
	return said
}
