package stage

import "math"

// Sizes of the axis, in units of the stage.
const (
	widest    = 70.0  // the most that a slot takes
	followsAt = 44.0  // the least, while following scrolls instead of shrinking
	Countable = 12.0  // where a slot has less, marks become counts
	headRoom  = 120.0 // kept behind the head, for its flag and the next writes
	leftRoom  = 14.0
)

const (
	minPerRev = 1e-4
	glideMs   = 55 // time constant of the glide, of which 160 ms are seen
)

// A Camera moves a View. It follows the head, or stays where the user put it. It never moves by itself while nothing
// happens: Step only finishes a movement that an event or the user began.
type Camera struct {
	View
	// U is the pixels of a unit of the stage.
	U float64
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
	c := &Camera{U: 1, following: true, auto: true}
	c.View = View{PerRev: widest, Width: 800}
	c.goal = c.View
	return c
}

// Following reports whether the camera keeps the head in view by itself.
func (c *Camera) Following() bool { return c.following }

func (c *Camera) room() float64 { return math.Min(headRoom*c.U, c.Width*0.2) }

// Resize gives the plots' width and the unit, in pixels.
func (c *Camera) Resize(width, u float64) {
	if width <= 0 || width == c.Width && u == c.U {
		return
	}
	c.goal.PerRev *= u / c.U
	c.Width, c.goal.Width, c.U = width, width, u
	if c.following && c.auto {
		c.rescale(1)
	}
	c.aim()
	c.View = c.goal
}

// Fold sets which runs of revisions are drawn as a box. What the view showed
// at its right edge stays there.
func (c *Camera) Fold(folds []Fold) {
	if c.goal.same(View{c.goal.Left, c.goal.PerRev, c.goal.Width, folds}) {
		return
	}
	right := c.goal.at(c.goal.Left + c.goal.Width/c.goal.PerRev)
	c.goal.Folds, c.Folds = folds, folds
	c.goal.Left = c.goal.slot(right) - c.goal.Width/c.goal.PerRev
	if c.following && c.auto {
		c.rescale(1)
	}
	c.aim()
	c.View = c.goal
}

// Extend sets how far the axis reaches: from the oldest revision worth seeing to the head; recent is how many of them
// came lately.
func (c *Camera) Extend(lo, hi, recent int64) {
	if hi < c.hi { // another cluster
		c.placed = false
		c.goal.PerRev = widest * c.U
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

// span returns how many slots the whole axis has.
func (c *Camera) span() float64 {
	return math.Max(c.goal.slot(float64(c.hi)+1)-c.goal.slot(float64(c.lo)), 1)
}

// rescale chooses the scale while following: all of a young cluster; later, as much as can be read one by one; and in a
// burst as much as comes, since single revisions would move too fast to be seen. It zooms in by whole steps only, so
// that the scale does not change with every event.
func (c *Camera) rescale(recent int64) {
	free := c.Width - c.room() - leftRoom*c.U
	p := math.Max(free/c.span(), math.Min(followsAt*c.U, free/math.Max(float64(recent), 1)))
	p = math.Min(p, widest*c.U)
	if least := Countable * c.U; p < least && p > least/3 {
		p = least // rather slide a little than give up single marks
	} else if p < least {
		p = least / math.Exp2(math.Ceil(math.Log2(least/p)))
	}
	if p >= c.goal.PerRev && p < c.goal.PerRev*1.5 && c.goal.PerRev < followsAt*c.U {
		return
	}
	c.goal.PerRev = math.Max(p, minPerRev)
}

// aim puts the left end of the goal where following wants it.
func (c *Camera) aim() {
	if !c.following {
		return
	}
	c.goal.Left = c.goal.slot(float64(c.hi)+1) - (c.Width-c.room())/c.goal.PerRev
	// A young cluster's history starts at the left instead of hanging at the right.
	c.goal.Left = math.Max(c.goal.Left, c.goal.slot(float64(c.lo))-leftRoom*c.U/c.goal.PerRev)
}

// Step moves towards the goal for ms milliseconds and reports whether more steps are needed.
func (c *Camera) Step(ms float64) bool {
	if c.View.same(c.goal) {
		return false
	}
	if c.Still || ms <= 0 {
		c.View = c.goal
		return false
	}
	f := 1 - math.Exp(-ms/glideMs)
	// Both ends glide, so that what is in view before and after stays in view
	// on the way, and the head stays in place while the scale changes.
	left, right := c.Left, c.Left+c.Width/c.PerRev
	left += (c.goal.Left - left) * f
	right += (c.goal.Left + c.goal.Width/c.goal.PerRev - right) * f
	c.PerRev = c.Width / (right - left)
	if math.Abs(c.goal.PerRev/c.PerRev-1) < 0.004 {
		c.PerRev = c.goal.PerRev
	}
	c.Left = right - c.Width/c.PerRev
	if c.PerRev == c.goal.PerRev && math.Abs(c.Left-c.goal.Left)*c.PerRev < 0.5 {
		c.View = c.goal
		return false
	}
	return true
}

// Follow turns following on or off. On, it chooses the scale again.
func (c *Camera) Follow(on bool) {
	c.following, c.auto = on, on
	if on {
		c.goal.PerRev = minPerRev
		c.rescale(1)
		c.aim()
		return
	}
	c.goal = c.View
}

// Fit shows everything that is retained.
func (c *Camera) Fit() {
	c.following = false
	p := math.Min((c.Width-c.room()-2*leftRoom*c.U)/c.span(), widest*c.U)
	c.goal.PerRev = math.Max(p, minPerRev)
	c.goal.Left = c.goal.slot(float64(c.lo)) - leftRoom*c.U/c.goal.PerRev
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
	least := math.Max(minPerRev, (c.Width-c.room())/math.Max(c.span()*1.5, 200))
	c.goal.PerRev = math.Min(math.Max(old.PerRev*factor, math.Min(least, old.PerRev)), widest*c.U*1.4)
	if c.following {
		c.aim()
	} else {
		c.goal.Left = old.Left + x/old.PerRev - x/c.goal.PerRev
		c.clamp()
	}
	if !glide {
		c.View = c.goal
	}
}

// Show brings a revision into view, in the middle if it was out of it.
func (c *Camera) Show(rev int64) {
	if x := c.goal.X(rev); x >= 8 && x <= c.Width-8 {
		return
	}
	c.following = false
	c.goal.Left = c.goal.slot(float64(rev)+0.5) - c.Width/2/c.goal.PerRev
	c.clamp()
}

// Reveal brings a revision into view together with all others, so that what is beside it stays in view. If
// revisions would be drawn as counts instead of marks then, it does what Show does.
func (c *Camera) Reveal(rev int64) {
	if x := c.goal.X(rev); x >= 8 && x <= c.Width-8 {
		return
	}
	was := c.goal
	if c.Fit(); c.goal.PerRev < Countable*c.U {
		c.goal = was
		c.Show(rev)
	}
}

// ShowRange makes the revisions lo to hi fill the view.
func (c *Camera) ShowRange(lo, hi int64) {
	c.following = false
	n := math.Max(c.goal.slot(float64(hi)+1)-c.goal.slot(float64(lo)), 1)
	c.goal.PerRev = math.Min(math.Max(c.Width*0.9/n, minPerRev), widest*c.U*1.4)
	c.goal.Left = (c.goal.slot(float64(lo))+c.goal.slot(float64(hi)+1))/2 - c.Width/2/c.goal.PerRev
	c.clamp()
}

// clamp keeps some of the axis in view.
func (c *Camera) clamp() {
	span := c.Width / c.goal.PerRev
	c.goal.Left = math.Min(c.goal.Left, c.goal.slot(float64(c.hi)+1)-span*0.1)
	c.goal.Left = math.Max(c.goal.Left, c.goal.slot(float64(min(c.lo, 1)))-span*0.5)
}
