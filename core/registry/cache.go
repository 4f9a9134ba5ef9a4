package registry

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
)

// freshness is how long a read waits for the cache to reach a version.
const freshness = settings.CacheWait

// Cache is the watch caches of an API server. They follow the head of the store together, at once,
// with a delay, or not at all, so they have one position; what each of them remembers of its type is
// in types (typecache.go). They serve the state of the store at the position, so they hold no data
// themselves; the store keeps the compacted events that they need. A position never goes back. If it
// falls below the compaction horizon, it continues from there, as in a real one that has to list
// again.
type Cache struct {
	store *mvcc.Store
	clock clock.Clock
	cut   cutter
	types typeCaches

	mu    sync.Mutex // held by callers that change state
	state atomic.Pointer[cacheState]
}

// CacheSpec describes how a cache follows the head.
type CacheSpec struct {
	// Lag is the delay between the commit of a write and its arrival in the cache.
	Lag time.Duration
	// Frozen stops the cache where it is.
	Frozen bool
}

// cacheState is the current CacheSpec.
type cacheState struct {
	CacheSpec
	// The cache is at least at the revision floor, and at the last revision committed at the time past:
	// its position when the spec was set.
	floor int64
	past  time.Time
	// heard is the time up to which etcd's progress had arrived when the spec was set.
	heard time.Time
	// unlisted is when a frozen server was restarted: it could not list etcd, so it has no caches
	// until it is not frozen any more. Zero: it has.
	unlisted time.Time
	// over is closed when another spec is set.
	over chan struct{}
}

// newCache returns a cache at the head of the store.
func newCache(s *mvcc.Store, c clock.Clock) *Cache {
	cache := &Cache{store: s, clock: c}
	cache.types.limits, cache.types.progress = horizon.DefaultLimits, settings.Progress.Duration()
	cache.types.begin(1, horizon.Started, c.Now(), 0)
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
	next := &cacheState{
		CacheSpec: spec, floor: old.floor, past: old.past, heard: old.progress(c.clock.Now()), unlisted: old.unlisted,
		over: make(chan struct{}),
	}
	switch {
	case !old.unlisted.IsZero() && !spec.Frozen: // it can list etcd now
		next.floor, next.unlisted = head, time.Time{}
		c.types.begin(head, horizon.Restarted, c.clock.Now(), 0)
	case old.follows():
		next.floor = head
	default:
		next.past = old.known(c)
	}
	c.state.Store(next)
	close(old.over)
}

// start restarts the API server, at the head of the store, if it can list etcd. Its watches end. Callers hold
// the store's lock.
func (c *Cache) start(head int64, why horizon.Cause) {
	now := c.clock.Now()
	c.types.begin(head, why, now, 0)
	c.mu.Lock()
	old := c.state.Load()
	next := &cacheState{CacheSpec: old.CacheSpec, floor: old.floor, past: old.past, over: make(chan struct{})}
	if old.Frozen {
		next.unlisted = now
	} else {
		next.floor = head
	}
	c.state.Store(next)
	close(old.over)
	c.mu.Unlock()
	c.cut.cut(head)
}

// notListed is the message of a cache that has not listed etcd.
const notListed = "storage is (re)initializing"

// ready returns the error of a cache that has not listed etcd yet, or nil.
func (c *Cache) ready() error {
	since := c.state.Load().unlisted
	if since.IsZero() {
		return nil
	}
	wait := int(min(30, max(1, math.Exp(0.06*c.clock.Now().Sub(since).Seconds()))))
	return status.NewTooManyRequests(notListed, wait)
}

// reach returns how far the caches are behind the store. It does not call the store.
func (c *Cache) reach() reach {
	s := c.state.Load()
	if s.follows() {
		return reach{all: true}
	}
	return reach{floor: s.floor, past: s.known(c)}
}

// Spec returns the current spec.
func (c *Cache) Spec() CacheSpec { return c.state.Load().CacheSpec }

// Revision returns the revision that the cache has reached.
func (c *Cache) Revision() int64 {
	if rev := c.position(); rev > 0 {
		return rev
	}
	head, _ := c.store.Bounds()
	return head
}

// position is Revision, but 0 while the cache is at the head.
func (c *Cache) position() int64 { return c.state.Load().position(c) }

// follows reports whether the cache is always at the head.
func (s *cacheState) follows() bool { return s.Lag == 0 && !s.Frozen }

func (s *cacheState) position(c *Cache) int64 {
	if s.follows() {
		return 0
	}
	return max(s.floor, c.store.RevisionAt(s.known(c)), 1)
}

// known returns the time up to which the cache has what was committed, besides what is up to floor.
func (s *cacheState) known(c *Cache) time.Time { return s.arrived(s.past, c.clock.Now()) }

// progress returns the time up to which etcd's progress has arrived.
func (s *cacheState) progress(now time.Time) time.Time { return s.arrived(s.heard, now) }

// arrived returns the time up to which what comes from etcd has arrived by now, if it had up to the time before when
// the spec was set.
func (s *cacheState) arrived(before, now time.Time) time.Time {
	if t := now.Add(-s.Lag); !s.Frozen && t.After(before) {
		return t
	}
	return before
}

// arrival returns a timer that fires when an event committed at t arrives in the cache. Stop it
// when done.
func (c *Cache) arrival(s *cacheState, t time.Time) clock.Timer {
	if s.Frozen {
		return never{}
	}
	return c.clock.NewTimer(t.Add(s.Lag).Sub(c.clock.Now()))
}

// Next returns when the next write arrives in the cache; false if no write is on its way, or
// the cache is frozen.
func (c *Cache) Next() (time.Time, bool) {
	s := c.state.Load()
	if s.follows() || s.Frozen {
		return time.Time{}, false
	}
	t, ok := c.store.TimeAfter(s.position(c))
	return t.Add(s.Lag), ok
}

// Await returns once the cache of a type has the version rev, or after 3 s with the error that asks
// the client to try again ("Too large resource version"). The cache asks etcd for its head if it has
// seen no event of the type that says so.
func (c *Cache) Await(ctx context.Context, t *schema.Resource, rev int64) error {
	if rev == 0 || c.Version(t) >= rev {
		return nil
	}
	if err := c.await(ctx, rev); err != nil {
		if errors.Is(err, errTooLarge) {
			return status.NewTooLargeResourceVersion(rev, c.Version(t), 1)
		}
		return err
	}
	c.ask(t)
	return nil
}

// errTooLarge is returned by await if the position is not reached in time.
var errTooLarge = errors.New("registry: the cache is behind")

// await returns once the position has reached rev, or errTooLarge after 3 s.
func (c *Cache) await(ctx context.Context, rev int64) error {
	if c.Revision() >= rev {
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
	for err != nil { // rev was compacted since; from the head on, it is woken as well
		head := c.store.Status().Head
		w, err = c.store.Watch(mvcc.Scope{}, head)
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
			err = errTooLarge
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		arrival.Stop()
		if err != nil {
			return err
		}
	}
}
