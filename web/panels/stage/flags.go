package stage

import (
	"math"
	"slices"
)

// grip is what the wall is taken by.
func (sc *Scene) grip(row *rulerRow) {
	x, ok := sc.wall()
	u, m, top := sc.U, &row.m, row.top
	if !ok || x < 0 || x > sc.View.Width {
		return
	}
	row.room.take(around(x, top+10*u, 6*u, 10*u))
	// What is taken hold of is larger than what is seen.
	m.s(`<g class="st-grip" data-grip="wall"><rect class="st-hold" x="`).n(x - 22*u).s(`" y="`).n(top - 12*u).
		s(`" width="`).n(44 * u).s(`" height="`).n(44 * u).s(`"/><rect x="`).n(x - 6*u).s(`" y="`).n(top).
		s(`" width="`).n(12 * u).s(`" height="`).n(20 * u).s(`" rx="`).n(3 * u).s(`"/>`)
	m.s(`<path d="M`).n(x - 2*u).s(" ").n(top + 5*u).s("v").n(10 * u).
		s("m").n(4 * u).s(" ").n(-10 * u).s("v").n(10 * u).s(`"/></g>`)
}

// forked says where the cluster began as another one was, and how far that one went.
func (sc *Scene) forked(row *rulerRow) {
	x, u := sc.View.Edge(sc.Forked), sc.U
	if sc.Forked == 0 || x < 0 || x > sc.View.Width {
		return
	}
	sc.branch(row, x)
	row.m.s(`<path class="st-forked" stroke-width="`).n(2 * u).s(`" d="M`).n(x).s(" ").n(row.top).s("V").
		n(row.base + 14*u).s(`"/>`)
	left := words{"strong end", 13 * u, x - 10*u, row.top + 13*u, "forked at " + itoa(sc.Forked)}
	right := left
	right.class, right.x = "strong", x+10*u
	lower, lowerRight := left, right
	lower.y, lowerRight.y = row.top+33*u, row.top+33*u
	row.m.say(&row.room, left, right, lower, lowerRight)
}

// branch draws the revisions that the other cluster has made since: below those of this one, which have the same
// numbers.
func (sc *Scene) branch(row *rulerRow, x float64) {
	u, m, end := sc.U, &row.m, min(sc.View.Edge(sc.Branch), sc.View.Width)
	y := row.base + 24*u
	if sc.Branch <= sc.Forked || end < x+12*u || !row.room.claim(box{x, y - 2*u, end, y + 2*u}) {
		return
	}
	m.s(`<path class="st-branch" stroke-width="`).n(1.6 * u).s(`" d="M`).n(x).s(" ").n(row.base).s("L").n(x + 8*u).s(" ").
		n(y).s("H").n(end).s(`"/>`)
	after := words{"soft", 12.5 * u, end + 6*u, y + 4*u, "the other continued to " + itoa(sc.Branch)}
	short := after
	short.text = "other: " + itoa(sc.Branch)
	m.say(&row.room, after, short)
}

// wallWords says what the wall is.
func (sc *Scene) wallWords(row *rulerRow) {
	x, ok := sc.wall()
	if !ok || x < 0 || x > sc.View.Width || sc.Narrow {
		return
	}
	said := "history starts at " + itoa(sc.State.Compacted)
	if sc.Windows.Known() {
		said = "etcd: " + said
	}
	left := words{"strong end", 13 * sc.U, x - 12*sc.U, row.top + 15*sc.U, said}
	right := left
	right.class, right.x = "strong", x+12*sc.U
	row.m.say(&row.room, left, right)
}

// heads draws the flags of etcd's head and of the caches that are behind it.
func (sc *Scene) heads(row *rulerRow) {
	u, head, m := sc.U, sc.head(), &row.m
	if head == 0 {
		return
	}
	class := ""
	if sc.At > 0 && sc.At < head {
		class = " is-later"
	}
	// A flag is drawn at the first height at which there is room for it: below another one, or not at all.
	hoist := func(of string, x, foot float64, text string, first, second float64) {
		if wall, ok := sc.wall(); ok && math.Abs(x-wall) < 4*u {
			x = wall + 4*u
		}
		if fork := sc.View.Edge(sc.Forked); sc.Forked > 0 && math.Abs(x-fork) < 6*u {
			x = fork + 6*u
		}
		m.s(`<g class="st-head`, of, class, `"><path stroke-width="`).n(2 * u).s(`" d="M`).n(x).s(" ").n(32 * u).
			s("V").n(foot).s(`"/>`)
		for _, y := range [...]float64{40 * u, 60 * u} {
			if !row.room.claim(box{x - u, y - 8.5*u, x + 15.5*u, y + 5.5*u}) {
				continue
			}
			m.s(`<path class="st-flag" d="`)
			flag(m, x, y, 8*u)
			m.s(`"/></g>`)
			if text != "" {
				left := words{"strong end" + class, 13 * u, x - 6*u, y + 3*u, text}
				right := words{"strong" + class, 13 * u, x + 20*u, y + 3*u, text}
				if first > second {
					left, right = right, left
				}
				m.say(&row.room, left, right)
			}
			return
		}
		m.s(`</g>`)
	}
	late := sc.lateCaches()
	x, word := sc.headX(head), "head"
	if len(late) > 0 {
		word = "etcd"
	}
	switch {
	case x > sc.View.Width:
		at := words{"strong end", 13 * u, sc.View.Width - 6*u, 43 * u, "head " + itoa(head) + " ▸"}
		lower := at
		lower.y = 63 * u
		m.say(&row.room, at, lower)
	case x < 0:
		at := words{"strong", 13 * u, 6 * u, 43 * u, "◂ head " + itoa(head)}
		lower := at
		lower.y = 63 * u
		m.say(&row.room, at, lower)
	default:
		if sc.Narrow {
			word = ""
		}
		hoist("", x, row.base+14*u, word, 1, 0)
	}
	for _, st := range late {
		if x := sc.headX(st.rev); x >= -2 && x <= sc.View.Width {
			hoist(" is-cache", x, row.base-2*u, st.names, 0, 1)
		}
	}
}

// A lateCache is a revision at which one or more watch caches are that are behind etcd.
type lateCache struct {
	rev   int64
	names string
}

// lateCaches returns the caches that are behind, by their revisions, the slowest first.
func (sc *Scene) lateCaches() []lateCache {
	var out []lateCache
	for i, rev := range sc.State.Caches {
		if rev >= sc.State.Head {
			continue
		}
		at := 0
		for at < len(out) && out[at].rev < rev {
			at++
		}
		if at < len(out) && out[at].rev == rev {
			out[at].names += ", " + sc.State.CacheName(i)
		} else {
			out = slices.Insert(out, at, lateCache{rev, sc.State.CacheName(i)})
		}
	}
	return out
}
