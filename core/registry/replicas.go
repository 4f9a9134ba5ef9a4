package registry

import (
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/settings"
)

// MaxReplicas is how many API servers a cluster may have.
const MaxReplicas = settings.MaxReplicas

// Replicas are the API servers of a cluster. They share the store, and each has its own watch
// cache, so that they may answer from different revisions.
type Replicas struct {
	store  *mvcc.Store
	table  *schema.Table
	caches [MaxReplicas]*Cache
	count  atomic.Int32
	turn   atomic.Uint32
	// last is the last compaction by an API server, or nil.
	last atomic.Pointer[compaction]
}

// NewReplicas returns one API server, whose caches are at the head. Servers keep what they need of the
// store's history of the types in the table.
func NewReplicas(s *mvcc.Store, c clock.Clock, t *schema.Table) *Replicas {
	r := &Replicas{store: s, table: t}
	for i := range r.caches {
		r.caches[i] = newCache(s, c)
	}
	r.count.Store(1)
	s.SetRetainer(r)
	return r
}

// Set sets the number and specs of the API servers, one to MaxReplicas, when the store's head is at
// the given revision. Watches of removed servers end, and those that are added begin at the head.
func (r *Replicas) Set(specs []CacheSpec, head int64) {
	for i, c := range r.caches {
		switch {
		case i >= len(specs):
			c.Set(CacheSpec{}, head)
			c.cut.cut(head)
		case i >= r.Len():
			c.start(head, horizon.Started)
			fallthrough
		default:
			c.Set(specs[i], head)
		}
	}
	r.count.Store(int32(len(specs)))
}

// SetLimits sets the limits of the capacity of caches, and the interval in which etcd tells them its head.
func (r *Replicas) SetLimits(l horizon.Limits, progress time.Duration) {
	for _, c := range r.caches {
		c.types.mu.Lock()
		c.types.ticked = c.types.lastTick(c.state.Load().progress(c.clock.Now()))
		c.types.limits, c.types.progress = l, progress
		c.types.mu.Unlock()
	}
}

// Begin makes all servers begin where the history of a loaded store begins, with the custom resources
// that were defined at the revision known: for clients, they have not been off.
func (r *Replicas) Begin(known int64) {
	_, compacted := r.store.Bounds()
	for _, c := range r.caches {
		c.types.begin(max(1, compacted), horizon.Started, c.clock.Now(), known)
	}
}

// Restart restarts an API server: its watches end, and its caches have nothing from before.
func (r *Replicas) Restart(server int) {
	r.store.AtHead(func(head int64) { r.caches[server].start(head, horizon.Restarted) })
	r.store.Trim()
}

// Forget makes the caches of all servers forget what was before a revision, as if other events had
// pushed it out.
func (r *Replicas) Forget(rev int64) {
	for _, c := range r.caches {
		c.types.forget(rev)
	}
	r.store.Trim()
}

// Compacted says that an API server has compacted etcd at a revision, at the time due, so that all of
// them find it out.
func (r *Replicas) Compacted(rev int64, due time.Time) {
	r.last.Store(&compaction{rev, due})
	for _, c := range r.caches {
		c.types.notice(rev, due)
	}
}

// A compaction is one by an API server.
type compaction struct {
	rev int64
	due time.Time
}

// Forgotten is what the caches of all API servers have forgotten.
type Forgotten struct {
	// Begun is for each server the revision from before which it remembers nothing of any type.
	Begun []Begin
	// Compacted is the last revision at which an API server has compacted etcd, at the time Due; 0 if
	// none has.
	Compacted int64
	Due       time.Time
}

// A Begin is where an API server's caches begin, and why.
type Begin struct {
	Revision int64
	Why      horizon.Cause
}

// Forgotten returns what the caches have forgotten, besides what other events have pushed out.
func (r *Replicas) Forgotten() (f Forgotten) {
	for _, c := range r.caches[:r.Len()] {
		c.types.mu.Lock()
		f.Begun = append(f.Begun, Begin{c.types.since, c.types.why})
		c.types.mu.Unlock()
	}
	if last := r.last.Load(); last != nil {
		f.Compacted, f.Due = last.rev, last.due
	}
	return f
}

// Follow makes the caches of a copy forget what those of another cluster have forgotten. The watches
// of a server that was restarted end.
func (r *Replicas) Follow(f Forgotten) {
	head, _ := r.store.Bounds()
	for i, begun := range f.Begun {
		c := r.Cache(i)
		if c != nil && c.types.follow(begun) {
			c.cut.cut(head)
		}
	}
	if f.Compacted > 0 {
		r.Compacted(f.Compacted, f.Due)
	}
	r.store.Trim()
}

// Retain implements mvcc.Retainer: what one of the servers needs is kept.
func (r *Replicas) Retain(bucket string, events []*mvcc.Event, horizon int64) int64 {
	need := horizon
	if t := ResourceOf(r.table, bucket); t != nil && !t.Uncached {
		for _, c := range r.caches[:r.Len()] {
			need = min(need, c.retain(t, events, horizon))
		}
	}
	return need
}

// Len returns the number of API servers.
func (r *Replicas) Len() int { return int(r.count.Load()) }

// Cache returns the cache of an API server, 0 being the first, or nil.
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
func (r *Replicas) disconnect(head int64) {
	for _, c := range r.caches {
		c.cut.cut(head)
	}
}
