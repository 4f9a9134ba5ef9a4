package mvcc

import (
	"context"
	"sort"
)

// A Journal makes events durable. For each it is given, in their order, it calls the
// store's Commit once the event is, or Discard if it cannot be.
type Journal interface {
	// Append takes an event, under the store's lock: it must be quick and must not call
	// back. If it returns an error, the event was not taken and is not written.
	Append(*Event) error
}

// SetJournal makes every write from now on wait for a journal before anybody sees it.
// With nil, as at first, writes are committed at once. Nothing may be pending.
func (s *Store) SetJournal(j Journal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal = j
}

// OnDiscard sets a function that is called with each event that is discarded, the last
// one first, under the store's lock: it must be quick and must not call back.
func (s *Store) OnDiscard(f func(*Event)) { s.discarded = f }

// Commit shows the pending events up to a revision to readers and watchers.
func (s *Store) Commit(rev int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := sort.Search(len(s.pending), func(i int) bool { return s.pending[i].Revision > rev })
	for i, e := range s.pending[:n] {
		s.commit(s.buckets[e.Bucket], e)
		s.pending[i] = nil // or the array would keep it
	}
	if s.pending = s.pending[n:]; len(s.pending) == 0 {
		s.pending = nil
	}
	s.next()
}

// Discard takes all pending events away again, with why: their group could not be made
// durable, or rests on one that could not. Nobody has seen them, so their revisions are
// used again. also runs under the same lock.
func (s *Store) Discard(why error, also func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.pending) - 1; i >= 0; i-- {
		e := s.pending[i]
		s.undo(s.buckets[e.Bucket], e)
		e.fate = why
		if s.discarded != nil {
			s.discarded(e)
		}
	}
	s.pending, s.last = nil, s.head
	also()
	s.next()
}

// Await returns once an event is committed, with why if it was discarded, or the cause
// of the context's end.
func (s *Store) Await(ctx context.Context, e *Event) error {
	for {
		s.mu.RLock()
		fate, turn := e.fate, s.turn
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

// Settle returns once all that was written before the call is committed, with why if
// it was discarded, or the cause of the context's end.
func (s *Store) Settle(ctx context.Context) error {
	s.mu.RLock()
	var last *Event
	if n := len(s.pending); n > 0 {
		last = s.pending[n-1]
	}
	s.mu.RUnlock()
	if last == nil {
		return nil
	}
	return s.Await(ctx, last)
}

// next wakes those who wait for the fate of events. Callers hold the lock.
func (s *Store) next() {
	close(s.turn)
	s.turn = make(chan struct{})
}

// commit shows an event to everybody, and to the observer first. Callers hold the lock.
func (s *Store) commit(b *bucket, e *Event) {
	if s.observe != nil {
		s.observe(e)
	}
	s.show(b, e)
}

// show makes an event part of what readers and watchers see. Callers hold the lock.
func (s *Store) show(b *bucket, e *Event) {
	s.head, b.changed, e.fate = e.Revision, e.Revision, nil
	if e.Deleted {
		if h, ok := b.live.Get(&history{key: e.Key}); ok && h.last == e.Version {
			b.live.Delete(h)
			b.dead.ReplaceOrInsert(h)
		}
	}
	s.all.watchers.wake()
	b.feed.watchers.wake()
	if g, ok := groupOf(e.Key); ok {
		b.groups[g].watchers.wake()
	}
	b.names[e.Key].wake()
}

// undo takes the last event of all away again. Callers hold the lock.
func (s *Store) undo(b *bucket, e *Event) {
	h := b.find(e.Key)
	h.undo()
	switch {
	case h.last == nil:
		b.live.Delete(h)
	case h.last.Deleted && h.last.Revision <= s.head: // it was of the past already
		b.live.Delete(h)
		b.dead.ReplaceOrInsert(h)
	}
	s.account(e, -1)
	s.all.undo()
	b.feed.undo()
	if g, ok := groupOf(e.Key); ok {
		b.groups[g].undo()
		if b.groups[g].idle() {
			delete(b.groups, g)
		}
	}
}
