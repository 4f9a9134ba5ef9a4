package mvcc

import (
	"context"
	"sort"
)

// A Journal makes events durable. For each event, in order, it calls the store's Commit once the
// event is durable, or Discard if it cannot be.
type Journal interface {
	// Append takes an event, under the store's lock: it must be fast and must not call back. If it
	// returns an error, the event was not taken and is not written.
	Append(*Event) error
}

// SetJournal makes every later write wait for a journal before it becomes visible. With nil, the
// initial value, writes are committed at once. Nothing may be pending.
func (s *Store) SetJournal(j Journal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal = j
}

// OnDiscard sets a function that is called with each event that is discarded, the last one first,
// under the store's lock: it must be fast and must not call back.
func (s *Store) OnDiscard(f func(*Event)) { s.discarded = f }

// Commit makes the pending events up to a revision visible to readers and watchers.
func (s *Store) Commit(rev int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := sort.Search(len(s.pending), func(i int) bool { return s.pending[i].Revision > rev })
	for i, e := range s.pending[:n] {
		s.commit(s.buckets[e.Bucket], e)
		s.pending[i] = nil // otherwise the array would keep it
	}
	if s.pending = s.pending[n:]; len(s.pending) == 0 {
		s.pending = nil
	}
	s.next()
}

// Discard removes all pending events, for the reason err: their group could not be made durable, or
// builds on one that could not. Nobody has seen them, so their revisions are used again. also runs
// under the same lock.
func (s *Store) Discard(why error, also func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.pending) - 1; i >= 0; i-- {
		e := s.pending[i]
		s.undo(s.buckets[e.Bucket], e)
		e.outcome = why
		if s.discarded != nil {
			s.discarded(e)
		}
	}
	if len(s.pending) > 0 {
		s.discards, s.lost = s.discards+1, why
	}
	s.pending, s.last = nil, s.head
	also()
	s.next()
}

// Await returns once an event is committed, or the error if it was discarded or the context ended.
func (s *Store) Await(ctx context.Context, e *Event) error {
	for {
		s.mu.RLock()
		fate, turn := e.outcome, s.decided
		s.mu.RUnlock()
		if fate != errPending {
			return fate
		}
		select {
		case <-turn:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Discards returns how often pending writes have been discarded. A writer asks before it reads, and
// gives the number to Settle.
func (s *Store) Discards() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.discards
}

// Settle returns once all writes before the call are committed, or the error if one was discarded
// or the context ended. discards is the result of Discards before the caller read anything: what it
// read may have been discarded since, and be no longer pending when it calls.
func (s *Store) Settle(ctx context.Context, discards int64) error {
	s.mu.RLock()
	var last *Event
	if n := len(s.pending); n > 0 {
		last = s.pending[n-1]
	}
	lost := s.lost
	same := discards == s.discards
	s.mu.RUnlock()
	switch {
	case !same:
		return lost
	case last == nil:
		return nil
	}
	return s.Await(ctx, last)
}

// next wakes the callers that wait for events to be committed or discarded. Callers hold the lock.
func (s *Store) next() {
	close(s.decided)
	s.decided = make(chan struct{})
}

// commit makes an event visible, and calls the observer first. Callers hold the lock.
func (s *Store) commit(b *bucket, e *Event) {
	if s.observe != nil {
		s.observe(e)
	}
	s.show(b, e)
}

// show adds an event to what readers and watchers see. Callers hold the lock.
func (s *Store) show(b *bucket, e *Event) {
	s.head, b.changed, e.outcome = e.Revision, e.Revision, nil
	if e.Deleted {
		if h, ok := b.live.Get(&history{key: e.Key}); ok && h.last == e.Version {
			b.live.Delete(h)
			b.dead.ReplaceOrInsert(h)
		}
	}
	s.reindex(b, e.Key, nil, e.Prev, e.Version)
	s.whole.wake(0)
	if len(b.watchers) > 0 {
		b.wake(e)
	}
}

// wake wakes the watchers of an event: of its key, its group and the bucket. Those of terms cost a lookup for each term
// of the version and of the one before, if there are any.
func (b *bucket) wake(e *Event) {
	group, _ := groupOf(e.Key)
	b.watchers[wakeKey{part: e.Key}].wake(e.Revision)
	b.wakeWith(group, Term{}, e.Revision)
	if b.selective == 0 {
		return
	}
	wake := func(t Term) { b.wakeWith(group, t, e.Revision) }
	now, was := termsOf(e.Version), termsOf(e.Prev)
	if now != nil {
		now.Terms(wake)
	}
	if was != nil && was != now {
		was.Terms(wake)
	}
}

// wakeWith wakes the watchers of the bucket, and of a group unless it is empty: those of a term, or without one.
func (b *bucket) wakeWith(group string, t Term, rev int64) {
	b.watchers[wakeKey{term: t}].wake(rev)
	if group != "" {
		b.watchers[wakeKey{group, t}].wake(rev)
	}
}

// undo removes the last event of all. Callers hold the lock.
func (s *Store) undo(b *bucket, e *Event) {
	h := s.own(b, b.find(e.Key))
	h.undo()
	s.reindex(b, e.Key, h, e.Version, e.Prev)
	switch {
	case h.last == nil:
		b.live.Delete(h)
		s.disown(h)
	case h.last.Deleted && h.last.Revision <= s.head: // it was deleted already
		b.live.Delete(h)
		b.dead.ReplaceOrInsert(h)
	}
	s.account(e, -1)
	s.all.undo()
	b.feed.undo()
	if g, ok := groupOf(e.Key); ok {
		f := b.group(g)
		if f.undo(); f.idle() {
			b.groups.remove(g)
		}
	}
}
