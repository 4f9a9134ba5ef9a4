package stage

import (
	"math"
	"slices"
)

// A Fold is a run of revisions that is drawn as one box.
type Fold struct {
	Lo, Hi int64
	Name   string
}

// foldSlots is how many revisions' room a fold takes.
const foldSlots = 2.2

// A View maps revisions to pixels. Each revision has a slot of PerRev pixels, a
// fold has foldSlots of them; the slot Left begins at x = 0.
type View struct {
	Left   float64
	PerRev float64 // pixels of a slot
	Width  float64 // pixels of the plot
	Folds  []Fold  // ordered, apart from each other
}

// split returns a fold in the parts that begin at these revisions, the newest mostSplits of them; one revision alone
// is not folded.
func split(f Fold, at []int64) (parts []Fold) {
	slices.Sort(at)
	at = slices.Compact(at)
	at = append(at[max(0, len(at)-mostSplits):], f.Hi+1)
	for _, next := range at {
		if next-f.Lo > 1 {
			parts = append(parts, Fold{f.Lo, next - 1, f.Name})
		}
		f.Lo = next
	}
	return parts
}

// slot returns where the slot of a revision begins. Between revisions it is linear,
// within a fold too.
func (v View) slot(rev float64) float64 {
	s := rev
	for _, f := range v.Folds {
		n := float64(f.Hi - f.Lo + 1)
		switch {
		case rev >= float64(f.Hi)+1:
			s += foldSlots - n
		case rev > float64(f.Lo):
			return s + (rev-float64(f.Lo))*(foldSlots/n-1)
		}
	}
	return s
}

// at returns the inverse of slot.
func (v View) at(slot float64) float64 {
	rev := slot
	for _, f := range v.Folds {
		n := float64(f.Hi - f.Lo + 1)
		switch begin := v.slot(float64(f.Lo)); {
		case slot >= begin+foldSlots:
			rev += n - foldSlots
		case slot > begin:
			return rev + (slot-begin)*(n/foldSlots-1)
		}
	}
	return rev
}

// X returns the middle of a revision's slot.
func (v View) X(rev int64) float64 { return (v.slot(float64(rev)+0.5) - v.Left) * v.PerRev }

// Edge returns where the slot of a revision ends and the next one begins.
func (v View) Edge(rev int64) float64 { return (v.slot(float64(rev)+1) - v.Left) * v.PerRev }

// Rev returns the revision whose slot is at x.
func (v View) Rev(x float64) int64 { return int64(math.Floor(v.at(v.Left + x/v.PerRev))) }

// Range returns the first and last revision in view, whole or in part.
func (v View) Range() (lo, hi int64) { return v.Rev(0), v.Rev(v.Width) }

// Folded returns the fold that holds a revision.
func (v View) Folded(rev int64) (Fold, bool) {
	for _, f := range v.Folds {
		if rev >= f.Lo && rev <= f.Hi {
			return f, true
		}
	}
	return Fold{}, false
}

// same reports whether two views show the same.
func (v View) same(o View) bool {
	if v.Left != o.Left || v.PerRev != o.PerRev || v.Width != o.Width || len(v.Folds) != len(o.Folds) {
		return false
	}
	for i := range v.Folds {
		if v.Folds[i] != o.Folds[i] {
			return false
		}
	}
	return true
}

// niceStep returns the first of 1, 2 and 5 times a power of ten that is at least min.
func niceStep(min float64) int64 {
	for ten := int64(1); ; ten *= 10 {
		for _, m := range [...]int64{1, 2, 5} {
			if s := m * ten; float64(s) >= min || s > 1e15 {
				return s
			}
		}
	}
}

// Labels returns the revisions that get a number on the axis, at least apart pixels
// from each other.
func (v View) Labels(apart float64) []int64 {
	step := niceStep(apart / v.PerRev)
	lo, hi := v.Range()
	lo = max(lo, 1)
	var out []int64
	for r := (lo + step - 1) / step * step; r <= hi; r += step {
		if f, in := v.Folded(r); in {
			r = f.Hi / step * step
			continue
		}
		out = append(out, r)
	}
	return out
}

// Bin returns how many revisions share a bar where each has less than least pixels;
// 1 where every revision has room.
func (v View) Bin(least float64) int64 {
	if v.PerRev >= least {
		return 1
	}
	return niceStep(least / v.PerRev)
}
