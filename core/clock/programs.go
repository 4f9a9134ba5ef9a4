package clock

import (
	"context"
	"time"
)

// Programs are clients whose time is a cluster's: their host gives them its clock instead of the machine's.
type Programs interface {
	// Show has them know what a clock shows, whether it is paused, and how fast it is.
	Show(a *Adjustable)
	// Settle shows it, and returns once they all wait for time to pass: until when by this clock, and whether any of
	// them does. The error is the context's.
	Settle(ctx context.Context, a *Adjustable) (next time.Time, waiting bool, err error)
}

// Follow shows programs a clock, again after each adjustment, until the context ends.
func (a *Adjustable) Follow(ctx context.Context, p Programs) {
	for {
		changed := a.Changed()
		p.Show(a)
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

const (
	// mostSteps is about how many steps AdvanceWith takes at most; in a cluster some program wakes each second.
	mostSteps = 1200
	// leastStep is the time that it moves at least by a step.
	leastStep = time.Millisecond
)

// AdvanceWith moves the clock forward by d, from timer to timer of the programs: each time they do what is due before
// it is moved on. A long way has longer steps, so that timers fire late by d/1200 at most. Meanwhile it is no faster
// than the clock that it follows. It is one adjustment, when the clock has come there; without programs it is Advance.
// The error is the context's, when that ends before.
func (a *Adjustable) AdvanceWith(ctx context.Context, p Programs, d time.Duration) error {
	if p == nil {
		a.Advance(d)
		return nil
	}
	a.quietly(func(now time.Time) { a.hold(1, now) })
	defer func() {
		a.adjust(func(now time.Time) {
			a.hold(-1, now)
			a.move(d)
		})
	}()
	least := max(d/mostSteps, leastStep)
	for {
		next, waiting, err := p.Settle(ctx, a)
		if err != nil {
			d = 0
			return err
		}
		if !waiting || d == 0 {
			return nil
		}
		step := min(d, max(next.Sub(a.Now()), least))
		a.quietly(func(time.Time) { a.move(step) })
		d -= step
	}
}

// quietly makes a change that is a part of an adjustment.
func (a *Adjustable) quietly(change func(now time.Time)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reset(change)
}

// hold counts calls of AdvanceWith, n more or less. Callers hold the lock.
func (a *Adjustable) hold(n int, now time.Time) {
	a.steady += n
	if a.rate != 1 {
		a.show(now)
	}
}
