package timeline

import "math"

const (
	minPerRev    = 1e-4
	maxPerRev    = 56
	followPerRev = 22  // what following zooms in to while little happens
	headRoom     = 110 // pixels right of the head, for its flag
	glideMs      = 110 // time constant of the glide
	recentMs     = 20_000
)

// A Camera moves a View. It follows the head, or stays where a person put it.
// It never moves by itself while nothing happens: Step only finishes a glide
// that an event or a person began.
type Camera struct {
	View
	// Still makes every move a jump: for prefers-reduced-motion.
	Still bool

	goal      View
	following bool
	auto      bool // following chooses the scale too
	lo, hi    int64
	placed    bool
}

// NewCamera returns a camera that follows.
func NewCamera() *Camera {
	c := &Camera{following: true, auto: true}
	c.View = View{Left: 0, PerRev: followPerRev, Width: 600}
	c.goal = c.View
	return c
}

// Following reports whether the camera keeps the head in sight by itself.
func (c *Camera) Following() bool { return c.following }

func (c *Camera) room() float64 { return math.Min(headRoom, c.Width*0.28) }

// Resize gives the plots' width.
func (c *Camera) Resize(width float64) {
	if width <= 0 || width == c.Width {
		return
	}
	c.Width, c.goal.Width = width, width
	c.aim()
	c.View = c.goal
}

// Extend tells how far the axis reaches: from the oldest revision worth seeing
// to the head; recent is how many of them came lately.
func (c *Camera) Extend(lo, hi, recent int64) {
	if hi < c.hi { // another cluster
		c.placed = false
	}
	c.lo, c.hi = lo, hi
	if c.following && c.auto {
		c.rescale(recent)
	}
	c.aim()
	if !c.placed {
		c.placed = true
		c.View = c.goal
	}
}

// rescale chooses the scale while following: close enough to read single
// revisions, but never so close that a burst rushes through faster than the
// eye. It zooms in by whole steps only, so that it does not breathe with every
// event.
func (c *Camera) rescale(recent int64) {
	want := float64(recent)
	if all := float64(c.hi - c.lo + 1); want > all {
		want = all
	}
	want = math.Max(want, 1)
	p := math.Min((c.Width-c.room())/want, followPerRev)
	if p < tickApart && p > tickApart/3 {
		p = tickApart // rather slide a little than give up single ticks
	}
	if p >= c.goal.PerRev && p < c.goal.PerRev*1.5 {
		return
	}
	if p < tickApart {
		p = tickApart / math.Exp2(math.Ceil(math.Log2(tickApart/p)))
	}
	c.goal.PerRev = math.Max(p, minPerRev)
}

// aim puts the goal's left end where following wants it.
func (c *Camera) aim() {
	if !c.following {
		return
	}
	c.goal.Left = float64(c.hi) - (c.Width-c.room())/c.goal.PerRev
	// A young cluster's history starts at the left instead of hanging at the
	// right. What has been compacted away stays in sight, behind its wall.
	c.goal.Left = math.Max(c.goal.Left, 1-24/c.goal.PerRev)
}

// Step moves towards the goal for ms milliseconds and reports whether more
// steps are needed.
func (c *Camera) Step(ms float64) bool {
	if c.View == c.goal {
		return false
	}
	if c.Still || ms <= 0 {
		c.View = c.goal
		return false
	}
	f := 1 - math.Exp(-ms/glideMs)
	// Both ends glide, so that what is in sight before and after stays in sight
	// on the way, and the head stays in place while the scale changes.
	left, right := c.Left, c.Left+c.Width/c.PerRev
	left += (c.goal.Left - left) * f
	right += (c.goal.Left + c.goal.Width/c.goal.PerRev - right) * f
	c.PerRev = c.Width / (right - left)
	if math.Abs(c.goal.PerRev/c.PerRev-1) < 0.004 {
		c.PerRev = c.goal.PerRev // the same scale to the last bit: marks need not be drawn anew
	}
	c.Left = right - c.Width/c.PerRev
	if c.PerRev == c.goal.PerRev && math.Abs(c.Left-c.goal.Left)*c.PerRev < 0.4 {
		c.View = c.goal
		return false
	}
	return true
}

// Follow turns following on or off. On, it chooses the scale again.
func (c *Camera) Follow(on bool) {
	c.following, c.auto = on, on
	if on {
		c.goal.PerRev = math.Max(c.PerRev, followPerRev)
		c.rescale(1)
		c.aim()
		return
	}
	c.goal = c.View
}

// Fit shows everything that is retained.
func (c *Camera) Fit() {
	c.following = false
	n := math.Max(float64(c.hi-c.lo)+1, 1)
	p := math.Min((c.Width-c.room()-24)/n, maxPerRev)
	c.goal.PerRev = math.Max(p, minPerRev)
	c.goal.Left = float64(c.lo) - 24/c.goal.PerRev
}

// Pan moves the view by dx pixels; what was to the right comes in for dx > 0.
func (c *Camera) Pan(dx float64, glide bool) {
	c.following = false
	c.goal.Left += dx / c.goal.PerRev
	c.clamp()
	if !glide {
		c.View = c.goal
	}
}

// Zoom scales by factor around x. While following, the head stays in place.
func (c *Camera) Zoom(factor, x float64, glide bool) {
	c.auto = false
	old := c.goal
	least := math.Max(minPerRev, (c.Width-c.room())/math.Max(float64(c.hi-c.lo)*1.5, 200))
	c.goal.PerRev = math.Min(math.Max(old.PerRev*factor, math.Min(least, old.PerRev)), maxPerRev)
	if c.following {
		c.aim()
	} else {
		c.goal.Left = old.Rev(x) - x/c.goal.PerRev
		c.clamp()
	}
	if !glide {
		c.View = c.goal
	}
}

// Show brings a revision into sight, in the middle if it was out of it.
func (c *Camera) Show(rev int64) {
	if x := c.goal.X(rev); x >= 8 && x <= c.Width-8 {
		return
	}
	c.following = false
	c.goal.Left = float64(rev) - c.Width/2/c.goal.PerRev
	c.clamp()
}

// ShowRange makes the revisions lo to hi fill the view.
func (c *Camera) ShowRange(lo, hi int64) {
	c.following = false
	n := float64(hi-lo) + 1
	c.goal.PerRev = math.Min(math.Max(c.Width*0.9/n, minPerRev), maxPerRev)
	c.goal.Left = float64(lo+hi)/2 - c.Width/2/c.goal.PerRev
	c.clamp()
}

// clamp keeps some of the axis in sight.
func (c *Camera) clamp() {
	span := c.Width / c.goal.PerRev
	c.goal.Left = math.Min(c.goal.Left, float64(c.hi)-span*0.1)
	c.goal.Left = math.Max(c.goal.Left, math.Min(float64(c.lo), 1)-span*0.5)
}
