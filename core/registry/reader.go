package registry

import (
	"context"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// A Reader is the registry as one API server reads it: through that server's watch cache where the
// request allows it.
type Reader struct {
	*Registry
	cache  *Cache // nil: there is none
	server int    // the index of the API server
}

// Through returns the reader for a cache; nil reads the store itself, as an API server without
// watch caches does.
func (r *Registry) Through(c *Cache) Reader { return Reader{Registry: r, cache: c} }

// Via returns the reader of an API server, 0 being the first.
func (r *Registry) Via(server int) Reader { return Reader{r, r.Replicas.Cache(server), server} }

// Server returns the index of the reader's API server, 0 being the first.
func (r Reader) Server() int { return r.server }

// of returns the reader for a resource type: some are never cached.
func (r Reader) of(t *schema.Resource) Reader {
	if t.Uncached {
		r.cache = nil
	}
	return r
}

// await returns once the reader has reached rev. The store itself fails at once if it has not; a
// cache gets some time.
func (r Reader) await(ctx context.Context, rev int64) error {
	if r.cache != nil {
		err := r.cache.Await(ctx, rev)
		if err != nil {
			r.shows(ctx, 0) // the head of the store by now
		}
		return err
	}
	if head := r.Store.Status().Head; rev > head {
		return status.NewTooLargeResourceVersion(rev, head, 0)
	}
	return nil
}

// known returns the revision that the reader has reached; 0 is the head.
func (r Reader) known() int64 {
	if r.cache == nil {
		return 0
	}
	return r.cache.position()
}

// latest returns the reader for the most recent state: the cache if it reaches the current head in
// time, and otherwise the store. rule is the reason for the read.
func (r Reader) latest(ctx context.Context, rule string) (Reader, error) {
	r.answers(ctx, rule)
	if r.known() == 0 {
		return r, nil
	}
	err := r.await(ctx, r.Store.Status().Head)
	if status.Is(err, status.Timeout) {
		r.cache, err = nil, nil
		r.answers(ctx, rule)
	}
	return r, err
}

// revision returns known with the head as a number.
func (r Reader) revision() int64 {
	if rev := r.known(); rev > 0 {
		return rev
	}
	return r.Store.Status().Head
}

// cutChannel returns a channel that is closed when the reader's watches are cut.
func (r Reader) cutChannel() <-chan struct{} {
	if r.cache == nil {
		return r.cut.channel()
	}
	return r.cache.cut.channel()
}

// Disconnect ends every open watch, as a restart of the servers or of a proxy would: without an
// event, in mid-stream.
func (r *Registry) Disconnect() {
	r.cut.cut()
	r.Replicas.disconnect()
}

// A delay is what keeps committed events from a watch: its cache is delayed or frozen.
type delay struct {
	cache *Cache
	state *cacheState
	// over is closed when that changes; nil if nothing is delayed.
	over <-chan struct{}
}

// delay returns the current delay, none for a cache that follows the head. Call it before polling.
func (r Reader) delay() delay {
	if r.cache == nil {
		return delay{}
	}
	s := r.cache.state.Load()
	if s.follows() {
		return delay{}
	}
	return delay{r.cache, s, s.over}
}

// until returns a timer that fires when the first event after the cursor arrives.
func (d delay) until(cursor *mvcc.Watcher) clock.Timer {
	if d.cache == nil {
		return never{}
	}
	next := cursor.Upcoming()
	if next == nil {
		return never{}
	}
	return d.cache.arrival(d.state, next.Time)
}
