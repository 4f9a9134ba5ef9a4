package controller

import (
	"cmp"
	"context"
	"sync"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/registry"
)

// Set is a set of controllers that are switched on and off together. It does nothing before Start. Some of them rest
// while a kube-controller-manager does their work.
type Set struct {
	// Before, if set, is called by each controller before it begins to run: see core.Options.Background.
	Before func()

	// always run while the set is on; those in resting do unless they are replaced.
	always, resting group

	mu       sync.Mutex
	started  bool // and not stopped
	on       bool
	replaced bool
	running  sync.WaitGroup
}

// A group is controllers that run at the same times.
type group struct {
	controllers []*controller
	off         context.CancelFunc // ends the present run; nil without one
}

// New returns the controllers of a cluster, of which one has CEL expressions checked by an evaluator. leaders is the
// clock of programs that hold Leases.
func New(r *registry.Registry, evaluator expression.Evaluator, leaders clock.Clock) *Set {
	s := newSet(r, aggregate(r), typeCheck(r, evaluator))
	s.add(&s.always, r, rest(r, leaders, s.rest))
	s.add(&s.resting, r, provide(r), terminate(r), collect(r), measure(r))
	return s
}

func newSet(r *registry.Registry, plans ...plan) *Set {
	s := &Set{}
	s.add(&s.always, r, plans...)
	return s
}

func (s *Set) add(g *group, r *registry.Registry, plans ...plan) {
	for _, p := range plans {
		g.controllers = append(g.controllers, &controller{plan: p, store: r.Store, clock: cmp.Or(p.clock, r.Clock)})
	}
}

// Start enables the switch: if it is on, the controllers begin to run. Call Stop in the end.
func (s *Set) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = true
	s.settle()
}

// Switch turns the controllers on or off. It does not wait for either, and may be called under the
// store's lock.
func (s *Set) Switch(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = on
	s.settle()
}

// rest ends the controllers that a kube-controller-manager replaces, or has them run again.
func (s *Set) rest(replaced bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replaced = replaced
	s.settle()
}

// Replaced reports whether controllers rest because a kube-controller-manager does their work.
func (s *Set) Replaced() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replaced
}

// Stop turns the controllers off permanently and waits until they have ended.
func (s *Set) Stop() {
	s.mu.Lock()
	s.started = false
	s.settle()
	s.mu.Unlock()
	s.running.Wait()
}

// settle starts or ends runs. Callers hold the lock.
func (s *Set) settle() {
	on := s.on && s.started
	s.replaced = s.replaced && on // who finds that out runs only then
	s.run(&s.always, on)
	s.run(&s.resting, on && !s.replaced)
}

// run has a group run, or not.
func (s *Set) run(g *group, on bool) {
	switch {
	case on && g.off == nil:
		var ctx context.Context
		ctx, g.off = context.WithCancel(context.Background())
		for _, c := range g.controllers {
			s.running.Go(func() {
				if s.Before != nil {
					s.Before()
				}
				c.run(ctx)
			})
		}
	case !on && g.off != nil:
		g.off()
		g.off = nil
	}
}
