package mvcc

import (
	"slices"
	"sync/atomic"
)

// Scope selects the events of a watcher. The zero Scope is the whole store.
type Scope struct {
	Bucket string
	Group  string // of Bucket
	Key    string // of Bucket
}

// Watcher is a cursor over the events of a Scope. One goroutine at a time may
// call Next.
type Watcher struct {
	store *Store
	scope Scope
	ready chan struct{}
	// kept is true for a watcher of WatchKept.
	kept bool
	// cursor is the revision up to which all matching events were returned.
	cursor atomic.Int64
	// pending is true if a matching event above the cursor may exist. If it is false, compaction may
	// move the cursor: there is nothing to miss.
	pending atomic.Bool
}

// Watch returns a watcher of the events above start. A start above the head is
// allowed: events up to it are left out. It returns ErrCompacted if start is
// below the horizon. Close the watcher when done.
func (s *Store) Watch(scope Scope, start int64) (*Watcher, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watch(scope, start, s.compacted, false)
}

// watch opens a watcher unless start is below a horizon. Callers hold the lock.
func (s *Store) watch(scope Scope, start, horizon int64, kept bool) (*Watcher, error) {
	if start < horizon {
		return nil, ErrCompacted
	}
	w := &Watcher{store: s, scope: scope, ready: make(chan struct{}, 1), kept: kept}
	w.cursor.Store(start)
	s.followers(scope).Add(w)
	s.watchers.Add(w)
	if start < s.head {
		w.wake()
	}
	return w, nil
}

// followers returns the set of watchers that an event of the scope wakes.
func (s *Store) followers(scope Scope) *watcherSet {
	if scope.Bucket == "" {
		return &s.whole
	}
	b, part := s.bucket(scope.Bucket), scope.part()
	if b.watchers == nil {
		b.watchers = map[string]*watcherSet{}
	}
	if b.watchers[part] == nil {
		b.watchers[part] = new(watcherSet)
	}
	return b.watchers[part]
}

// part returns the key or group of a scope; empty: it is a whole bucket.
func (s Scope) part() string {
	if s.Key != "" {
		return s.Key
	}
	return s.Group
}

// Ready returns a channel that gets a value when Next may have something to return: a matching
// event, or ErrCompacted because the watcher fell below the horizon.
func (w *Watcher) Ready() <-chan struct{} { return w.ready }

// wake records that a matching event exists. Callers hold the store's lock.
func (w *Watcher) wake() {
	w.pending.Store(true)
	w.signal()
}

func (w *Watcher) signal() {
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

// Next returns the matching events after the cursor up to the revision last (0: the head), at most
// limit of them (0: all), and moves the cursor. It does not block; wait on Ready between calls, and
// see Upcoming for events above last. It returns ErrCompacted if events that the watcher has not
// read were dropped.
func (w *Watcher) Next(limit int, last int64) ([]*Event, error) {
	s := w.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	cursor := w.cursor.Load()
	if cursor < w.horizon() {
		return nil, ErrCompacted
	}
	events := w.committed(cursor)
	end := s.head
	if last > 0 && last < s.head {
		if n := len(upTo(events, last)); n < len(events) {
			events, end = events[:n], last
		}
	}
	if limit > 0 && len(events) > limit {
		events = events[:limit]
		w.cursor.Store(events[limit-1].Revision)
		w.signal()
		return events, nil
	}
	w.pending.Store(end < s.head)
	w.cursor.Store(max(cursor, end))
	return events, nil
}

// horizon returns the revision up to which events may have been dropped for the watcher. Callers
// hold the store's lock.
func (w *Watcher) horizon() int64 {
	switch {
	case w.whole():
		return w.store.unread.above
	case w.kept:
		return w.store.buckets[w.scope.Bucket].dropped
	}
	return w.store.compacted
}

// committed returns the matching events above a revision; the slice is shared. Callers hold the store's lock.
func (w *Watcher) committed(rev int64) []*Event {
	s := w.store
	events := upTo(s.eventsAfter(w.scope, rev), s.head)
	if !w.whole() {
		return events
	}
	if unread := eventsAfter(s.unread.events, rev); len(unread) > 0 {
		return slices.Concat(unread, events)
	}
	return events
}

// whole reports whether it is a watcher of WatchKept of the whole store.
func (w *Watcher) whole() bool { return w.kept && w.scope.Bucket == "" }

// Upcoming returns the first matching event after the cursor, or nil: the one that
// the last Next left out because of its last revision.
func (w *Watcher) Upcoming() *Event {
	w.store.mu.RLock()
	defer w.store.mu.RUnlock()
	if events := w.committed(w.cursor.Load()); len(events) > 0 {
		return events[0]
	}
	return nil
}

// Revision returns the revision up to which Next has returned every matching event.
func (w *Watcher) Revision() int64 { return w.cursor.Load() }

// Close frees the watcher.
func (w *Watcher) Close() {
	s := w.store
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.followers(w.scope)
	set.Delete(w)
	s.watchers.Delete(w)
	if w.whole() {
		s.keepUnread(nil)
	}
	if w.scope.Bucket != "" && len(set.Values) == 0 {
		delete(s.buckets[w.scope.Bucket].watchers, w.scope.part())
	}
}

// eventsAfter returns the events of a scope above rev, including pending ones; the slice is shared.
func (s *Store) eventsAfter(scope Scope, rev int64) []*Event {
	if scope.Bucket == "" {
		return s.all.after(rev)
	}
	b := s.buckets[scope.Bucket]
	if b == nil {
		return nil
	}
	switch {
	case scope.Key != "":
		if h := b.find(scope.Key); h != nil {
			return eventsAfter(h.events, rev)
		}
		return nil
	case scope.Group != "":
		if f := b.groups.get(scope.Group); f != nil {
			return f.after(rev)
		}
		return nil
	}
	return b.feed.after(rev)
}
