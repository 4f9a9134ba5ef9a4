package mvcc

import (
	"slices"
	"sort"
)

// history has the retained versions of one key, oldest first, and then the pending ones.
type history struct {
	key    string
	events []*Event
	// last is the version of the last event, for reads at the head: a walk then accesses only this
	// struct and the version.
	last *Version
	// revision and value are those of last, 0 if that is a deletion: a walk over values accesses
	// nothing else.
	revision int64
	value    []byte
}

func historyLess(a, b *history) bool { return a.key < b.key }

// at returns the version that a reader at rev sees, or nil.
func (h *history) at(rev int64) *Version {
	if h.last == nil {
		return nil
	}
	if h.last.Revision <= rev { // the common case
		return live(h.last)
	}
	i := sort.Search(len(h.events), func(i int) bool { return h.events[i].Revision > rev })
	if i == 0 {
		return nil
	}
	return live(h.events[i-1].Version)
}

// current returns the last version, committed or not; nil if the key does not exist.
func (h *history) current() *Version {
	if h.last == nil {
		return nil
	}
	return live(h.last)
}

// add appends an event.
func (h *history) add(e *Event) {
	h.events = append(h.events, e)
	h.look()
}

// undo removes the last event. The array, which forks may share, is not written to again.
func (h *history) undo() {
	h.events = slices.Clip(h.events[:len(h.events)-1])
	h.look()
}

// look sets the fields about the last event.
func (h *history) look() {
	h.last, h.revision, h.value = nil, 0, nil
	if len(h.events) == 0 {
		return
	}
	e := h.events[len(h.events)-1]
	h.last = e.Version
	if !e.Deleted {
		h.revision, h.value = e.Revision, e.Value
	}
}

// valueAt returns the value that a reader at rev sees, false if the key does not exist there.
func (h *history) valueAt(rev int64) ([]byte, bool) {
	if h.revision > 0 && h.revision <= rev {
		return h.value, true
	}
	if v := h.at(rev); v != nil {
		return v.Value, true
	}
	return nil, false
}

// above returns the events that readers at a revision and later ones see: the last one at or below
// it, unless that is a deletion, and all above.
func (h *history) above(rev int64) []*Event {
	i := sort.Search(len(h.events), func(i int) bool { return h.events[i].Revision > rev })
	if i > 0 && !h.events[i-1].Deleted {
		i--
	}
	return h.events[i:]
}

// compactedAt reports whether compact with this revision would change nothing.
func (h *history) compactedAt(rev int64) bool {
	e := h.events[0]
	return e.Prev == nil && !e.Deleted && (len(h.events) == 1 || h.events[1].Revision > rev)
}

// compact drops what no reader at or above rev can see, and returns how many bytes
// of values and how many versions that freed.
func (h *history) compact(rev int64) (freed int64, versions int) {
	i := sort.Search(len(h.events), func(i int) bool { return h.events[i].Revision > rev })
	if i == 0 {
		return 0, 0
	}
	base := h.events[i-1]
	if !base.Deleted {
		i--
	}
	for _, e := range h.events[:i] {
		freed += e.size()
	}
	// Watchers of the key read the old array without the lock: it must not change.
	h.events = append(make([]*Event, 0, len(h.events)-i+1), h.events[i:]...)
	if !base.Deleted {
		h.events[0] = base.withoutPrev()
	}
	return freed, i
}

func live(v *Version) *Version {
	if v.Deleted {
		return nil
	}
	return v
}
