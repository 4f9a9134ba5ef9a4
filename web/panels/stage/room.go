package stage

import "strings"

// A box is what a sign or words cover of a row, in pixels.
type box struct{ left, top, right, bottom float64 }

func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// around returns the box with that half width and half height.
func around(x, y, w, h float64) box { return box{x - w, y - h, x + w, y + h} }

// A room is what of a row is covered. Signs come first. Words take what is left, and are left out where there is no
// place for them: the row's sentence and the tables say the same.
//
// Costs: to look for a place costs what is in view of the row.
type room struct {
	width float64
	taken []box
}

func (r *room) take(b box) { r.taken = append(r.taken, b) }

func (r *room) free(b box) bool {
	for _, t := range r.taken {
		if b.meets(t) {
			return false
		}
	}
	return true
}

// claim takes a place if it is free.
func (r *room) claim(b box) bool {
	if !r.free(b) {
		return false
	}
	r.take(b)
	return true
}

// push takes the first free place of a box to the right of where it is, and returns how far that is.
func (r *room) push(b box) float64 {
	from := b.left
	for i := 0; i < len(r.taken); i++ {
		if t := r.taken[i]; b.meets(t) {
			b.right += t.right - b.left
			b.left = t.right
			i = -1
		}
	}
	r.take(b)
	return b.left - from
}

// gaps returns the parts from top to bottom in which nothing is between left and right.
func (r *room) gaps(b box) (parts []box) {
	for _, t := range r.taken {
		if !b.meets(t) {
			continue
		}
		above := b
		above.bottom = t.top
		below := b
		below.top = t.bottom
		for _, part := range [...]box{above, below} {
			if part.bottom > part.top {
				parts = append(parts, r.gaps(part)...)
			}
		}
		return parts
	}
	return append(parts, b)
}

// words are text at a place; their class says also to which side of it they go.
type words struct {
	class      string // with "mid" or "end" as halo has them
	size, x, y float64
	text       string
}

func (w words) box() box {
	b := box{left: w.x, top: w.y - 0.78*w.size, bottom: w.y + 0.23*w.size}
	width := textWidth(w.text, w.size)
	if strings.Contains(w.class, "strong") || strings.Contains(w.class, "accent") {
		width *= 1.1
	}
	switch {
	case strings.Contains(w.class, "mid"):
		b.left -= width / 2
	case strings.Contains(w.class, "end"):
		b.left -= width
	}
	b.right = b.left + width
	return b
}

// say writes words at the first of these places that is free, and reports whether one is.
func (m *markup) say(r *room, places ...words) bool {
	for _, w := range places {
		b := w.box()
		if b.left >= 0 && b.right <= r.width && r.claim(b) {
			m.halo(w.class, w.size, w.x, w.y, w.text)
			return true
		}
	}
	return false
}

// textWidth returns how wide text is at most in the fonts of the page's list, of which DejaVu Sans is the widest.
func textWidth(s string, size float64) float64 {
	em := 0.0
	for _, c := range s {
		switch {
		case strings.ContainsRune("iljI.,:;’'|! ", c):
			em += 0.33
		case strings.ContainsRune("ftr()[]/-", c):
			em += 0.42
		case strings.ContainsRune("mwMW…@%◂▸→", c):
			em += 1
		case c >= 'A' && c <= 'Z':
			em += 0.79
		default:
			em += 0.64
		}
	}
	return em * size
}
