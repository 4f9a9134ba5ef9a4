package clock

import (
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/set"
)

// Adjustable is a clock that follows another one and can be paused and moved forward: the lever on
// a cluster's time. It never goes back, except by Set. Moving it fires the timers that are due by
// then; while it is paused, only that fires any. Use NewAdjustable.
//
// Its timers are the other clock's, which are reset after a change: a change costs in proportion to
// the waiting timers.
type Adjustable struct {
	base Clock

	mu       sync.Mutex
	offset   time.Duration // between this clock's time and the other's, while it runs
	paused   bool
	pausedAt time.Time // this clock's time while it is paused
	timers   set.Of[*adjustableTimer]
	change   chan struct{} // closed and replaced by every adjustment
}

// NewAdjustable returns a clock that shows base's time until it is adjusted.
func NewAdjustable(base Clock) *Adjustable {
	return &Adjustable{base: base, change: make(chan struct{})}
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
	return a.base.Now().Add(a.offset)
}

// Offset returns the difference to the other clock's time. It is negative after a pause, and
// decreases during one.
func (a *Adjustable) Offset() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.paused {
		return a.pausedAt.Sub(a.base.Now())
	}
	return a.offset
}

// Paused reports whether the clock is paused.
func (a *Adjustable) Paused() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.paused
}

// Changed returns a channel that is closed at the next adjustment.
func (a *Adjustable) Changed() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.change
}

// Pause pauses the clock, or lets it continue from the time that it shows.
func (a *Adjustable) Pause(paused bool) {
	a.adjust(func(now time.Time) {
		switch {
		case paused && !a.paused:
			a.pausedAt = now
		case !paused && a.paused:
			a.offset = now.Sub(a.base.Now())
		}
		a.paused = paused
	})
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
func (a *Adjustable) Set(t time.Time) {
	a.adjust(func(now time.Time) {
		a.offset += t.Sub(now)
		a.pausedAt = t
	})
}

// adjust makes a change, resets the waiting timers, and says that there was one.
func (a *Adjustable) adjust(change func(now time.Time)) {
	a.mu.Lock()
	defer a.mu.Unlock()
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
			t.base.Reset(t.at.Sub(now))
		}
	}
}

// NewTimer returns a timer that fires when d of this clock's time has passed. Stop it even after it
// has fired: the clock keeps it until then.
func (a *Adjustable) NewTimer(d time.Duration) Timer {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := &adjustableTimer{clock: a, base: a.base.NewTimer(d), at: a.now().Add(d)}
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
	t.base.Reset(d)
	a.keep(t, d)
}
