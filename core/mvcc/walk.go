package mvcc

import (
	"cmp"
	"slices"

	"github.com/google/btree"
)

// A walk iterates over the keys of a bucket that exist at a revision, in order.
type walk struct {
	*bucket
	rev int64
	// present is true if nothing was written since the revision: dead keys are ignored.
	present bool
	// passed is the number of keys that were read.
	passed int
}

// values returns the values of the keys of a group, in order.
func (w *walk) values(group string) [][]byte {
	n := w.size(group, w.rev)
	values := make([][]byte, 0, n)
	if n > 0 {
		w.over(group, "", func(h *history) bool {
			if value, ok := h.valueAt(w.rev); ok {
				values = append(values, value)
			}
			return len(values) < n
		})
	}
	return values
}

// pass calls f with the keys of a query from the key from on, until f returns false. With a Name it
// reads only the keys that may have that name, and the first one after a page.
func (w *walk) pass(q Query, from string, left int, f func(string, *Version) bool) {
	if q.Name == "" {
		w.ascend(q.Group, from, left, f)
		return
	}
	passed, last := 0, ""
	for _, key := range w.named(q.Group, q.Name) {
		w.passed++
		h := w.find(key)
		if h == nil || key < from {
			continue
		}
		v := h.at(w.rev)
		if v == nil || q.Match != nil && !q.Match(key, v) {
			continue
		}
		if !f(key, v) {
			return
		}
		if passed, last = passed+1, key; passed == q.Limit {
			w.ascend(q.Group, last+"\x00", -1, f)
			return
		}
	}
}

// named returns the keys that may have a name, in order: one for each group, and the name itself in
// buckets without groups.
func (b *bucket) named(group, name string) []string {
	if group != "" {
		return []string{group + name}
	}
	keys := []string{name}
	b.groups.each(func(g string, _ *feed) { keys = append(keys, g+name) })
	slices.Sort(keys)
	return keys
}

// ascend calls f with the existing keys of a group, from the key from on, until f returns false.
// left is the number of keys left, negative if unknown; if known, no key is compared with the end
// of the group.
func (w *walk) ascend(group, from string, left int, f func(string, *Version) bool) {
	if left == 0 {
		return
	}
	end := ""
	if group != "" && left < 0 {
		end = afterGroup(group)
	}
	w.over(from, end, func(h *history) bool {
		v := h.at(w.rev)
		if v == nil {
			return true
		}
		left--
		return f(h.key, v) && left != 0
	})
}

// afterGroup returns the first key after a group: '0' follows '/'.
func afterGroup(group string) string { return group[:len(group)-1] + "0" }

// countFrom counts the keys of a group from a key on.
func (w *walk) countFrom(group, from string) (n int) {
	w.ascend(group, from, -1, func(string, *Version) bool { n++; return true })
	return n
}

// over calls f with the histories from a key on and before end, unless that is empty, in order,
// until f returns false: all whose key exists, and some others.
func (w *walk) over(from, end string, f func(*history) bool) {
	goOn := true
	visit := func(h *history) bool {
		w.passed++
		goOn = f(h)
		return goOn
	}
	dead := w.deletedKeys(from, end)
	if dead == nil {
		ascend(w.live, from, end, visit)
		return
	}
	before := func(h *history) bool {
		for d := dead.peek(); goOn && d != nil && (h == nil || d.key < h.key); d = dead.peek() {
			dead.take()
			visit(d)
		}
		return goOn
	}
	ascend(w.live, from, end, func(h *history) bool { return before(h) && visit(h) })
	before(nil)
}

func ascend(keys *btree.BTreeG[*history], from, end string, f func(*history) bool) {
	if end == "" {
		keys.AscendGreaterOrEqual(&history{key: from}, f)
		return
	}
	keys.AscendRange(&history{key: from}, &history{key: end}, f)
}

const (
	// fewEvents is the number of events that a walk in the history reads in any case to find the keys
	// that were deleted since.
	fewEvents = 1024
	// deadPerEvent is how many dead keys a walk rather reads than one event.
	deadPerEvent = 16
)

// deletedKeys returns the dead keys of a range that may have existed at the walk's revision, or nil.
// A revision that was the head a short time ago, like those of pages, costs the
// events since; an old one costs the dead keys of the range.
func (w *walk) deletedKeys(from, end string) *sortedKeys {
	if w.present || w.dead.Len() == 0 {
		return nil
	}
	if since := w.feed.after(w.rev); len(since) <= fewEvents || len(since) <= w.dead.Len()/deadPerEvent {
		var keys []*history
		for _, e := range since {
			if !e.Deleted || e.Key < from || end != "" && e.Key >= end {
				continue
			}
			if h, ok := w.dead.Get(&history{key: e.Key}); ok {
				keys = append(keys, h)
			}
		}
		if keys == nil {
			return nil
		}
		return sorted(keys)
	}
	return treeKeys(w.dead, from, end)
}

// sorted returns keys in order, each once.
func sorted(keys []*history) *sortedKeys {
	slices.SortFunc(keys, func(a, b *history) int { return cmp.Compare(a.key, b.key) })
	return &sortedKeys{keys: slices.Compact(keys)}
}
