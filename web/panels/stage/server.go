package stage

// Server draws an API server's watch cache: a bar as far as it has come, what it
// has not read yet, and the answers that it gave.
func (sc *Scene) Server(i int, height float64) string {
	var m markup
	sc = sc.grown(height, ServerUnits)
	v, u := sc.View, sc.U
	covered := room{width: v.Width}
	head, at := sc.head(), min(sc.State.Cache(i), sc.head())
	e := sc.serverEdge(i)
	sc.back(&m, e, 0, height)
	sc.playLine(&m, 0, height)
	sc.thread(&m, 0, 0, height)
	y := height/2 - 3*u
	x := sc.headX(at)
	from := 0.0
	if e.start > 1 {
		from = min(max(e.x, 0), v.Width)
	}
	m.s(`<rect class="st-cache" x="`).n(from).s(`" y="`).n(y - 8*u).s(`" width="`).n(max(min(x, v.Width+20)-from, 0)).
		s(`" height="`).n(16 * u).s(`" rx="`).n(3 * u).s(`"/>`)
	m.s(`<path class="st-cachehead" stroke-width="`).n(2.4 * u).
		s(`" d="M`).n(x).s(" ").n(y - 13*u).s("v").n(26 * u).s(`"/>`)
	covered.take(around(x, y, 1.2*u, 13*u))
	var behind words
	if end := sc.headX(head); at < head {
		a, b := max(x+3*u, -20), min(end-u, v.Width+20)
		if b > a {
			m.s(`<rect class="st-unread" x="`).n(a).s(`" y="`).n(y - 8*u).
				s(`" width="`).n(b - a).s(`" height="`).n(16 * u).s(`" rx="`).n(3 * u).s(`"/>`)
			if b-a > 80*u {
				behind = words{"soft mid", 12.5 * u, (a + b) / 2, y + 4.5*u, itoa(head-at) + " behind"}
			}
		}
		if i < len(sc.State.Replicas) && sc.State.Replicas[i].Frozen {
			m.s(`<path class="st-crystal" stroke-width="`).n(2 * u).s(`" d="`)
			crystal(&m, x+17*u, y, 7*u)
			m.s(`"/>`)
			covered.take(around(x+17*u, y, 8*u, 8*u))
		}
	}
	var said []words
	reads := sc.Reads.Of(i)
	for n := len(reads) - 1; n >= 0; n-- {
		q, rx, side := reads[n], v.X(reads[n].Rev), 5.3*u
		// Of several at one place the newest is shown.
		if rx < 0 || rx > v.Width || !covered.claim(around(rx, y+13*u+side, side+u, side+u)) {
			continue
		}
		class, age := "is-now", "now"
		if old := q.Head - q.Rev; old > 0 {
			class, age = "is-old", itoa(old)+plural(old, " revision old", " revisions old")
		}
		m.s(`<g class="st-read `, class, sc.laterClass(q.Head), `" stroke-width="`).n(2 * u).s(`" data-ref="req-`).
			i(int64(q.Req)).s(`"><path d="M`).n(rx).s(" ").n(y).s("v").n(13 * u).
			s(`"/><rect x="`).n(rx - side).s(`" y="`).n(y + 13*u).
			s(`" width="`).n(2 * side).s(`" height="`).n(2 * side).s(`" rx="1"/></g>`)
		said = append(said, words{class + " strong", 12.5 * u, rx + 12*u, y + 23*u, "as of " + itoa(q.Rev) + ", " + age})
	}
	top, bottom := y-18*u, y+16*u // the reads are below
	if e.full {
		top, bottom = 0, height
	}
	sc.bar(&m, &covered, e, top, bottom)
	sc.takeLines(&covered, 0, height)
	if behind.text != "" {
		m.say(&covered, behind)
	}
	for _, w := range said {
		left := w
		left.class, left.x = w.class+" end", w.x-24*u
		if !sc.Narrow {
			m.say(&covered, w, left)
		}
	}
	return m.String()
}

// serverEdge returns from where on an API server remembers something of any type; as far as that is not known, etcd's
// wall.
func (sc *Scene) serverEdge(i int) edge {
	if i >= len(sc.Windows.Servers) {
		return sc.etcdEdge()
	}
	e := sc.edgeOf(sc.Windows.Servers[i].Since+1, false)
	if e.start <= 2 {
		e.start = 0
	}
	return e
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// ServerRows returns the API servers that get a row: all, if there are several or
// one of them is behind for more than a moment, which its settings say.
func (sc *Scene) ServerRows() int {
	n := max(len(sc.State.Caches), 1)
	if n > 1 {
		return n
	}
	for _, r := range sc.State.Replicas {
		if r.Frozen || r.Lag > 0 {
			return n
		}
	}
	return 0
}
