// Package chaos disturbs a cluster at random: a Plan says the kind, time and extent of each act, and a Driver
// carries the acts out, in the cluster's time: while the clock is paused, nothing happens.
//
// Invariants: a plan depends on its fields only, so the same plan has the same acts at the same
// times, in whatever order they are computed, also after a restart. Each interval has one act, at a
// random time within it, so the time between two acts is one interval on average and always less
// than two. The progress of a plan changes under the store's lock only, and so do the settings of
// the caches. A Lag only adds to their delay.
//
// Any act is computed in constant time, without those before it. A driver costs a goroutine, which sleeps between
// the acts.
package chaos

import (
	"math/rand/v2"
	"time"
)

// A Kind is the kind of an act.
type Kind string

const (
	// Cut ends every open watch.
	Cut Kind = "Cut"
	// Compact compacts a part of the history.
	Compact Kind = "Compact"
	// Lag delays one API server's watch cache, until the next act.
	Lag Kind = "Lag"
)

// Kinds are all kinds. Two plans with the same seed have the same acts if they allow the same
// kinds.
var Kinds = []Kind{Cut, Compact, Lag}

// A Plan determines the time and kind of each act.
type Plan struct {
	Seed  int64
	Start time.Time
	// Interval is the average time between two acts.
	Interval time.Duration
	// Allowed says for each of Kinds whether it happens; at least one does.
	Allowed [3]bool
}

// An Act is one disturbance.
type Act struct {
	Kind Kind
	Time time.Time
	// Server selects the API server of a Lag: the remainder of its division by the number of servers.
	// Late is the delay: whole seconds.
	Server int
	Late   time.Duration
	// share is the part of the history that a Compact drops, from 0 to 1.
	share float64
}

// maxLate is the maximum delay of a cache: a read that may not be older than a version waits for 3
// s, so some of those succeed, and others do not.
const maxLate = 8

// At returns the act with an index, from 0.
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

// Due returns the number of acts up to a time.
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

// Horizon returns the revision that a Compact compacts to, in a history from one revision to
// another: in half of all cases to its end, so that only the current state is left.
func (a Act) Horizon(from, to int64) int64 {
	if a.share >= 0.5 {
		return to
	}
	return from + int64(2*a.share*float64(to-from))
}
