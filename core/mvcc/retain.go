package mvcc

import (
	"maps"
	"slices"
)

// A Retainer makes the store keep events of some buckets although they are compacted, as the watch
// caches of API servers do. They are seen by the watchers of WatchKept and by queries with Kept
// only, and are not saved.
type Retainer interface {
	// Retain returns the revision up to which nobody needs the history of a bucket, given the bucket's
	// committed events that the store still has, oldest first, and the horizon. It is called at each
	// Compact and Trim for the buckets with events up to the horizon, under the store's lock: it must
	// be fast and must not call back.
	Retain(bucket string, events []*Event, horizon int64) int64
}

// SetRetainer sets the retainer; without one, the initial state, nothing is kept. Set it before the
// first Compact.
func (s *Store) SetRetainer(r Retainer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retainer = r
}

// Trim drops events beyond the horizon that the retainer does not need any more, and wakes the watchers of
// the whole store, as Compact does.
func (s *Store) Trim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(s.retainer)
	s.whole.wake(0)
	s.wakeLate()
}

// Kept returns the horizon of a bucket: no event of it above that revision has been dropped.
func (s *Store) Kept(bucket string) int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if b := s.buckets[bucket]; b != nil {
		return b.dropped
	}
	return 0
}

// Recent returns the committed events of a bucket that the store has, oldest first, kept ones
// included, without copying them. Callers must not write to the slice.
func (s *Store) Recent(bucket string) []*Event {
	s.mu.RLock()
	b, head := s.buckets[bucket], s.head
	var events []*Event
	whole := true
	if b != nil {
		events, whole = b.feed.events.whole()
	}
	s.mu.RUnlock()
	if !whole {
		s.mu.Lock()
		events, head = b.feed.events.join(), s.head
		s.mu.Unlock()
	}
	return upTo(events, head)
}

// Last returns the version of the last event of a bucket that the store has, also of one that is not committed yet; nil
// if it has none.
func (s *Store) Last(bucket string) *Version {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if b := s.buckets[bucket]; b != nil {
		if e, ok := b.feed.events.last(); ok {
			return e.Version
		}
	}
	return nil
}

// Buckets returns the names of all buckets that have had a write, in no order.
func (s *Store) Buckets() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Collect(maps.Keys(s.buckets))
}

// WatchKept is Watch for watchers that see kept events, too: it returns ErrCompacted if start is below
// Kept. The watcher's Next does so only if it has fallen behind the kept events. For a watcher of the
// whole store, whose start may not be below the horizon, those are the ones that it has not read when
// they are compacted, up to a limit.
func (s *Store) WatchKept(scope Scope, start int64) (*Watcher, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if scope.Bucket == "" {
		return s.watch(scope, start, s.compacted, true)
	}
	return s.watch(scope, start, s.bucket(scope.Bucket).dropped, true)
}

// maxUnread is how many bytes of compacted events are kept for watchers of the whole store: a client that does not
// read its stream must not fill the memory.
const maxUnread = 8 << 20

// unread has compacted events that watchers of the whole store have not read, all of them above a revision.
type unread struct {
	events []*Event
	above  int64
}

// keepUnread keeps, of compacted events, those that watchers of the whole store have not read, besides those kept so
// far. Callers hold the lock.
func (s *Store) keepUnread(compacted []*Event) {
	from := s.compacted
	for w := range s.whole.Values {
		if w.kept {
			from = min(from, w.cursor.Load())
		}
	}
	unread := slices.Clone(eventsAfter(s.unread.events, from))
	for _, e := range eventsAfter(compacted, from) {
		unread = append(unread, e.withoutPrev())
	}
	size := int64(0)
	for i := len(unread) - 1; i >= 0; i-- {
		if size += VersionCost + unread[i].size(); size > maxUnread {
			s.unread.above = unread[i].Revision
			unread = unread[i+1:]
			break
		}
	}
	s.unread.events = unread
}

// atOnce is how many events or keys are dropped or gathered while others wait for the lock: about a millisecond.
const atOnce = 1000

// drop drops everything up to the horizon that a retainer does not need; nil needs nothing. Callers hold the lock,
// which others may take in between: to them, what is still to be dropped is kept for a little longer.
func (s *Store) drop(r Retainer) {
	s.advanceIdleWatchers()
	s.keepUnread(upTo(s.all.join(), s.compacted))
	s.all.drop(s.all.upTo(s.compacted))
	for name, b := range s.buckets {
		if b.feed.holds(s.compacted) {
			s.late[name] = b
		}
	}
	for name, b := range maps.Clone(s.late) {
		rev := s.compacted
		if r != nil {
			rev = min(rev, r.Retain(name, upTo(b.feed.events.join(), s.head), s.compacted))
		}
		for more := rev > b.dropped; more; {
			if more = s.dropFrom(b, rev); more {
				s.mu.Unlock()
				s.mu.Lock()
				more = rev > b.dropped // or another caller has dropped it meanwhile
			}
		}
		if !b.feed.holds(s.compacted) {
			delete(s.late, name)
		}
	}
}

// dropFrom drops what only readers and watchers below rev could see in a bucket, the oldest events of it, and reports
// whether there is more. Callers hold the lock.
func (s *Store) dropFrom(b *bucket, rev int64) (more bool) {
	events := upTo(b.feed.events.join(), rev)
	if more = len(events) > atOnce; more {
		events = events[:atOnce]
		rev = events[atOnce-1].Revision
	}
	b.dropped = rev
	for _, e := range events {
		if g, ok := groupOf(e.Key); ok {
			b.compactGroup(g, rev)
		}
		if h := b.find(e.Key); h != nil && !h.compactedAt(rev) {
			h = s.own(b, h)
			before := h.events
			freed, versions := h.compact(rev)
			s.reindexDropped(b, h, before[:versions])
			s.bytes -= freed
			s.superseded -= freed
			s.versions -= versions
			if len(h.events) == 0 {
				b.dead.Delete(h)
				s.disown(h)
			}
		}
	}
	b.feed.compact(rev)
	return more
}
