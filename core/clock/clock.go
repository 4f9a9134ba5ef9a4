// Package clock is the only source of time in core: a cluster's time can be paused, moved, sped up and, in
// tests, stepped. Nothing else in core reads the time of the operating system.
//
// Real is the wall clock. An Adjustable follows another clock, unless it is paused, moved or faster: it is
// a cluster's clock. A Manual moves only when a test moves it.
//
// Invariants: a timer fires once, and never before its time by the clock that made it. Time does
// not run backwards; only a clock that has not been read yet may be set back (Adjustable.Set).
//
// Reading a clock costs at most a lock; moving one costs its waiting timers.
package clock

import "time"

// A Clock returns the time and makes timers.
type Clock interface {
	// Now returns the current time of this clock.
	Now() time.Time
	// NewTimer returns a timer that fires once, when d of this clock's time has passed. A d of zero or
	// less fires at once.
	NewTimer(d time.Duration) Timer
}

// A Timer fires once on its channel unless it is stopped before.
type Timer interface {
	C() <-chan time.Time
	// Stop keeps the timer from firing. It reports whether it did.
	Stop() bool
	// Reset sets the timer again, to fire when d has passed from now. A value in the channel that was
	// not received is dropped.
	Reset(d time.Duration)
}

// Lasts reports whether a cluster's clock may show a time: its log has times as nanoseconds in 64 bits, which are
// enough for the years 1678 to 2261.
func Lasts(t time.Time) bool { return t.Year() >= 1678 && t.Year() <= 2261 }

// Real returns the wall clock.
func Real() Clock { return real{} }

type real struct{}

func (real) Now() time.Time                 { return time.Now() }
func (real) NewTimer(d time.Duration) Timer { return realTimer{time.NewTimer(d)} }

type realTimer struct{ t *time.Timer }

func (t realTimer) C() <-chan time.Time   { return t.t.C }
func (t realTimer) Stop() bool            { return t.t.Stop() }
func (t realTimer) Reset(d time.Duration) { t.t.Reset(d) }
