package registry

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
)

// freshness is how long a read waits for the cache to reach a version.
const freshness = 3 * time.Second

// Cache is the watch cache of an API server: a position that follows the head of the store, at
// once, with a delay, or not at all. It serves the state of the store at that position, so it holds
// no data of its own; compacted events that it keeps are kept by the store. It never goes back. If
// it falls below the compaction horizon, it continues from there, like a real one that has to list
// again.
type Cache struct {
	store *mvcc.Store
	clock clock.Clock
	cut   cutter

	mu    sync.Mutex // held by callers that change state
	state atomic.Pointer[cacheState]
}

// CacheSpec describes how a cache follows the head.
type CacheSpec struct {
	// Lag is the delay between the commit of a write and its arrival in the cache.
	Lag time.Duration
	// Frozen stops the cache where it is.
	Frozen bool
	// Keep is how long after its commit the cache keeps an event although the store has been compacted,
	// so that watches can start before it; 0: no longer than the store.
	Keep time.Duration
}

// cacheState is the current CacheSpec.
type cacheState struct {
	CacheSpec
	// The cache is at least at the revision floor, and at the last revision committed at the time past:
	// its position when the spec was set.
	floor int64
	past  time.Time
	// over is closed when another spec is set.
	over chan struct{}
}

// NewCache returns a cache at the head of the store.
func NewCache(s *mvcc.Store, c clock.Clock) *Cache {
	cache := &Cache{store: s, clock: c}
	cache.state.Store(&cacheState{over: make(chan struct{})})
	return cache
}

// Set sets a spec, when the store's head is at the given revision. It does not call the store, so
// it may be called under the store's lock.
func (c *Cache) Set(spec CacheSpec, head int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.state.Load()
	if old.CacheSpec == spec {
		return
	}
	next := &cacheState{CacheSpec: spec, floor: old.floor, past: old.past, over: make(chan struct{})}
	switch {
	case old.follows():
		next.floor = head
	case !old.Frozen:
		if t := c.clock.Now().Add(-old.Lag); t.After(next.past) {
			next.past = t
		}
	}
	c.state.Store(next)
	close(old.over)
}

// watch opens a watcher, with the events that the cache keeps.
func (c *Cache) watch(scope mvcc.Scope, start int64) (*mvcc.Watcher, error) {
	return c.store.WatchKept(scope, start, c.Spec().Keep)
}

// horizon returns the oldest revision after which the cache has all events.
func (c *Cache) horizon() int64 { return c.store.Kept(c.Spec().Keep) }

// Spec returns the current spec.
func (c *Cache) Spec() CacheSpec { return c.state.Load().CacheSpec }

// Revision returns the revision that the cache has reached.
func (c *Cache) Revision() int64 {
	if rev := c.position(); rev > 0 {
		return rev
	}
	return c.store.Status().Head
}

// position is Revision, but 0 while the cache is at the head.
func (c *Cache) position() int64 { return c.state.Load().position(c) }

// follows reports whether the cache is always at the head.
func (s *cacheState) follows() bool { return s.Lag == 0 && !s.Frozen }

func (s *cacheState) position(c *Cache) int64 {
	if s.follows() {
		return 0
	}
	known := s.past
	if !s.Frozen {
		if t := c.clock.Now().Add(-s.Lag); t.After(known) {
			known = t
		}
	}
	return max(s.floor, c.store.RevisionAt(known), c.store.Status().Compacted, 1)
}

// arrival returns a timer that fires when an event committed at t arrives in the cache. Stop it
// when done.
func (c *Cache) arrival(s *cacheState, t time.Time) clock.Timer {
	if s.Frozen {
		return never{}
	}
	return c.clock.NewTimer(t.Add(s.Lag).Sub(c.clock.Now()))
}

// Next returns when the next write arrives in the cache; false if there is none, or the cache is
// frozen.
func (c *Cache) Next() (time.Time, bool) {
	s := c.state.Load()
	if s.follows() || s.Frozen {
		return time.Time{}, false
	}
	t, ok := c.store.TimeAfter(s.position(c))
	return t.Add(s.Lag), ok
}

// Await returns once the cache has reached rev, or after 3 s with the error that asks the client to
// try again ("Too large resource version").
func (c *Cache) Await(ctx context.Context, rev int64) error {
	if rev == 0 || c.Revision() >= rev {
		return nil
	}
	if s := source.Of(ctx); s != nil {
		since := c.clock.Now()
		defer func() { s.Wait(c.clock.Now().Sub(since)) }()
	}
	timeout := c.clock.NewTimer(freshness)
	defer timeout.Stop()
	// A watcher is woken by every commit and every compaction. It never calls Next, and may lose
	// events.
	w, err := c.store.Watch(mvcc.Scope{}, rev)
	if err != nil {
		return err
	}
	defer w.Close()
	for {
		s := c.state.Load()
		if c.Revision() >= rev {
			return nil
		}
		var arrival clock.Timer = never{}
		if t, ok := c.store.TimeAfter(rev - 1); ok && !s.follows() {
			arrival = c.arrival(s, t)
			if c.Revision() >= rev { // the clock was moved while the timer was made
				arrival.Stop()
				return nil
			}
		}
		select {
		case <-w.Ready():
		case <-s.over:
		case <-arrival.C():
		case <-timeout.C():
			err = status.NewTooLargeResourceVersion(rev, c.Revision(), 1)
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		arrival.Stop()
		if err != nil {
			return err
		}
	}
}
