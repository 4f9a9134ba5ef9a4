package stage

import (
	"strings"

	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/timeline"
)

// Page draws a list that comes in pages: a moment of the axis that opens into
// its keys, which have an axis of their own.
func (sc *Scene) Page(c *timeline.Chain, height float64) string {
	var m markup
	v, u := sc.View, sc.U
	split := pageAxis * u
	e := sc.edgeOf(sc.Listed(c), true)
	sc.back(&m, e, 0, split)
	sc.front(&m, e, 0, split)
	sc.thread(&m, 0, 0, split)
	if len(c.Pages) == 0 {
		return m.String()
	}
	left, right := 18*u, v.Width-26*u
	rest := sc.rest(c)
	all := float64(c.Items()) + rest
	key := func(n float64) float64 { return left + n/max(all, 1)*(right-left) }
	top, line := split, height-68*u
	foot := line + 28*u

	// One fan for the pages of each moment.
	for i := 0; i < len(c.Pages); {
		j := i
		for j < len(c.Pages) && c.Pages[j].Rev == c.Pages[i].Rev {
			j++
		}
		p, q := c.Pages[i], c.Pages[j-1]
		x := min(max(v.X(p.Rev), 8*u), v.Width-8*u)
		a, b := key(float64(p.From-1)), key(float64(q.To))
		if j == len(c.Pages) && rest > 0 {
			b = key(all)
		}
		loose := ""
		if p.Inconsistent {
			loose = " is-loose"
		}
		m.s(`<path class="st-fan`, loose,
			`" data-ref="rev-`).i(p.Rev).s(`" d="M`).n(x).s(" ").n(top - 2*u).s("L").n(b).s(" ").n(line).s("H").n(a).s(`z"/>`)
		m.s(`<path class="st-pole`, loose,
			`" stroke-width="`).n(2*u).s(`" d="M`).n(x).s(" 0V").n(top-2*u).s(`"/><path class="st-snap`, loose,
			`" stroke-width="`).n(1.8 * u).s(`" d="`)
		diamond(&m, x, 17*u, 8*u)
		m.s(`"/>`)
		words := "as of " + itoa(p.Rev)
		if len(c.Pages) > j || i > 0 {
			words = pageRange(i+1, j) + " as of " + itoa(p.Rev)
		}
		class := "strong"
		if p.Inconsistent {
			class = "bad strong"
		}
		if x > float64(len(words))*7.5*u+24*u && !p.Inconsistent || x > v.Width-160*u {
			m.halo(class+" end", 13*u, x-14*u, 21*u, words)
		} else {
			m.halo(class, 13*u, x+14*u, 21*u, words)
		}
		i = j
	}
	sc.brackets(&m, c, key, line, foot)
	if rest > 0 {
		a, b := key(float64(c.Items()))+4*u, key(all)
		m.s(`<path class="st-dots" stroke-width="`).n(1.6 * u).s(`" d="M`).n(a).s(" ").n((line +
			foot) / 2).s("H").n(b).s(`"/>`)
		word := "more remain"
		if c.Remaining > 0 {
			word = text.Count(c.Remaining) + " remain"
		}
		if b-a > float64(len(word))*8*u {
			m.halo("soft strong mid", 13.5*u, (a+b)/2, (line+foot)/2+4.5*u, word)
		}
	}
	m.s(`<path class="st-keys" d="M`).n(left).s(" ").n(foot + 9*u).s("H").n(right).s(`"/>`)
	sc.gone(&m, c, key, line, foot)
	return m.String()
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

// maxBrackets is how many pages get a bracket of their own.
const maxBrackets = 60

func (sc *Scene) brackets(m *markup, c *timeline.Chain, key func(float64) float64, top, bottom float64) {
	u := sc.U
	every := max((len(c.Pages)+maxBrackets-1)/maxBrackets, 1)
	var firm, loose, words markup
	for i := 0; i < len(c.Pages); i += every {
		p, q := c.Pages[i], c.Pages[min(i+every, len(c.Pages))-1]
		if p.From == 0 {
			continue
		}
		a, b := key(float64(p.From-1))+1.5*u, key(float64(q.To))-1.5*u
		to := &firm
		if q.Inconsistent {
			to = &loose
		}
		w := min(8*u, (b-a)/3)
		to.s("M").n(a + w).s(" ").n(top).s("H").n(a).s("V").n(bottom).s("h").n(w)
		to.s("M").n(b - w).s(" ").n(top).s("H").n(b).s("V").n(bottom).s("h").n(-w)
		if span := text.Count(p.From) + " – " + text.Count(q.To); b-a > float64(len(span))*8*u {
			words.s(`<g data-ref="`).e(p.Ref()).s(`">`).halo("strong mid", 13.5*u, (a+b)/2, (top+bottom)/2+4.5*u, span).s(`</g>`)
		}
	}
	m.s(`<path class="st-bracketed" stroke-width="`).n(2*u).s(`" d="`, firm.String(), `"/>`)
	if len(loose.b) > 0 {
		m.s(`<path class="st-bracketed is-loose" stroke-width="`).n(2*u).s(`" d="`, loose.String(), `"/>`)
	}
	m.b = append(m.b, words.b...)
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

// gone marks what was deleted after the revision that the pages show: they still have it; pages of a later revision
// miss it.
func (sc *Scene) gone(m *markup, c *timeline.Chain, key func(float64) float64, top, bottom float64) {
	u, y := sc.U, (top+bottom)/2
	var ghosts markup
	said := 0
	last := -1e9
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
		x := key(at)
		missing := page >= len(c.Pages) || c.Pages[page].Rev >= k.Rev
		if !missing {
			glyph(&ghosts, timeline.Deleted, x, y-4*u, 7*u)
		}
		m.s(`<path class="st-keytick" d="M`).n(x).s(" ").n(bottom + 5*u).s("v").n(8 * u).s(`"/>`)
		words, class := o.Name+", deleted later: still on page "+itoa(int64(page+1)), "soft mid"
		if missing {
			words, class = o.Name+" is missing: deleted at "+itoa(k.Rev), "bad strong mid"
		}
		half := float64(len(words)) * 3.4 * u
		at2 := min(max(x, half+8*u), sc.View.Width-half-8*u)
		if said < 3 && at2-half > last {
			m.halo(class, 12.5*u, at2, bottom+28*u, words)
			last = at2 + half + 12*u
			said++
		}
	}
	if len(ghosts.b) > 0 {
		m.s(`<path class="st-mark deleted is-untold" d="`, ghosts.String(), `"/>`)
	}
}
