package timeline

import "math"

// A View maps revisions to pixels: revision Left lies at x = 0.
type View struct {
	Left   float64
	PerRev float64 // pixels from one revision to the next
	Width  float64
}

// X is where a revision is drawn.
func (v View) X(rev int64) float64 { return (float64(rev) - v.Left) * v.PerRev }

// Rev is what lies at x, between revisions too.
func (v View) Rev(x float64) float64 { return v.Left + x/v.PerRev }

// Range is the first and last revision in sight.
func (v View) Range() (lo, hi int64) {
	return int64(math.Ceil(v.Left)), int64(math.Floor(v.Left + v.Width/v.PerRev))
}

// steps are 1, 2 and 5 times a power of ten: the first that is at least min.
func niceStep(min float64) int64 {
	for ten := int64(1); ; ten *= 10 {
		for _, m := range [...]int64{1, 2, 5} {
			if s := m * ten; float64(s) >= min || s > 1e15 {
				return s
			}
		}
	}
}

// Labels are the revisions that get a number on the axis, at least apart
// pixels from each other.
func (v View) Labels(apart float64) []int64 {
	step := niceStep(apart / v.PerRev)
	lo, hi := v.Range()
	first := (lo + step - 1) / step * step
	if first < 1 {
		first = step
	}
	var out []int64
	for r := first; r <= hi; r += step {
		out = append(out, r)
	}
	return out
}

// tickApart is how close marks may come, in pixels, before they become bins.
const tickApart = 8

// Bin is how many revisions share one bin: 1 when every revision has room.
func (v View) Bin() int64 {
	if v.PerRev >= tickApart {
		return 1
	}
	return niceStep(tickApart / v.PerRev)
}
