package timeline

// Style says how a layer draws its marks.
type Style uint8

// The layers of the plots.
const (
	OnRuler Style = iota // a stem to the axis, in the row of its kind
	OnLane               // on the lane's line
	Outline              // the initial state: synthetic events
	Ghost                // writes that a list's pages do not hold
)

// A Layer is the marks of one series in one plot. It remembers what it drew, so
// that a frame in which the view only glided costs one transform, and one in
// which events came costs their own text.
type Layer struct {
	Style Style
	Ref   string // a name that every mark shares, for data-ref

	built    bool
	origin   int64 // the revision at the group's x = 0
	perRev   float64
	lo, hi   int64 // what is drawn, wider than what is in sight
	next     int   // marks drawn, counted from the series' very first
	shuffles int
	compact  bool
	wall     int64
	at       float64 // when it was last drawn anew
}

// A Patch is what a layer's group must become.
type Patch struct {
	Replace   bool   // HTML replaces what is there; otherwise it is appended
	HTML      string // empty with Replace false: nothing to append
	Transform string // of the group; empty: as it was
	Again     bool   // there is more to draw, at a later frame
}

// calm is how long bins stay as they are while events rush in, in milliseconds:
// single events cannot be told apart there, so ten pictures a second will do.
const calm = 100

// Invalidate makes the next update draw everything again.
func (l *Layer) Invalidate() { l.built = false }

func (l *Layer) geo(sc *Scene) *geometry {
	switch l.Style {
	case OnRuler:
		return sc.ruler()
	case Ghost:
		return &ghostGeo
	}
	return &laneGeo
}

// Update draws what the series and the view have become since the last update.
func (l *Layer) Update(sc *Scene, s *Series) Patch {
	v := sc.View
	lo, hi := v.Range()
	lo, hi = lo-1, hi+1
	end := s.Len()
	if sc.Until > 0 {
		end = s.Index(sc.Until + 1)
	}
	s.settle()
	gone := s.Total() - s.Len()
	if l.built && l.perRev == v.PerRev && lo >= l.lo && hi <= l.hi &&
		l.shuffles == s.shuffles && l.compact == sc.Compact && l.wall == sc.State.Compacted {
		switch {
		case gone+end == l.next:
			return Patch{Transform: l.transform(v)}
		case gone+end > l.next && v.Bin() == 1 && l.next >= gone:
			var m markup
			for i := l.next - gone; i < end; i++ {
				if k := s.At(i); k.Rev <= l.hi {
					l.mark(&m, sc, k)
				}
			}
			l.next = gone + end
			return Patch{HTML: m.String(), Transform: l.transform(v)}
		case gone+end > l.next && v.Bin() > 1 && sc.Now-l.at < calm && sc.Until == 0:
			return Patch{Transform: l.transform(v), Again: true}
		}
	}
	half := (hi - lo) / 2
	l.built, l.perRev, l.compact, l.wall = true, v.PerRev, sc.Compact, sc.State.Compacted
	l.lo, l.hi, l.origin = lo-half, hi+half, lo
	l.next, l.shuffles, l.at = gone+end, s.shuffles, sc.Now
	var m markup
	if n := v.Bin(); n == 1 {
		for i := s.Index(l.lo); i < end; i++ {
			k := s.At(i)
			if k.Rev > l.hi {
				break
			}
			l.mark(&m, sc, k)
		}
	} else {
		l.bins(&m, sc, s, end, n)
	}
	return Patch{Replace: true, HTML: m.String(), Transform: l.transform(v)}
}

func (l *Layer) transform(v View) string {
	var m markup
	m.s("translate(").n((float64(l.origin) - v.Left) * v.PerRev).s(" 0)")
	return m.String()
}

func (l *Layer) x(rev int64) float64 { return float64(rev-l.origin) * l.perRev }

// shapes are the marks' outlines around their middle.
var shapes = [...]string{
	Added:      "M0-5.5L5.5 4.5H-5.5z",
	Modified:   "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
	Deleted:    "M0 5.5L5.5-4.5H-5.5z",
	Bookmark:   "M0 7V-8h6l-1.500 2.500L6-3H0",
	InitialEnd: "M0 8V-9h6l-1.500 2.200L6-4.500H0M0-4.500h6l-1.500 2.200L6 0H0",
	Error:      "M-5-5L5 5M5-5L-5 5",
}

// letters are strokes, seven pixels high, and not text: laying out text would
// be most of what a mark costs the browser.
var letters = [...]string{
	Added:      "l2.5-6.5 2.5 6.5m-4.2-2.2h3.4",
	Modified:   "v-6.5l2.7 4 2.7-4v6.5",
	Deleted:    "v-6.5h1.4a3 3.25 0 0 1 0 6.5z",
	Bookmark:   "v-6.5h2.2a1.5 1.5 0 0 1 0 3.2h-2.2h2.5a1.6 1.6 0 0 1 0 3.3z",
	InitialEnd: "v-6.5h2.2a1.5 1.5 0 0 1 0 3.2h-2.2h2.5a1.6 1.6 0 0 1 0 3.3z",
}

// mark draws one event.
func (l *Layer) mark(m *markup, sc *Scene, k Mark) {
	g := l.geo(sc)
	x := l.x(k.Rev)
	y := g.base
	switch {
	case k.Kind < counted:
		y = g.row[k.Kind]
	case k.Kind != Error:
		// A bookmark says that all up to its revision has been seen: it stands
		// behind it, before the next one.
		x += min(l.perRev/2, 9)
	}
	width := min(max(l.perRev, tickApart), 24)
	m.s(`<g class="tl-mark `, k.Kind.Class())
	if k.Rev < sc.State.Compacted {
		m.s(" is-gone")
	}
	if k.Rev == sc.Selected && l.Style == OnRuler {
		m.s(" is-selected")
	}
	m.s(`" data-rev="`).i(k.Rev).s(`" data-ref="rev-`).i(k.Rev)
	o := sc.Objects.Get(k.Obj)
	if k.Obj != 0 {
		m.s(" ").e(o.Ref())
	}
	if l.Ref != "" {
		m.s(" ", l.Ref)
	}
	m.s(`" transform="translate(`).n(x).s(` 0)" role="button" tabindex="-1" aria-label="`).e(l.label(k, o)).s(`">`)
	m.s(`<rect class="tl-hit" x="`).n(-width / 2).s(`" y="`).n(g.letter - 8).s(`" width="`).n(width).s(`" height="`).n(max(g.base-g.letter+10, 24)).s(`"/>`)
	if l.Style == OnRuler {
		m.s(`<path class="tl-stem" d="M0 `).n(y).s("V").n(g.base).s(`"/>`)
	}
	// Between two letters there is room for a third only if they stand apart.
	squeezed := k.Kind >= counted && l.perRev >= tickApart && l.perRev < 14
	if l.Style != Ghost && k.Kind != Error && !squeezed {
		m.s(`<path class="tl-letter" d="M-2.5 `).n(g.letter).s(letters[k.Kind], `"/>`)
	}
	scale := 1.0
	if l.perRev < 12 {
		scale = max(l.perRev, tickApart) / 12
	}
	if sc.Compact && l.Style == OnRuler {
		scale *= 0.8
	}
	m.s(`<path class="tl-shape" transform="translate(0 `).n(y).s(`)`)
	if scale < 1 {
		m.s(` scale(`).n(scale).s(`)`)
	}
	m.s(`" d="`, shapes[k.Kind], `"/>`)
	m.s(`</g>`)
}

func (l *Layer) label(k Mark, o Object) string {
	s := itoa(k.Rev) + " "
	if l.Style == Outline {
		s += "initial state, "
	}
	s += k.Kind.Word()
	if k.Obj != 0 {
		s += " " + o.String()
	}
	if l.Style == Ghost {
		s += ", after the snapshot"
	}
	return s
}

// bins draws marks that stand too close, n revisions to a bin: in a row for
// each kind a bar as high as the kind's share. A bin with a single event shows
// the event itself.
func (l *Layer) bins(m *markup, sc *Scene, s *Series, end int, n int64) {
	g := l.geo(sc)
	var bars [counted]markup
	var over markup
	width := float64(n) * l.perRev
	for i := s.Index(l.lo); i < end; {
		first := s.At(i).Rev
		if first > l.hi {
			break
		}
		lo := first / n * n
		j := min(i+int(n), end)
		// A revision has one mark on most series, so the bin's end is near.
		for j < end && s.At(j).Rev < lo+n {
			j++
		}
		for j > i+1 && s.At(j-1).Rev >= lo+n {
			j = max(s.Index(lo+n), i+1)
		}
		c := s.Count(i, j)
		if j-i == 1 || c == [counted]uint32{} {
			l.mark(&over, sc, s.At(j-1))
			i = j
			continue
		}
		x := l.x(lo)
		gap := min(width*0.15, 2)
		for k, count := range c {
			if count == 0 {
				continue
			}
			h := max(g.bar*min(float64(count)/float64(n), 1), 1.5)
			bottom := l.bottom(g, k)
			bars[k].s("M").n(x + gap/2).s(" ").n(bottom).s("v").n(-h).s("h").n(width - gap).s("v").n(h).s("z")
		}
		l.bin(&over, g, lo, lo+n-1, x, width, c)
		// The end of the initial events and errors never vanish in a bin, and of
		// its bookmarks the newest stays.
		if int(c[Added]+c[Modified]+c[Deleted]) < j-i {
			var last Mark
			for ; i < j; i++ {
				switch k := s.At(i); {
				case k.Kind == Bookmark:
					last = k
				case k.Kind > Bookmark:
					l.mark(&over, sc, k)
				}
			}
			if last.Rev > 0 {
				l.mark(&over, sc, last)
			}
		}
		i = j
	}
	for k := range bars {
		if len(bars[k].b) > 0 {
			m.s(`<path class="tl-bars `, Kind(k).Class(), `" d="`, bars[k].String(), `"/>`)
		}
	}
	m.b = append(m.b, over.b...)
}

// bottom is where a kind's bars stand.
func (l *Layer) bottom(g *geometry, kind int) float64 {
	if l.Style == OnRuler {
		return g.row[kind] + 5
	}
	return g.base + g.bar*float64(kind-1) - 1 + g.bar*0.5
}

// bin draws what makes a bin touchable: the area it covers.
func (l *Layer) bin(m *markup, g *geometry, lo, hi int64, x, width float64, c [counted]uint32) {
	m.s(`<rect class="tl-bin" data-lo="`).i(lo).s(`" data-hi="`).i(hi)
	if l.Ref != "" {
		m.s(`" data-ref="`, l.Ref)
	}
	m.s(`" x="`).n(x).s(`" y="`).n(g.letter).s(`" width="`).n(width).s(`" height="`).n(max(g.base-g.letter+8, 20))
	m.s(`" role="button" tabindex="-1" aria-label="`).i(lo).s(" to ").i(hi).s(":")
	for k, count := range c {
		if count > 0 {
			m.s(" ").i(int64(count)).s(" ", Kind(k).Word())
		}
	}
	m.s(`; enter to look closer"/>`)
}
