// Package watchcache has the rules of an API server's watch cache for one resource type: from which
// versions a watch can continue, and at which versions a list can be read.
//
// # Model
//
// A cache begins with a list of etcd, at a version, and takes the type's events from there on into a
// buffer of limited capacity. When the buffer is full, each new event pushes out the oldest one; but
// if that is younger than horizon.Fresh, the capacity doubles instead, and it halves when only few events are
// younger. After each event the cache has a snapshot of the type, as long as the event is in the
// buffer and the server has not noticed a compaction of etcd at a later version.
//
// These are the rules of k8s.io/apiserver v0.36, pkg/storage/cacher.
//
// # Invariants
//
//   - A Buffer is a position over the type's events, which are elsewhere (core/mvcc), and keeps none
//     itself: Needs says from where on they have to be kept for it.
//   - Events are taken in order, each once. A buffer never goes back.
//
// # Costs
//
// A Buffer takes about 100 bytes. Taking n events costs O(n), plus a binary search for the oldest
// event in the buffer. The answers cost O(1), and that of Snapshot a binary search.
package watchcache

import (
	"sort"
	"time"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

// A Buffer is the watch cache of a type. Use New. It may be used by one goroutine at a time.
type Buffer struct {
	since int64 // the version of the list
	why   horizon.Cause
	// The events in the buffer are held ones, from the version first to the version last; first is 0
	// without any. last is also that of the last event that was taken, or since.
	first, last    int64
	held, capacity int
	// removed is set once an event was pushed out since the list.
	removed bool
	// cleared is the version below which there are no snapshots.
	cleared int64
	limits  horizon.Limits
}

// New returns a cache that has been listed at the version since, which began for a cause.
func New(since int64, why horizon.Cause, l horizon.Limits) Buffer {
	return Buffer{since: since, why: why, last: since, capacity: l.Least, limits: l}
}

// Take takes the events that it has not taken yet. all are the type's events in order, from Needs on
// at the latest.
func (b *Buffer) Take(all []*mvcc.Event) {
	next := after(all, b.last)
	if next == len(all) {
		return
	}
	oldest := next - b.held // the index of the oldest event in the buffer
	for ; next < len(all); next++ {
		e := all[next]
		if b.held == b.capacity {
			b.resize(all[next-b.held:next], e.Time)
			oldest = next - b.held
		}
		if b.held == b.capacity {
			oldest++
			b.held--
			b.removed = true
		}
		b.held++
		b.first, b.last = all[oldest].Revision, e.Revision
		if b.held == b.capacity {
			b.cleared = max(b.cleared, b.first)
		}
	}
}

// resize changes the capacity of a full buffer with the given events before it takes one of the time
// now. If that makes it smaller, it loses its oldest events.
func (b *Buffer) resize(full []*mvcc.Event, now time.Time) {
	age := func(i int) time.Duration { return now.Sub(full[i].Time) }
	switch {
	case age(0) < horizon.Fresh:
		b.capacity = min(2*b.capacity, max(b.limits.Most, b.capacity))
	case age((b.capacity-b.capacity/4)%b.capacity) > horizon.Fresh:
		b.capacity = max(b.capacity/2, b.limits.Least)
		b.held = min(b.held, b.capacity)
	}
}

// after returns the index of the first event above a version.
func after(events []*mvcc.Event, version int64) int {
	if n := len(events); n == 0 || events[n-1].Revision <= version {
		return n
	}
	return sort.Search(len(events), func(i int) bool { return events[i].Revision > version })
}

// Limit changes the limits of the capacity. all are the type's events, as for Take; they are taken.
func (b *Buffer) Limit(l horizon.Limits, all []*mvcc.Event) {
	b.Take(all)
	if b.limits == l {
		return
	}
	if b.capacity == b.limits.Least {
		b.capacity = l.Least
	}
	b.limits, b.capacity = l, min(max(b.capacity, l.Least), l.Most)
	if b.held <= b.capacity {
		return
	}
	b.held, b.removed = b.capacity, true
	b.first = all[after(all, b.last)-b.held].Revision
	b.cleared = max(b.cleared, b.first)
}

// List begins again with a list at a version: without events up to there, and without snapshots from
// before. Events above it that were in the buffer stay. It does nothing if the cache began later.
// all are the type's events, as for Take.
func (b *Buffer) List(version int64, why horizon.Cause, all []*mvcc.Event) {
	if version < b.since || version == b.since && !b.removed {
		return
	}
	if b.removed && b.Horizon() > version {
		return // it has forgotten more already
	}
	b.since, b.why, b.removed, b.cleared = version, why, false, 0
	end := after(all, b.last)
	from := max(after(all, version), end-b.held)
	b.last = max(b.last, version)
	b.held, b.first = max(0, end-from), 0
	if b.held > 0 {
		b.first = all[from].Revision
	}
}

// Clear drops the snapshots from before a version, at which the server has found etcd compacted.
func (b *Buffer) Clear(version int64) { b.cleared = max(b.cleared, version) }

// Horizon returns the oldest version from which a watch can continue.
func (b *Buffer) Horizon() int64 {
	if b.removed {
		return b.first - 1
	}
	return b.since
}

// Cause returns why a watch from before Horizon cannot continue.
func (b *Buffer) Cause() horizon.Cause {
	if b.removed {
		return horizon.Busy
	}
	return b.why
}

// Last returns the version of the last event that was taken, or of the list.
func (b *Buffer) Last() int64 { return b.last }

// Held returns the number of events in the buffer, and Capacity how many it has room for.
func (b *Buffer) Held() int { return b.held }

// Capacity returns the number of events that the buffer has room for at present.
func (b *Buffer) Capacity() int { return b.capacity }

// Needs returns the version from which the type's events, and what they replaced, have to be kept.
func (b *Buffer) Needs() int64 { return b.Horizon() }

// Snapshot reports whether the cache has a snapshot from which a list at a version can be answered:
// one at that version or before. all are the type's events, as for Take.
func (b *Buffer) Snapshot(version int64, all []*mvcc.Event) bool {
	oldest, ok := b.Oldest(all)
	return ok && version >= oldest
}

// Oldest returns the version of the oldest snapshot that the cache has; false if it has none. all are
// the type's events, as for Take.
func (b *Buffer) Oldest(all []*mvcc.Event) (version int64, ok bool) {
	if !b.removed && b.since >= b.cleared {
		return b.since, true
	}
	end := after(all, b.last)
	held := all[end-b.held : end]
	i := sort.Search(len(held), func(i int) bool { return held[i].Revision >= b.cleared })
	if i == len(held) {
		return 0, false
	}
	return held[i].Revision, true
}
