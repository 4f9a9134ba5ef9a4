package mvcc

import (
	"sort"

	"github.com/tabernetes/tabernetes/core/set"
)

// feed is the ordered log of the events of a bucket, a group or the whole store, with the watchers
// that follow it and its number of keys at each retained revision.
type feed struct {
	events   []*Event
	counts   []count
	watchers watcherSet
}

// count is the number n of keys from revision rev on.
type count struct {
	rev int64
	n   int
}

// A watcherSet gives memory back when thousands of watchers are closed.
type watcherSet struct{ set.Of[*Watcher] }

func (s *watcherSet) wake() {
	for w := range s.Values {
		w.wake()
	}
}

// add appends an event.
func (f *feed) add(e *Event) {
	f.events = append(f.events, e)
	switch {
	case e.Deleted:
		f.counts = append(f.counts, count{e.Revision, f.size() - 1})
	case e.Prev == nil:
		f.counts = append(f.counts, count{e.Revision, f.size() + 1})
	}
}

// undo removes the last event. Readers may share the array, but not up to an event that was never
// committed.
func (f *feed) undo() {
	e := f.events[len(f.events)-1]
	f.events = f.events[:len(f.events)-1]
	if e.Deleted || e.Prev == nil {
		f.counts = f.counts[:len(f.counts)-1]
	}
}

// size returns the number of keys, including pending writes.
func (f *feed) size() int {
	if len(f.counts) == 0 {
		return 0
	}
	return f.counts[len(f.counts)-1].n
}

// sizeAt returns the number of keys at a retained revision.
func (f *feed) sizeAt(rev int64) int {
	i := sort.Search(len(f.counts), func(i int) bool { return f.counts[i].rev > rev })
	if i == 0 {
		return 0
	}
	return f.counts[i-1].n
}

// after returns the events above rev; the slice is shared.
func (f *feed) after(rev int64) []*Event { return eventsAfter(f.events, rev) }

// idle reports whether the feed is not needed: no event, no key, no watcher.
func (f *feed) idle() bool { return len(f.events) == 0 && f.size() == 0 && len(f.watchers.Values) == 0 }

// holds reports whether the feed has events up to rev.
func (f *feed) holds(rev int64) bool { return len(f.events) > 0 && f.events[0].Revision <= rev }

// compact drops the events up to rev.
func (f *feed) compact(rev int64) {
	f.events = dropFront(f.events, len(f.events)-len(f.after(rev)))
	if i := sort.Search(len(f.counts), func(i int) bool { return f.counts[i].rev > rev }); i > 1 {
		f.counts = dropFront(f.counts, i-1)
	}
}

func eventsAfter(events []*Event, rev int64) []*Event {
	n := len(events)
	if n == 0 || events[n-1].Revision <= rev {
		return nil
	}
	return events[sort.Search(n, func(i int) bool { return events[i].Revision > rev }):]
}

// upTo cuts off the events above rev; the slice is shared.
func upTo(events []*Event, rev int64) []*Event {
	return events[:len(events)-len(eventsAfter(events, rev))]
}

// dropFront removes the first n elements. The array is copied only once half of
// it is dropped, so that an element is copied a constant number of times on
// average; it is never written to, because readers may hold it.
func dropFront[T any](s []T, n int) []T {
	rest := s[n:]
	if len(rest) > cap(s)-cap(rest) && len(rest) > n {
		return rest
	}
	return append(make([]T, 0, len(rest)+len(rest)/4+4), rest...)
}
