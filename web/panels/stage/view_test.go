package stage

import (
	"math"
	"testing"
)

func TestViewFolds(t *testing.T) {
	v := View{Left: 2, PerRev: 40, Width: 400, Folds: []Fold{{Lo: 2, Hi: 17}, {Lo: 30, Hi: 129}}}
	if x := v.X(18); math.Abs(x-(foldSlots+0.5)*40) > 1e-9 {
		t.Errorf("18 is at %g", x)
	}
	if x := v.Edge(17); math.Abs(x-foldSlots*40) > 1e-9 {
		t.Errorf("the first fold ends at %g", x)
	}
	last := math.Inf(-1)
	for rev := int64(1); rev < 200; rev++ {
		x := v.X(rev)
		if x <= last {
			t.Fatalf("%d is at %g, the one before at %g", rev, x, last)
		}
		last = x
		if got := v.Rev(x); got != rev {
			t.Errorf("at the middle of %d is %d", rev, got)
		}
		if got := v.Rev(v.Edge(rev) + 0.001); got != rev+1 {
			t.Errorf("behind the slot of %d is %d", rev, got)
		}
	}
	for _, r := range v.Labels(30) {
		if _, in := v.Folded(r); in {
			t.Errorf("%d has a number inside a fold", r)
		}
	}
}

func TestLabels(t *testing.T) {
	v := View{Left: 0, PerRev: 4, Width: 400}
	labels := v.Labels(58)
	if len(labels) < 4 || labels[1]-labels[0] != 20 {
		t.Errorf("labels %v", labels)
	}
	if got := v.Bin(12); got != 5 {
		t.Errorf("bins of %d", got)
	}
	if got := (View{PerRev: 12}).Bin(12); got != 1 {
		t.Errorf("bins of %d", got)
	}
}

// A revision that is travelled to comes into view together with all others, so that the lanes stay beside it, as long
// as revisions are drawn as marks.
func TestReveal(t *testing.T) {
	camera := func(width float64, hi int64) *Camera {
		c := NewCamera()
		c.Still = true
		c.Resize(width, 1)
		c.Extend(1, hi, 1)
		c.Follow(false)
		c.ShowRange(hi-10, hi)
		c.Step(16)
		return c
	}
	inView := func(c *Camera, rev int64) bool {
		c.Step(16)
		x := c.X(rev)
		return x >= 0 && x <= c.Width
	}
	c := camera(800, 40)
	if inView(c, 2) {
		t.Fatal("the oldest revision is in view at first")
	}
	if c.Reveal(2); !inView(c, 2) || !inView(c, 40) || c.PerRev < Countable {
		t.Errorf("of few revisions not all are in view: %+v", c.View)
	}
	c = camera(800, 400)
	if c.Reveal(2); !inView(c, 2) || inView(c, 400) || c.PerRev < Countable {
		t.Errorf("of many revisions: %+v", c.View)
	}
	was := c.View
	if c.Reveal(3); !inView(c, 3) || !c.View.same(was) {
		t.Errorf("what is in view already moves it: %+v", c.View)
	}
}
