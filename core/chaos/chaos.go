// Package chaos plans what goes wrong in a cluster at random: which act, when, and how far it goes.
// All of it follows from a seed. The package does nothing itself: core carries the acts out.
//
// Invariants: a plan depends on its fields only, so the same plan has the same acts at the same
// times, in whatever order they are asked for, also after a restart. Each interval has one act, at a
// random moment of it, so the time between two acts is one interval on average and always less than
// two.
//
// Any act is found in constant time, without computing those before it.
package chaos

import (
	"math/rand/v2"
	"time"
)

// A Kind says what an act does.
type Kind string

const (
	// Cut ends every open watch.
	Cut Kind = "Cut"
	// Compact forgets a part of the history.
	Compact Kind = "Compact"
	// Lag makes one API server's watch cache late, until the next act.
	Lag Kind = "Lag"
)

// Kinds are all there are. Of two plans with the same seed, those have the same acts that
// allow the same kinds.
var Kinds = []Kind{Cut, Compact, Lag}

// A Plan says what happens when.
type Plan struct {
	Seed  int64
	Start time.Time
	// Interval is how far apart acts are on average.
	Interval time.Duration
	// Allowed says for each of Kinds whether it happens: one at least does.
	Allowed [3]bool
}

// An Act is something that goes wrong.
type Act struct {
	Kind Kind
	Time time.Time
	// Server is what a Lag chooses the API server by: its number is the remainder of the
	// division by how many there are. Late is how late it gets: whole seconds.
	Server int
	Late   time.Duration
	// share is how much of the history a Compact forgets, from 0 to 1.
	share float64
}

// maxLate is how late a cache gets at most: a read that may not be older than a version
// waits for 3 s, so some of those find the cache in time, and others do not.
const maxLate = 8

// At returns an act, of which 0 is the first.
func (p Plan) At(n int64) Act {
	r := rand.New(rand.NewPCG(uint64(p.Seed), uint64(n)))
	moment := time.Duration(r.Float64() * float64(p.Interval))
	var kinds []Kind
	for i, allowed := range p.Allowed {
		if allowed {
			kinds = append(kinds, Kinds[i])
		}
	}
	return Act{
		Kind:   kinds[r.IntN(len(kinds))],
		Time:   p.Start.Add(time.Duration(n)*p.Interval + moment),
		Server: r.IntN(1 << 20),
		Late:   time.Duration(1+r.IntN(maxLate)) * time.Second,
		share:  r.Float64(),
	}
}

// Due returns how many acts there have been by a time.
func (p Plan) Due(now time.Time) int64 {
	passed := now.Sub(p.Start)
	if passed < 0 {
		return 0
	}
	n := int64(passed / p.Interval)
	if !p.At(n).Time.After(now) {
		n++
	}
	return n
}

// Horizon returns what a Compact compacts to, of a history that goes from one revision to
// another: in half of all cases to its end, so that nothing but the present is left.
func (a Act) Horizon(from, to int64) int64 {
	if a.share >= 0.5 {
		return to
	}
	return from + int64(2*a.share*float64(to-from))
}
