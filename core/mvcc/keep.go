package mvcc

import "time"

// Keep makes compaction keep events for watchers of WatchKept until d has passed since their
// commit. Nobody else sees them any more. It may be called under the store's lock. Events that are
// not to be kept any longer are dropped by the next Compact or Trim.
func (s *Store) Keep(d time.Duration) { s.keep.Store(int64(d)) }

func (s *Store) keeps() time.Duration { return time.Duration(s.keep.Load()) }

// Trim drops events beyond the horizon that have been kept long enough, and those at or below rev,
// however old they are.
func (s *Store) Trim(rev int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dropped < s.compacted {
		s.drop(min(s.compacted, max(rev, s.kept(s.keeps()))))
		s.wakeLate()
	}
}

// Kept returns the horizon of watchers that can see the events of the last d, including compacted
// ones that are kept.
func (s *Store) Kept(d time.Duration) int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.kept(d)
}

// kept is Kept. Callers hold the lock.
func (s *Store) kept(d time.Duration) int64 {
	if d == 0 {
		return s.compacted
	}
	return max(s.dropped, min(s.compacted, s.revisionAt(s.now().Add(-d))))
}

// WatchKept is Watch for watchers that can see the events of the last d, including compacted ones:
// it returns ErrCompacted if start is below Kept. The watcher's Next does so only if it has fallen
// behind the kept events.
func (s *Store) WatchKept(scope Scope, start int64, d time.Duration) (*Watcher, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watch(scope, start, s.kept(d), d > 0)
}
