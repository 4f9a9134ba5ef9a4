package core

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/chaos"
	"github.com/tabernetes/tabernetes/core/registry"
)

// A disturber lets things go wrong at random, in the cluster's time: while that stands,
// nothing does.
type disturber struct {
	// state is written under the store's lock, and never nil.
	state atomic.Pointer[chaosState]
}

// chaosState is how far a plan has come. It is immutable.
type chaosState struct {
	on   bool
	plan chaos.Plan
	// done is how many acts there have been since the plan began, those included that came
	// to nothing because nobody was there; last is the last one if there were any.
	done int64
	last chaos.Act
	// changed is closed when another state takes this one's place.
	changed chan struct{}
}

// follow makes the acts those of a spec. Callers hold the store's lock, or are alone.
func (d *disturber) follow(s chaosSpec) {
	old := d.state.Load()
	on := s.enabled && !s.plan.Start.IsZero()
	if old.on == on && (!on || old.plan == s.plan) {
		return
	}
	d.set(old, chaosState{on: on, plan: s.plan})
}

func (d *disturber) set(old *chaosState, next chaosState) {
	next.changed = make(chan struct{})
	d.state.Store(&next)
	close(old.changed)
}

// over is what the caches are set to with what chaos adds to the settings: one of them is
// late, unless it is later anyway.
func (d *disturber) over(replicas []registry.CacheSpec) []registry.CacheSpec {
	server, late, ok := d.state.Load().lag(replicas)
	if !ok {
		return replicas
	}
	replicas = slices.Clone(replicas)
	replicas[server].Lag = max(replicas[server].Lag, late)
	return replicas
}

// lag is which API server's cache is late at present, and how late; false if none is.
func (s *chaosState) lag(replicas []registry.CacheSpec) (server int, late time.Duration, ok bool) {
	return s.last.Server % len(replicas), s.last.Late, s.on && s.done > 0 && s.last.Kind == chaos.Lag
}

// resumeChaos takes a plan up that was interrupted: what was due meanwhile is left out,
// but for a lag that lasts.
func (i *instance) resumeChaos() {
	st := i.chaos.state.Load()
	if !st.on {
		return
	}
	if due := st.plan.Due(i.clock.Now()); due > 0 {
		i.moveOn(st, due, st.plan.At(due-1))
	}
}

const (
	// mostMissed is how many acts are made up for that fell due at once, when the clock was
	// moved: of more only the last ones.
	mostMissed = 100
	// leastWait is how long to wait at least for the next act, and how late one may be.
	leastWait = time.Millisecond
)

// disturb carries out what is due, until the instance ends.
func (i *instance) disturb() {
	for i.ctx.Err() == nil {
		st := i.chaos.state.Load()
		if !st.on {
			select {
			case <-st.changed:
			case <-i.ctx.Done():
			}
			continue
		}
		now := i.clock.Now()
		due := st.plan.Due(now)
		n := max(st.done, due-mostMissed)
		act := st.plan.At(n)
		if n < due {
			i.carryOut(act)
			i.moveOn(st, n+1, act)
			continue
		}
		timer := i.clock.NewTimer(max(act.Time.Sub(now), leastWait))
		if i.clock.Now().Sub(now) > leastWait { // it was moved before there was a timer to be moved with it
			timer.Stop()
			continue
		}
		select {
		case <-timer.C():
		case <-st.changed:
		case <-i.ctx.Done():
		}
		timer.Stop()
	}
}

// carryOut does what an act says, but for a lag, which is a matter of the state.
func (i *instance) carryOut(act chaos.Act) {
	switch act.Kind {
	case chaos.Cut:
		i.registry.Disconnect()
	case chaos.Compact:
		at := i.store.Status()
		if rev := act.Horizon(at.Compacted, at.Head); rev > at.Compacted {
			_ = i.history.Compact(rev) // which fails only where somebody has compacted further
		}
	}
}

// moveOn notes that a plan has come to its nth act, unless there is another plan by now.
// The lag of the act before ends, and that of this one begins.
func (i *instance) moveOn(st *chaosState, n int64, act chaos.Act) {
	i.store.AtHead(func(head int64) {
		if i.chaos.state.Load() != st {
			return
		}
		i.chaos.set(st, chaosState{on: true, plan: st.plan, done: n, last: act})
		i.registry.Replicas.Set(i.chaos.over(i.spec.Load().replicas), head)
	})
}

// chaosReport is what clients are told of it.
type chaosReport struct {
	Seed int64      `json:"seed"`
	Acts int64      `json:"acts"`
	Last *chaosLast `json:"last,omitempty"`
}

// chaosLast is the last act. Server and LagSeconds are those of a lag, which lasts.
type chaosLast struct {
	Act        chaos.Kind `json:"act"`
	Time       string     `json:"time"`
	Server     *int       `json:"server,omitempty"`
	LagSeconds int64      `json:"lagSeconds,omitempty"`
}

// report tells how far chaos has come; nil if it is not enabled.
func (d *disturber) report(s *spec) *chaosReport {
	st := d.state.Load()
	if !st.on {
		return nil
	}
	r := &chaosReport{Seed: st.plan.Seed, Acts: st.done}
	if st.done == 0 {
		return r
	}
	r.Last = &chaosLast{Act: st.last.Kind, Time: st.last.Time.UTC().Format(time.RFC3339Nano)}
	if server, late, ok := st.lag(s.replicas); ok {
		r.Last.Server, r.Last.LagSeconds = &server, int64(late/time.Second)
	}
	return r
}

// status is status.chaos: the report, and what is stored of it.
func (d *disturber) status(s *spec) map[string]any {
	r := d.report(s)
	if r == nil {
		return nil
	}
	tree := map[string]any{"startTime": d.state.Load().plan.Start.Format(time.RFC3339Nano), "acts": r.Acts}
	if r.Last == nil {
		return tree
	}
	last := map[string]any{"act": string(r.Last.Act), "time": r.Last.Time}
	if r.Last.Server != nil {
		last["server"], last["lagSeconds"] = int64(*r.Last.Server), r.Last.LagSeconds
	}
	tree["last"] = last
	return tree
}
