package clock

import (
	"context"
	"time"
)

// Programs are clients whose time is a cluster's: their host gives them its clock instead of the machine's.
type Programs interface {
	// Show has them know what a clock shows, and whether it is paused.
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
// it is moved on. A long way has longer steps, so that timers fire late by d/1200 at most. It is one adjustment, when
// the clock has come there, and without programs it is Advance. The error is the context's, when that ends before.
func (a *Adjustable) AdvanceWith(ctx context.Context, p Programs, d time.Duration) error {
	least := max(d/mostSteps, leastStep)
	for p != nil {
		next, waiting, err := p.Settle(ctx, a)
		if err != nil {
			a.Advance(0)
			return err
		}
		if !waiting || d == 0 {
			break
		}
		step := min(d, max(next.Sub(a.Now()), least))
		a.mu.Lock()
		a.reset(func(time.Time) { a.move(step) })
		a.mu.Unlock()
		d -= step
	}
	a.Advance(d)
	return nil
}
