package mvcc

import (
	"sort"
	"time"
)

// Compact moves the horizon up to rev: versions that only readers below it could see are dropped,
// unless Keep keeps them. It returns ErrCompacted if the horizon is at rev already or beyond, and
// ErrFuture if rev is above the head. Watchers that have not read all their events up to rev get
// ErrCompacted at their next Next.
func (s *Store) Compact(rev int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.compact(rev)
}

// RevisionAt returns the last revision that was committed at or before t, among the retained
// events: 0 if there is none.
func (s *Store) RevisionAt(t time.Time) int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.revisionAt(t)
}

// revisionAt is RevisionAt. Callers hold the lock.
func (s *Store) revisionAt(t time.Time) int64 {
	events := s.committed()
	i := sort.Search(len(events), func(i int) bool { return events[i].Time.After(t) })
	if i == 0 {
		return 0
	}
	return events[i-1].Revision
}

// committed returns the retained committed events. Callers hold the lock.
func (s *Store) committed() []*Event { return s.all.events[:len(s.all.events)-len(s.pending)] }

// TimeAfter returns the commit time of the first event above rev; false if there is none.
func (s *Store) TimeAfter(rev int64) (time.Time, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if events := eventsAfter(s.committed(), rev); len(events) > 0 {
		return events[0].Time, true
	}
	return time.Time{}, false
}

// RevisionOfLast returns the revision that has exactly n retained events above it: 0 if there are
// no more than n.
func (s *Store) RevisionOfLast(n int) int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	events := s.committed()
	if i := len(events) - n; i > 0 {
		return events[i-1].Revision
	}
	return 0
}

func (s *Store) compact(rev int64) error {
	switch {
	case rev <= s.compacted:
		return ErrCompacted
	case rev > s.head:
		return ErrFuture
	}
	s.compacted = rev
	s.drop(min(rev, s.kept(s.keeps())))
	s.all.watchers.wake()
	s.wakeLate()
	return nil
}

// drop drops everything that only readers and watchers below rev could see. Callers hold the lock.
func (s *Store) drop(rev int64) {
	s.advanceIdleWatchers()
	if rev <= s.dropped {
		return
	}
	s.dropped = rev
	for _, e := range upTo(s.all.events, rev) {
		b := s.buckets[e.Bucket]
		if b == nil { // of Skip
			continue
		}
		if b.feed.holds(rev) {
			b.feed.compact(rev)
		}
		if g, ok := groupOf(e.Key); ok {
			b.compactGroup(g, rev)
		}
		if h := b.find(e.Key); h != nil {
			before := h.events
			freed, versions := h.compact(rev)
			s.reindexDropped(b, h, before[:versions])
			s.bytes -= freed
			s.superseded -= freed
			s.versions -= versions
			if len(h.events) == 0 {
				b.dead.Delete(h)
			}
		}
	}
	s.all.compact(rev)
}

// compactGroup compacts the feed of a group and removes it if it is no longer needed.
func (b *bucket) compactGroup(name string, rev int64) {
	f := b.groups[name]
	if f == nil || !f.holds(rev) {
		return
	}
	f.compact(rev)
	if f.idle() {
		delete(b.groups, name)
	}
}

// advanceIdleWatchers moves the cursor of every watcher that has nothing left to read
// up to the head, so that a quiet watcher never falls below the horizon.
func (s *Store) advanceIdleWatchers() {
	for w := range s.watchers.Values {
		if !w.pending.Load() {
			w.cursor.Store(max(w.cursor.Load(), s.head))
		}
	}
}

// wakeLate wakes the watchers that fell below the horizon.
func (s *Store) wakeLate() {
	for w := range s.watchers.Values {
		if w.cursor.Load() < w.horizon() {
			w.signal()
		}
	}
}
