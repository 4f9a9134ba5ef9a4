package chaos

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/registry"
)

// A Driver carries out plans.
type Driver struct {
	registry *registry.Registry
	clock    clock.Clock
	compact  func(rev int64) error

	// state and caches are written under the store's lock, and never nil.
	state  atomic.Pointer[state]
	caches atomic.Pointer[[]registry.CacheSpec]
}

// New returns a driver without a plan. compact drops the history below a revision.
func New(r *registry.Registry, c clock.Clock, compact func(rev int64) error) *Driver {
	d := &Driver{registry: r, clock: c, compact: compact}
	d.state.Store(&state{changed: make(chan struct{})})
	d.caches.Store(&[]registry.CacheSpec{})
	return d
}

// state is the progress of a plan. It is immutable.
type state struct {
	on   bool
	plan Plan
	// done is the number of acts since the plan began, including those without an effect because there
	// were no clients; last is the last one if there were any.
	done int64
	last Act
	// changed is closed when another state replaces this one.
	changed chan struct{}
}

// Follow starts a plan, or ends the current one if on is false. Callers hold the store's lock, or
// have exclusive access.
func (d *Driver) Follow(on bool, plan Plan) {
	old := d.state.Load()
	if old.on == on && (!on || old.plan == plan) {
		return
	}
	d.set(old, state{on: on, plan: plan})
}

func (d *Driver) set(old *state, next state) {
	next.changed = make(chan struct{})
	d.state.Store(&next)
	close(old.changed)
}

// Plan returns the current plan; false if none exists.
func (d *Driver) Plan() (plan Plan, ok bool) {
	st := d.state.Load()
	return st.plan, st.on
}

// SetCaches applies the settings of the caches, with the delay of a Lag, when the store's head is
// at rev. Callers hold the store's lock, or have exclusive access.
func (d *Driver) SetCaches(specs []registry.CacheSpec, rev int64) {
	d.caches.Store(&specs)
	d.setCaches(d.state.Load(), rev)
}

// setCaches sets the caches to their settings with the delay of a state's Lag, unless the setting is
// longer.
func (d *Driver) setCaches(st *state, rev int64) {
	specs := *d.caches.Load()
	if server, late, ok := st.lag(len(specs)); ok {
		specs = slices.Clone(specs)
		specs[server].Lag = max(specs[server].Lag, late)
	}
	d.registry.Replicas.Set(specs, rev)
}

// lag returns which of the API servers' caches is delayed at present, and by how much; false if
// none is.
func (s *state) lag(servers int) (server int, late time.Duration, ok bool) {
	if !s.on || s.done == 0 || s.last.Kind != Lag {
		return 0, 0, false
	}
	return s.last.Server % servers, s.last.Late, true
}

// Changed returns a channel that is closed when the plan or its progress changes.
func (d *Driver) Changed() <-chan struct{} { return d.state.Load().changed }

// Resume continues a plan that was interrupted: acts that were due meanwhile are skipped, but a Lag
// lasts.
func (d *Driver) Resume() {
	st := d.state.Load()
	if !st.on {
		return
	}
	if due := st.plan.Due(d.clock.Now()); due > 0 {
		d.moveOn(st, due, st.plan.At(due-1))
	}
}

const (
	// maxMissed is the maximum number of acts that are made up for when the clock was moved; earlier
	// ones are skipped.
	maxMissed = 100
	// minWait is the minimum time to wait for the next act, and how late one may be.
	minWait = time.Millisecond
)

// Run carries out the acts that are due, until the context ends.
func (d *Driver) Run(ctx context.Context) {
	for ctx.Err() == nil {
		st := d.state.Load()
		if !st.on {
			select {
			case <-st.changed:
			case <-ctx.Done():
			}
			continue
		}
		now := d.clock.Now()
		due := st.plan.Due(now)
		n := max(st.done, due-maxMissed)
		act := st.plan.At(n)
		if n < due {
			d.carryOut(act)
			d.moveOn(st, n+1, act)
			continue
		}
		timer := d.clock.NewTimer(max(act.Time.Sub(now), minWait))
		if d.clock.Now().Sub(now) > minWait { // it was moved before there was a timer to be moved with it
			timer.Stop()
			continue
		}
		select {
		case <-timer.C():
		case <-st.changed:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// carryOut carries out an act, except for a Lag, which is part of the state.
func (d *Driver) carryOut(act Act) {
	switch act.Kind {
	case Cut:
		d.registry.Disconnect()
	case Compact:
		at := d.registry.Store.Status()
		if rev := act.Horizon(at.Compacted, at.Head); rev > at.Compacted {
			_ = d.compact(rev) // which fails only if the history was compacted further meanwhile
		}
	}
}

// moveOn records that a plan has reached its nth act, unless there is another plan by now. The Lag
// of the act before ends, and that of this one begins: first, so that a client that sees the act as
// done also sees its effect.
func (d *Driver) moveOn(st *state, n int64, act Act) {
	d.registry.Store.AtHead(func(head int64) {
		if d.state.Load() != st {
			return
		}
		next := state{on: true, plan: st.plan, done: n, last: act}
		d.setCaches(&next, head)
		d.set(st, next)
	})
}
