package timeline

import (
	"math"
	"reflect"
	"testing"
)

func TestViewMapsBothWays(t *testing.T) {
	for _, v := range []View{{0, 22, 800}, {99_000.5, 0.008, 360}, {-3, 56, 1000}} {
		for _, rev := range []int64{1, 5, 1287, 100_000} {
			if got := v.Rev(v.X(rev)); math.Abs(got-float64(rev)) > 1e-6 {
				t.Errorf("%+v: revision %d comes back as %v", v, rev, got)
			}
		}
		lo, hi := v.Range()
		if v.X(lo) < -1e-6 || v.X(lo-1) >= 0 || v.X(hi) > v.Width+1e-6 || v.X(hi+1) <= v.Width {
			t.Errorf("%+v: %d to %d is not what is in sight", v, lo, hi)
		}
	}
}

func TestLabels(t *testing.T) {
	for _, tc := range []struct {
		v    View
		want []int64
	}{
		{View{0, 56, 280}, []int64{2, 4}},
		{View{9.5, 20, 200}, []int64{10, 15}},
		{View{0, 0.008, 800}, []int64{10000, 20000, 30000, 40000, 50000, 60000, 70000, 80000, 90000, 100000}},
	} {
		if got := tc.v.Labels(58); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%+v: got %v, want %v", tc.v, got, tc.want)
		}
	}
}

func TestBinsAreNeverNarrowerThanMarksMayBe(t *testing.T) {
	for p := 0.0005; p < 60; p *= 1.37 {
		v := View{PerRev: p}
		n := v.Bin()
		if n == 1 && p < tickApart || n > 1 && float64(n)*p < tickApart {
			t.Errorf("%v pixels per revision: bins of %d", p, n)
		}
	}
}

func settle(c *Camera) {
	for i := 0; c.Step(16); i++ {
		if i > 1000 {
			panic("the camera does not come to rest")
		}
	}
}

func TestFollowKeepsTheHeadInSight(t *testing.T) {
	c := NewCamera()
	c.Resize(800)
	for head := int64(1); head <= 100_000; head = head*5/4 + 1 {
		c.Extend(1, head, head/2)
		settle(c)
		if x := c.X(head); x < 0 || x > 800-20 {
			t.Fatalf("head %d lies at %v", head, x)
		}
	}
	// When little has happened lately single events are told apart again.
	c.Extend(1, 100_001, 1)
	settle(c)
	if c.Bin() != 1 {
		t.Errorf("%v pixels per revision after a burst", c.PerRev)
	}
}

func TestAShortHistoryBeginsAtTheLeft(t *testing.T) {
	c := NewCamera()
	c.Resize(800)
	c.Extend(1, 5, 5)
	if x := c.X(1); x < 0 || x > 60 {
		t.Errorf("revision 1 lies at %v", x)
	}
}

func TestTheCameraRestsWhileNothingHappens(t *testing.T) {
	c := NewCamera()
	c.Resize(800)
	c.Extend(1, 500, 20)
	settle(c)
	c.Extend(1, 500, 0) // time has passed, nothing was written
	if was := c.View; c.Step(16) || c.View != was {
		t.Error("it moves")
	}
}

func TestStillJumps(t *testing.T) {
	c := NewCamera()
	c.Still = true
	c.Resize(800)
	c.Extend(1, 10, 1)
	c.Extend(1, 5000, 1)
	if c.Step(1) || c.X(5000) > 800 {
		t.Error("a camera that must not glide glides")
	}
}

func TestAPersonsHandEndsFollowing(t *testing.T) {
	for name, act := range map[string]func(c *Camera){
		"pan":  func(c *Camera) { c.Pan(-200, false) },
		"fit":  func(c *Camera) { c.Fit() },
		"show": func(c *Camera) { c.Show(3) },
		"look": func(c *Camera) { c.ShowRange(10, 20) },
	} {
		c := NewCamera()
		c.Resize(800)
		c.Extend(1, 5000, 10)
		settle(c)
		act(c)
		settle(c)
		was := c.View
		c.Extend(1, 5100, 100)
		settle(c)
		if c.Following() || c.View != was {
			t.Errorf("after %s the view still moves with the head", name)
		}
	}
}

func TestZoomKeepsThePlaceUnderThePointer(t *testing.T) {
	c := NewCamera()
	c.Resize(800)
	c.Extend(1, 5000, 10)
	c.Pan(-400, false)
	before := c.Rev(300)
	c.Zoom(0.5, 300, false)
	if after := c.Rev(300); math.Abs(after-before) > 1e-6 {
		t.Errorf("%v became %v", before, after)
	}
}

func TestAGlideKeepsInSightWhatItLeadsTo(t *testing.T) {
	c := NewCamera()
	c.Resize(800)
	c.Extend(1, 300, 10)
	c.Fit()
	settle(c)
	c.ShowRange(5, 9)
	for c.Step(16) {
		if c.X(5) < 0 || c.X(9) > 800 {
			t.Fatalf("5 to 9 lie at %v to %v", c.X(5), c.X(9))
		}
	}
}

func TestZoomHasLimits(t *testing.T) {
	c := NewCamera()
	c.Resize(800)
	c.Extend(1, 100_000, 10)
	settle(c)
	for range 200 {
		c.Zoom(1.5, 400, false)
	}
	if c.PerRev > maxPerRev {
		t.Errorf("zoomed in to %v", c.PerRev)
	}
	for range 200 {
		c.Zoom(0.5, 400, false)
	}
	if lo, hi := c.Range(); c.PerRev < minPerRev || hi-lo > 400_000 || math.IsNaN(c.Left) {
		t.Errorf("zoomed out to %d..%d", lo, hi)
	}
}

func TestFitShowsAll(t *testing.T) {
	for _, head := range []int64{1, 5, 1287, 100_000} {
		c := NewCamera()
		c.Resize(360)
		c.Extend(1, head, 1)
		c.Fit()
		settle(c)
		if c.X(1) < 0 || c.X(head) > 360 {
			t.Errorf("head %d: from %v to %v", head, c.X(1), c.X(head))
		}
	}
}

func TestPanCannotLoseTheAxis(t *testing.T) {
	c := NewCamera()
	c.Resize(800)
	c.Extend(1, 100, 10)
	for _, dx := range []float64{1e6, -1e7} {
		c.Pan(dx, false)
		if lo, hi := c.Range(); hi < 1 || lo > 100 {
			t.Errorf("panned to %d..%d", lo, hi)
		}
	}
}
