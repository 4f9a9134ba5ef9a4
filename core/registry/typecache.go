package registry

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/internal/watchcache"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
)

// compactionPoll is how often an API server looks up what was compacted, to drop its caches'
// snapshots from before.
const compactionPoll = 15 * time.Second

// typeCaches are the watch caches of an API server, one for each resource type. They are made when
// they are first needed, and that of a type without an event takes no memory unless it is asked for
// progress.
type typeCaches struct {
	mu     sync.Mutex
	limits horizon.Limits
	// progress is the interval in which etcd tells its head, and ticked when it last did in another interval.
	progress time.Duration
	ticked   time.Time
	// The server began at the revision since, for the reason why, and the time begun. For known see begin.
	since int64
	why   horizon.Cause
	begun time.Time
	known int64
	types map[string]*typeCache // by bucket
	// compacted is the last revision at which etcd was compacted by an API server, which this one looks
	// up at the time noticed; cleared is the one before that it has looked up.
	compacted, cleared int64
	noticed            time.Time
}

// A typeCache is the watch cache of a resource type.
type typeCache struct {
	watchcache.Buffer
	// reported is the head that etcd reported when it was last asked.
	reported int64
	// gone is that of a custom resource's definition, which the cache was made for.
	gone chan struct{}
}

// begin starts the server at a revision, with no caches. Custom resources that were defined at the
// revision known count as older.
func (t *typeCaches) begin(rev int64, why horizon.Cause, now time.Time, known int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.since, t.why, t.begun, t.known = rev, why, now, known
	t.types, t.compacted, t.cleared, t.ticked = map[string]*typeCache{}, 0, 0, now
}

// forget makes all caches forget what was before a revision.
func (t *typeCaches) forget(rev int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if rev > t.since {
		t.since, t.why = rev, horizon.Forgotten
	}
}

// follow makes the server begin where another one does that it copies, if that is later, and reports
// whether that one was started.
func (t *typeCaches) follow(b Begin) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if b.Revision < t.since || b == (Begin{t.since, t.why}) {
		return false
	}
	t.since, t.why = b.Revision, b.Why
	return b.Why != horizon.Forgotten
}

// notice notes a compaction by an API server, at the time due.
func (t *typeCaches) notice(rev int64, due time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lookUp(due)
	t.compacted = rev
	t.noticed = t.begun.Add((due.Sub(t.begun)/compactionPoll + 1) * compactionPoll)
}

// lookUp has the server know at a time of the last compaction, if it has looked it up by then. Callers hold the lock.
func (t *typeCaches) lookUp(now time.Time) {
	if !now.Before(t.noticed) {
		t.cleared = t.compacted
	}
}

// cacheOf returns the cache of a type that has taken the given events, all that the server has of it.
// Callers hold the lock.
func (t *typeCaches) cacheOf(r *schema.Resource, events []*mvcc.Event, now time.Time) *typeCache {
	bucket := r.Bucket()
	c := t.types[bucket]
	if c != nil && r.Custom != nil && c.gone != r.Custom.Gone {
		c = nil
	}
	if c == nil {
		since, why := t.since, t.why
		c = &typeCache{}
		if r.Custom != nil {
			c.gone = r.Custom.Gone
			if defined := r.Custom.Revision; defined > max(since, t.known) {
				since, why = defined, horizon.Defined
			}
		}
		if c.Buffer = watchcache.New(since, why, t.limits); len(events) > 0 {
			t.types[bucket] = c
		}
	}
	c.Limit(t.limits, events)
	c.List(t.since, t.why, events)
	if t.lookUp(now); t.cleared > 0 {
		c.Clear(t.cleared)
	}
	return c
}

// reach is how far a cache is behind etcd.
type reach struct {
	// all is set if it is not.
	all bool
	// The cache has the events up to the revision floor, and those committed up to the time past.
	floor int64
	past  time.Time
}

// reached returns the events that the cache has.
func (r reach) reached(events []*mvcc.Event) []*mvcc.Event {
	if r.all {
		return events
	}
	return events[:sort.Search(len(events), func(i int) bool {
		return events[i].Revision > r.floor && events[i].Time.After(r.past)
	})]
}

// with calls f with the cache of a type and all events that the server has of it, under the lock of
// the caches.
func (c *Cache) with(t *schema.Resource, f func(tc *typeCache, events []*mvcc.Event)) {
	now := c.clock.Now()
	events := c.reach().reached(c.store.Recent(t.Bucket()))
	c.types.mu.Lock()
	defer c.types.mu.Unlock()
	f(c.types.cacheOf(t, events, now), events)
}

// Version returns the resourceVersion of a type's cache: that of its last event, or what etcd reported
// later.
func (c *Cache) Version(t *schema.Resource) (version int64) {
	var known time.Time
	at := c.Revision()
	c.with(t, func(tc *typeCache, _ []*mvcc.Event) {
		version, known = max(tc.Last(), tc.reported), c.types.lastTick(c.state.Load().progress(c.clock.Now()))
	})
	if version >= at {
		return at
	}
	return max(version, min(at, c.store.RevisionAt(known)))
}

// lastTick returns the last time up to known at which etcd reported its head.
func (t *typeCaches) lastTick(known time.Time) time.Time {
	if tick := t.begun.Add(known.Sub(t.begun) / t.progress * t.progress); tick.After(t.ticked) {
		return tick
	}
	return t.ticked
}

// ask has etcd tell its head to the cache of a type: all that the server has by now.
func (c *Cache) ask(t *schema.Resource) {
	at := c.Revision()
	c.with(t, func(tc *typeCache, _ []*mvcc.Event) {
		tc.reported = max(tc.reported, at)
		c.types.types[t.Bucket()] = tc
	})
}

// snapshot reports whether a list of a type at a version can be answered by a snapshot of the cache.
func (c *Cache) snapshot(t *schema.Resource, version int64) (has bool) {
	c.with(t, func(tc *typeCache, events []*mvcc.Event) { has = tc.Snapshot(version, events) })
	return has
}

// horizon returns the oldest version from which a watch of a type can continue, and why not from an older one.
func (c *Cache) horizon(t *schema.Resource) (version int64, why horizon.Cause) {
	c.with(t, func(tc *typeCache, _ []*mvcc.Event) { version, why = tc.Horizon(), tc.Cause() })
	return version, why
}

// retain returns the revision up to which the cache does not need the events of a type, of which the
// store has the given ones. Those that it does not have, although they are compacted, it never gets:
// then it lists etcd again.
func (c *Cache) retain(t *schema.Resource, events []*mvcc.Event, since int64) int64 {
	now := c.clock.Now()
	reached := c.reach().reached(events)
	c.types.mu.Lock()
	defer c.types.mu.Unlock()
	tc := c.types.cacheOf(t, reached, now)
	if n := len(reached); n < len(events) && events[n].Revision <= since {
		tc.List(since, horizon.Relisted, reached)
		c.types.types[t.Bucket()] = tc
	}
	return tc.Needs()
}

// A Window is what an API server remembers of a type.
type Window struct {
	Resource *schema.Resource
	// Horizon is the oldest version from which a watch can continue, and Why says why not from an older one.
	Horizon int64
	Why     horizon.Cause
	// Lists is the oldest version at which a list is answered.
	Lists int64
	// Version is that of the cache, or the head of etcd.
	Version int64
	// Held is the number of events in its buffer, and Capacity how many there can be: 0 for a type that
	// has no cache.
	Held, Capacity int
}

// Windows returns what an API server remembers of each type, sorted by group and resource, and Begin for
// all others: those are types without an event since then. It returns nil if there is no such server.
func (r *Replicas) Windows(server int) (all []Window, begun Begin) {
	c := r.Cache(server)
	if c == nil {
		return nil, begun
	}
	c.types.mu.Lock()
	begun = Begin{c.types.since, c.types.why}
	c.types.mu.Unlock()
	etcd, seen := r.store.Status(), map[[2]string]bool{}
	for _, t := range r.table.Resources() {
		name := [2]string{t.Group, t.Plural}
		if t.Bucket() == "" || seen[name] {
			continue
		}
		seen[name] = true
		w := Window{
			Resource: t, Horizon: etcd.Compacted, Why: horizon.Compacted, Lists: etcd.Compacted, Version: etcd.Head,
		}
		if t.Uncached {
			all = append(all, w)
			continue
		}
		c.with(t, func(tc *typeCache, events []*mvcc.Event) {
			w.Horizon, w.Why, w.Held, w.Capacity = tc.Horizon(), tc.Cause(), tc.Held(), tc.Capacity()
			if oldest, ok := tc.Oldest(events); ok {
				w.Lists = min(w.Lists, oldest)
			}
		})
		if w.Held > 0 || w.Horizon != begun.Revision || w.Why != begun.Why {
			w.Version = c.Version(t)
			all = append(all, w)
		}
	}
	slices.SortFunc(all, func(a, b Window) int {
		return cmp.Or(strings.Compare(a.Resource.Group, b.Resource.Group),
			strings.Compare(a.Resource.Plural, b.Resource.Plural))
	})
	return all, begun
}
