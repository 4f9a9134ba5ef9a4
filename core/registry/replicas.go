package registry

import (
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

// MaxReplicas is how many API servers a cluster may have.
const MaxReplicas = 3

// Replicas are the API servers of a cluster. They share the store, and each has a watch cache of
// its own, so that they may answer from different revisions.
type Replicas struct {
	store  *mvcc.Store
	caches [MaxReplicas]*Cache
	count  atomic.Int32
	turn   atomic.Uint32
}

// NewReplicas returns one API server, whose cache is at the head.
func NewReplicas(s *mvcc.Store, c clock.Clock) *Replicas {
	r := &Replicas{store: s}
	for i := range r.caches {
		r.caches[i] = NewCache(s, c)
	}
	r.count.Store(1)
	return r
}

// Set sets the number and specs of the API servers, one to MaxReplicas, when the store's head is at
// the given revision. Watches of removed servers end.
func (r *Replicas) Set(specs []CacheSpec, head int64) {
	var keep time.Duration
	for _, spec := range specs {
		keep = max(keep, spec.Keep)
	}
	r.store.Keep(keep)
	for i, c := range r.caches {
		if i < len(specs) {
			c.Set(specs[i], head)
			continue
		}
		c.Set(CacheSpec{}, head) // a new server starts at the head
		c.cut.cut()
	}
	r.count.Store(int32(len(specs)))
}

// Len returns the number of API servers.
func (r *Replicas) Len() int { return int(r.count.Load()) }

// Cache returns the cache of an API server, 0 being the first; nil if there is none.
func (r *Replicas) Cache(i int) *Cache {
	if i < 0 || i >= r.Len() {
		return nil
	}
	return r.caches[i]
}

// Next returns the next API server in turn.
func (r *Replicas) Next() int { return int(r.turn.Add(1)-1) % r.Len() }

// Revisions returns the positions of the caches.
func (r *Replicas) Revisions() []int64 {
	revs := make([]int64, r.Len())
	for i := range revs {
		revs[i] = r.caches[i].Revision()
	}
	return revs
}

// NextMove returns when the next write arrives in any of the caches; false if none is going to.
func (r *Replicas) NextMove() (at time.Time, ok bool) {
	for _, c := range r.caches[:r.Len()] {
		if t, moves := c.Next(); moves && (!ok || t.Before(at)) {
			at, ok = t, true
		}
	}
	return at, ok
}

// disconnect ends every open watch.
func (r *Replicas) disconnect() {
	for _, c := range r.caches {
		c.cut.cut()
	}
}
