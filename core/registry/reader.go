package registry

import (
	"context"
	"errors"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
)

// A Reader is the registry as one API server reads it: through that server's watch cache where the
// request allows it.
type Reader struct {
	*Registry
	cache  *Cache // nil means none
	server int    // the index of the API server
}

// Through returns the reader for a cache; nil reads the store itself, as an API server without
// watch caches does.
func (r *Registry) Through(c *Cache) Reader { return Reader{Registry: r, cache: c} }

// Via returns the reader of an API server, 0 being the first.
func (r *Registry) Via(server int) Reader { return Reader{r, r.Replicas.Cache(server), server} }

// Server returns the index of the reader's API server, 0 being the first.
func (r Reader) Server() int { return r.server }

// forType returns the reader for a resource type: some are never cached.
func (r Reader) forType(t *schema.Resource) Reader {
	if t.Uncached {
		r.cache = nil
	}
	return r
}

// state returns what decides how the reader's reads are answered.
func (r Reader) state() state {
	if r.cache == nil {
		return state{}
	}
	return state{
		cached: true, unready: r.cache.ready(),
		withoutSnapshots: !r.Settings().Gates.Enabled(gates.ListFromCacheSnapshot),
	}
}

// as returns the reader that reads from where a plan says.
func (r Reader) as(p plan) Reader {
	if p.from == source.Etcd {
		r.cache = nil
	}
	return r
}

// await returns once the reader has reached the revision that a plan waits for. The store itself fails
// at once if it has not; a cache gets some time.
func (r Reader) await(ctx context.Context, t *schema.Resource, p plan) error {
	rev := p.await
	switch rev {
	case 0:
		return nil
	case revHead:
		rev, _ = r.Store.Bounds()
	}
	if r.cache != nil {
		return r.cache.Await(ctx, t, rev)
	}
	if head, _ := r.Store.Bounds(); rev > head {
		return status.NewTooLargeResourceVersion(rev, head, 0)
	}
	return nil
}

// at returns the revision to read at by a plan; 0 is the head. It may grow with each call.
func (r Reader) at(t *schema.Resource, p plan) int64 {
	switch p.revision {
	case revReached:
		return r.versionOf(t)
	case revHead:
		return 0
	}
	return p.revision
}

// outdated reports whether a read failed only because its revision was compacted while the plan
// allows a newer one: the cache has moved on.
func (p plan) outdated(err error) bool { return !p.exact && errors.Is(err, mvcc.ErrCompacted) }

// known returns the revision that the reader has reached; 0 is the head.
func (r Reader) known() int64 {
	if r.cache == nil {
		return 0
	}
	return r.cache.position()
}

// versionOf returns the resourceVersion of what the reader has of a type; 0 is the head.
func (r Reader) versionOf(t *schema.Resource) int64 {
	if r.cache == nil {
		return 0
	}
	return r.cache.Version(t)
}

// nextCut returns the next cut of the reader's watches.
func (r Reader) nextCut() *cut {
	if r.cache == nil {
		return r.cut.next()
	}
	return r.cache.cut.next()
}

// Disconnect ends every open watch, as a restart of the servers or of a proxy would: without an
// event, in mid-stream. They send nothing that is committed later.
func (r *Registry) Disconnect() {
	head, _ := r.Store.Bounds()
	r.cut.cut(head)
	r.Replicas.disconnect(head)
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
