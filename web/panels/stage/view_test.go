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
