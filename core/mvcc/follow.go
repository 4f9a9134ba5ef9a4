package mvcc

import (
	"fmt"
	"time"
)

// Follow adds the next version of another store to a copy of it that is being read. Like Load it
// takes records in the order of their revisions, between which some may be missing; unlike Load it
// calls the function of OnCommit. A copy has no other writes.
func (s *Store) Follow(r Record, attrs any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.load(r, attrs, s.commit)
}

// Skip uses up the revisions to rev, which the other store committed at t at the latest, without a
// version: the copy does not have what they wrote. Watchers of the whole store get one event for
// all of them, which has a revision and a time, and no bucket.
func (s *Store) Skip(rev int64, t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rev <= s.head {
		return fmt.Errorf("%w: %d follows %d", errOrder, rev, s.head)
	}
	s.all.add(&Event{Version: &Version{Revision: rev}, Time: t})
	s.head, s.last = rev, rev
	s.whole.wake(0)
	return nil
}
