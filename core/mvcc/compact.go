package mvcc

import (
	"sort"
	"time"
)

// Compact moves the horizon up to rev: versions that only readers below it could see are dropped,
// unless a Retainer keeps them. It returns ErrCompacted if the horizon is at rev already or beyond, and
// ErrFuture if rev is above the head. Watchers that have not read all their events up to rev get
// ErrCompacted at their next Next.
func (s *Store) Compact(rev int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.compact(rev)
}

// RevisionAt returns the last revision that was committed at or before t, among the retained events, but the horizon if
// that is later. It is 0 if there is neither.
func (s *Store) RevisionAt(t time.Time) int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.revisionAt(t)
}

// revisionAt is RevisionAt. Callers hold the lock.
func (s *Store) revisionAt(t time.Time) int64 {
	i := sort.Search(s.committed(), func(i int) bool { return s.all.at(i).Time.After(t) })
	if i == 0 {
		return s.compacted
	}
	return max(s.all.at(i-1).Revision, s.compacted)
}

// committed returns how many of the retained events are committed, the first ones. Callers hold the lock.
func (s *Store) committed() int { return s.all.len() - len(s.pending) }

// TimeAfter returns the commit time of the first event above rev; false if none exists.
func (s *Store) TimeAfter(rev int64) (time.Time, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i := s.all.upTo(rev); i < s.committed() {
		return s.all.at(i).Time, true
	}
	return time.Time{}, false
}

// RevisionOfLast returns the revision that has exactly n retained events above it: 0 if there are
// no more than n.
func (s *Store) RevisionOfLast(n int) int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i := s.committed() - n; i > 0 {
		return s.all.at(i - 1).Revision
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
	s.drop(s.retainer)
	s.whole.wake(0)
	s.wakeLate()
	return nil
}

// compactGroup compacts the feed of a group and removes it if it is no longer needed.
func (b *bucket) compactGroup(name string, rev int64) {
	if f := b.groups.get(name); f == nil || !f.holds(rev) {
		return
	}
	f := b.group(name)
	if f.compact(rev); f.idle() {
		b.groups.remove(name)
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
		if w.after() < w.horizon() {
			w.signal()
		}
	}
}
