package mvcc

import "github.com/tabernetes/tabernetes/core/set"

// feed is the ordered log of the events of a bucket or a group, with its number of keys at each retained revision.
type feed struct {
	events list[*Event]
	counts list[count]
}

// count is the number n of keys from revision rev on.
type count struct {
	rev int64
	n   int
}

func (c count) revision() int64 { return c.rev }

// A watcherSet gives memory back when thousands of watchers are closed.
type watcherSet struct{ set.Of[*Watcher] }

// wake wakes the watchers, if there are any, as Watcher.wake does.
func (s *watcherSet) wake(rev int64) {
	if s == nil {
		return
	}
	for w := range s.Values {
		w.wake(rev)
	}
}

// add appends an event.
func (f *feed) add(e *Event) {
	f.events.add(e)
	switch {
	case e.Deleted:
		f.counts.add(count{e.Revision, f.size() - 1})
	case e.Prev == nil:
		f.counts.add(count{e.Revision, f.size() + 1})
	}
}

// undo removes the last event. Readers may share the array, but not up to an event that was never
// committed.
func (f *feed) undo() {
	e, _ := f.events.last()
	f.events.undo()
	if e.Deleted || e.Prev == nil {
		f.counts.undo()
	}
}

// size returns the number of keys, including pending writes.
func (f *feed) size() int {
	last, _ := f.counts.last()
	return last.n
}

// sizeAt returns the number of keys at a retained revision.
func (f *feed) sizeAt(rev int64) int {
	i := f.counts.upTo(rev)
	if i == 0 {
		return 0
	}
	return f.counts.at(i - 1).n
}

// after returns the events above rev; the slice is shared.
func (f *feed) after(rev int64) []*Event { return f.events.after(rev) }

// idle reports whether the feed is not needed: no event, no key.
func (f *feed) idle() bool { return f.events.len() == 0 && f.size() == 0 }

// holds reports whether the feed has events up to rev.
func (f *feed) holds(rev int64) bool { return f.events.len() > 0 && f.events.at(0).Revision <= rev }

// compact drops the events up to rev.
func (f *feed) compact(rev int64) {
	f.events.drop(f.events.upTo(rev))
	if i := f.counts.upTo(rev); i > 1 {
		f.counts.drop(i - 1)
	}
}

func eventsAfter(events []*Event, rev int64) []*Event {
	if i := above(events, rev); i < len(events) {
		return events[i:]
	}
	return nil
}

// upTo cuts off the events above rev; the slice is shared.
func upTo(events []*Event, rev int64) []*Event {
	return events[:len(events)-len(eventsAfter(events, rev))]
}

// group returns the feed of a group, to be changed.
func (b *bucket) group(name string) *feed {
	f := b.groups.change(name, (*feed).copied)
	if f == nil {
		f = &feed{}
		b.groups.set(name, f)
	}
	return f
}
