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
	// Terms, of a bucket or a group, wake a watcher for those events only of which the version or the one before has one
	// of them. Next may return others, too, as a Range by its Terms does before Match.
	Terms []Term
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
	// first is the revision of the event by which pending became true; 0: it is not known. The store's lock guards it.
	first int64
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
	for _, set := range s.followers(scope) {
		set.Add(w)
	}
	s.watchers.Add(w)
	if start < s.head {
		w.wake(0)
	}
	return w, nil
}

// followers returns the sets of watchers to which one of the scope belongs.
func (s *Store) followers(scope Scope) (sets []*watcherSet) {
	if scope.Bucket == "" {
		return []*watcherSet{&s.whole}
	}
	b := s.bucket(scope.Bucket)
	if b.watchers == nil {
		b.watchers = map[wakeKey]*watcherSet{}
	}
	for _, k := range scope.wakeKeys() {
		if b.watchers[k] == nil {
			b.watchers[k] = new(watcherSet)
		}
		sets = append(sets, b.watchers[k])
	}
	b.selective += len(scope.Terms)
	return sets
}

// A wakeKey is what events have that wake watchers of a bucket: a key, a group, or, with neither, any event; one of
// the last two with a term, if there is one.
type wakeKey struct {
	part string
	term Term
}

// wakeKeys returns by what watchers of a bucket's scope are woken.
func (s Scope) wakeKeys() []wakeKey {
	switch {
	case s.Key != "":
		return []wakeKey{{part: s.Key}}
	case len(s.Terms) == 0:
		return []wakeKey{{part: s.Group}}
	}
	keys := make([]wakeKey, len(s.Terms))
	for i, t := range s.Terms {
		keys[i] = wakeKey{s.Group, t}
	}
	return keys
}

// Ready returns a channel that gets a value when Next may have something to return: a matching
// event, or ErrCompacted because the watcher fell below the horizon.
func (w *Watcher) Ready() <-chan struct{} { return w.ready }

// wake records that a matching event exists: that of a revision, if all before it were seen; 0: some may not have been.
// Callers hold the store's lock.
func (w *Watcher) wake(rev int64) {
	if !w.pending.Load() {
		w.pending.Store(true)
		w.first = rev
	}
	w.signal()
}

// after returns the revision above which all matching events are that were not returned. Callers hold the store's lock.
func (w *Watcher) after() int64 {
	cursor := w.cursor.Load()
	if w.pending.Load() {
		return max(cursor, w.first-1)
	}
	return cursor
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
	cursor := w.after()
	if cursor < w.horizon() {
		return nil, ErrCompacted
	}
	events := w.unread()
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

// unread returns the matching events that were not returned, and others if there are some; the slice is shared. Callers
// hold the store's lock.
func (w *Watcher) unread() []*Event {
	if len(w.scope.Terms) > 0 && !w.pending.Load() {
		return nil
	}
	s, rev := w.store, w.after()
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
	if events := w.unread(); len(events) > 0 {
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
	s.watchers.Delete(w)
	if w.scope.Bucket == "" {
		s.whole.Delete(w)
		if w.whole() {
			s.keepUnread(nil)
		}
		return
	}
	b := s.buckets[w.scope.Bucket]
	b.selective -= len(w.scope.Terms)
	for _, k := range w.scope.wakeKeys() {
		if set := b.watchers[k]; set != nil {
			if set.Delete(w); len(set.Values) == 0 {
				delete(b.watchers, k)
			}
		}
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
