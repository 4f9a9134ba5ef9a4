package clock

import (
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/set"
)

// Adjustable is a clock that follows another one and can be paused, moved forward and sped up: the lever on
// a cluster's time. It never goes back, except by Set. Moving it fires the timers that are due by
// then; while it is paused, only that fires any. Use NewAdjustable.
//
// Its timers are the other clock's, which are reset after a change: a change costs in proportion to
// the waiting timers.
type Adjustable struct {
	base Clock

	mu sync.Mutex
	// While it runs, the offset is that between this clock's time and the other's when that was since; from then on,
	// rate seconds of this clock pass in one of the other's.
	offset   time.Duration
	since    time.Time
	rate     int64
	paused   bool
	pausedAt time.Time // this clock's time while it is paused
	// steady is how many calls of AdvanceWith move it: it is no faster than the other clock meanwhile.
	steady int
	timers set.Of[*adjustableTimer]
	change chan struct{} // closed and replaced by every adjustment
}

// NewAdjustable returns a clock that shows base's time until it is adjusted.
func NewAdjustable(base Clock) *Adjustable {
	return &Adjustable{base: base, rate: 1, change: make(chan struct{})}
}

// Now returns the current time of this clock.
func (a *Adjustable) Now() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now()
}

func (a *Adjustable) now() time.Time {
	if a.paused {
		return a.pausedAt
	}
	now := a.base.Now()
	return now.Add(a.offset + a.gained(now))
}

// pace returns how many seconds of this clock pass in one of the other's, while it runs. Callers hold the lock.
func (a *Adjustable) pace() int64 {
	if a.steady > 0 {
		return 1
	}
	return a.rate
}

// gained returns how much further than the other clock's time this one's has moved since then. Callers hold the lock.
func (a *Adjustable) gained(now time.Time) time.Duration {
	if a.pace() == 1 {
		return 0
	}
	return max(0, now.Sub(a.since)) * time.Duration(a.pace()-1)
}

// within returns how long a time of this clock takes by the other one. Callers hold the lock.
func (a *Adjustable) within(d time.Duration) time.Duration {
	pace := time.Duration(a.pace())
	if d%pace > 0 {
		return d/pace + 1
	}
	return d / pace
}

// Offset returns the difference to the other clock's time. It is negative after a pause, and
// decreases during one; while the clock is faster, it increases.
func (a *Adjustable) Offset() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.base.Now()
	if a.paused {
		return a.pausedAt.Sub(now)
	}
	return a.offset + a.gained(now)
}

// A State is what a clock shows at each time of the clock that it follows: At while it is paused, else that time with
// the offset, and Rate-1 seconds more for each one since Since. A Rate of 1 needs no Since.
type State struct {
	Paused bool
	At     time.Time
	Offset time.Duration
	Rate   int64
	Since  time.Time
}

// State returns what the clock shows until it is adjusted.
func (a *Adjustable) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.paused {
		return State{Paused: true, At: a.pausedAt, Rate: a.pace()}
	}
	return State{Offset: a.offset, Rate: a.pace(), Since: a.since}
}

// Changed returns a channel that is closed at the next adjustment.
func (a *Adjustable) Changed() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.change
}

// Pause pauses the clock, or lets it continue from the time that it shows.
func (a *Adjustable) Pause(paused bool) { change(a, &a.paused, paused) }

// Speed sets how many seconds pass in one of the other clock's, at least 1, from the time on that it shows.
func (a *Adjustable) Speed(rate int64) { change(a, &a.rate, rate) }

// change sets whether a clock runs, or how fast. It is an adjustment only if it was otherwise.
func change[T comparable](a *Adjustable, at *T, to T) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if *at == to {
		return
	}
	a.adjusted(func(now time.Time) {
		*at = to
		a.show(now)
	})
}

// show has the clock continue from a time, unless it is paused: then it shows that. Callers hold the lock.
func (a *Adjustable) show(t time.Time) {
	a.pausedAt, a.since = t, a.base.Now()
	a.offset = t.Sub(a.since)
}

// Advance moves the clock forward by d, whether it is paused or runs.
func (a *Adjustable) Advance(d time.Duration) { a.adjust(func(time.Time) { a.move(d) }) }

// move moves the clock forward. Callers hold the lock.
func (a *Adjustable) move(d time.Duration) {
	a.offset += d
	a.pausedAt = a.pausedAt.Add(d)
}

// NotBefore moves the clock forward to t, unless it is later already.
func (a *Adjustable) NotBefore(t time.Time) {
	if d := t.Sub(a.Now()); d > 0 {
		a.Advance(d)
	}
}

// Set moves the clock to t, even back, which is allowed only before anybody has read it.
func (a *Adjustable) Set(t time.Time) { a.adjust(func(time.Time) { a.show(t) }) }

// adjust makes a change, resets the waiting timers, and says that there was one.
func (a *Adjustable) adjust(change func(now time.Time)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.adjusted(change)
}

// adjusted is adjust for callers that hold the lock.
func (a *Adjustable) adjusted(change func(now time.Time)) {
	a.reset(change)
	close(a.change)
	a.change = make(chan struct{})
}

// reset makes a change and resets the waiting timers. Callers hold the lock.
func (a *Adjustable) reset(change func(now time.Time)) {
	before := a.now()
	change(before)
	now := a.now()
	for t := range a.timers.Values {
		switch {
		case !t.at.After(before): // it has fired, and does so only once
			a.timers.Delete(t)
		case a.paused && t.at.After(now):
			t.base.Stop()
		default:
			t.base.Reset(a.within(t.at.Sub(now)))
		}
	}
}

// NewTimer returns a timer that fires when d of this clock's time has passed. Stop it even after it
// has fired: the clock keeps it until then.
func (a *Adjustable) NewTimer(d time.Duration) Timer {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.now().Add(d)
	t := &adjustableTimer{clock: a, base: a.base.NewTimer(a.within(d)), at: at}
	a.keep(t, d)
	return t
}

// keep registers a timer that may have to be reset. Callers hold the lock.
func (a *Adjustable) keep(t *adjustableTimer, d time.Duration) {
	if d <= 0 {
		return
	}
	a.timers.Add(t)
	if a.paused {
		t.base.Stop()
	}
}

type adjustableTimer struct {
	clock *Adjustable
	base  Timer
	at    time.Time
}

func (t *adjustableTimer) C() <-chan time.Time { return t.base.C() }

func (t *adjustableTimer) Stop() bool {
	a := t.clock
	a.mu.Lock()
	defer a.mu.Unlock()
	_, kept := a.timers.Values[t]
	a.timers.Delete(t)
	return t.base.Stop() || kept && t.at.After(a.now())
}

func (t *adjustableTimer) Reset(d time.Duration) {
	a := t.clock
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timers.Delete(t)
	t.at = a.now().Add(d)
	t.base.Reset(a.within(d))
	a.keep(t, d)
}
