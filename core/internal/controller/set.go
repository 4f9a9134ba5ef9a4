package controller

import (
	"context"
	"sync"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/registry"
)

// Set is a set of controllers that are switched on and off together. It does nothing before Start.
type Set struct {
	controllers []*controller

	mu      sync.Mutex
	started bool // and not stopped
	on      bool
	off     context.CancelFunc // ends the present run; nil without one
	running sync.WaitGroup
}

// New returns the controllers of a cluster, of which one has CEL expressions checked by an evaluator.
func New(r *registry.Registry, evaluator expression.Evaluator) *Set {
	return newSet(r, provide(r), terminate(r), collect(r), aggregate(r), measure(r), typeCheck(r, evaluator))
}

func newSet(r *registry.Registry, plans ...plan) *Set {
	s := &Set{}
	for _, p := range plans {
		s.controllers = append(s.controllers, &controller{plan: p, store: r.Store, clock: r.Clock})
	}
	return s
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

// Stop turns the controllers off permanently and waits until they have ended.
func (s *Set) Stop() {
	s.mu.Lock()
	s.started = false
	s.settle()
	s.mu.Unlock()
	s.running.Wait()
}

// settle starts or ends a run. Callers hold the lock.
func (s *Set) settle() {
	switch on := s.on && s.started; {
	case on && s.off == nil:
		var ctx context.Context
		ctx, s.off = context.WithCancel(context.Background())
		for _, c := range s.controllers {
			s.running.Go(func() { c.run(ctx) })
		}
	case !on && s.off != nil:
		s.off()
		s.off = nil
	}
}
