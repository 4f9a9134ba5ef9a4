package mvcc

import "fmt"

// check verifies the invariants in the package comment.
func (s *Store) check() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var bytes, present int64
	versions := 0
	var indexed indexSize
	for name, b := range s.buckets {
		if err := s.checkIndex(b, &indexed); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		keys, groups := 0, map[string]int{}
		var err error
		all := func(h *history) bool {
			inDead := b.dead.Has(h)
			if inDead == b.live.Has(h) {
				err = fmt.Errorf("%s/%s: is among the live and the dead, or neither", name, h.key)
				return false
			}
			if past := h.last != nil && h.last.Deleted && h.last.Revision <= s.head; past != inDead {
				err = fmt.Errorf("%s/%s: dead is %t, kept with the dead is %t", name, h.key, past, inDead)
				return false
			}
			if len(h.events) == 0 {
				err = fmt.Errorf("%s/%s: empty history", name, h.key)
				return false
			}
			if h.last != h.events[len(h.events)-1].Version {
				err = fmt.Errorf("%s/%s: the last version is not the last event's", name, h.key)
			}
			for i, e := range h.events {
				bytes += int64(len(e.Value))
				if i > 0 && e.Revision <= h.events[i-1].Revision {
					err = fmt.Errorf("%s/%s: revisions out of order", name, h.key)
				}
				if e.Revision <= b.dropped && (i > 0 || e.Deleted) {
					err = fmt.Errorf("%s/%s: revision %d should have been dropped at %d", name, h.key, e.Revision, b.dropped)
				}
				if e.Revision <= b.dropped && e.Prev != nil {
					err = fmt.Errorf("%s/%s: a compacted base keeps its past alive", name, h.key)
				}
			}
			if v := h.current(); v != nil {
				keys++
				present += int64(len(v.Value))
				if g, ok := groupOf(h.key); ok {
					groups[g]++
				}
			}
			versions += len(h.events)
			return err == nil
		}
		b.live.Ascend(all)
		if err == nil {
			b.dead.Ascend(all)
		}
		if err != nil {
			return err
		}
		if n := b.feed.size(); n != keys {
			return fmt.Errorf("%s: feed counts %d keys of %d", name, n, keys)
		}
		for g, n := range groups {
			if size := b.groups.get(g).size(); size != n {
				return fmt.Errorf("%s/%s: feed counts %d keys of %d", name, g, size, n)
			}
		}
	}
	if bytes-present != s.superseded {
		return fmt.Errorf("%d bytes counted as superseded, %d are", s.superseded, bytes-present)
	}
	if indexed != s.indexed {
		return fmt.Errorf("%+v counted for the indexes, %+v are", s.indexed, indexed)
	}
	if versions != s.versions {
		return fmt.Errorf("%d versions counted, %d stored", s.versions, versions)
	}
	all := s.all.after(0)
	if n := len(all); n > 0 && all[n-1].Revision != s.last || s.last != s.head+int64(len(s.pending)) {
		return fmt.Errorf("%d events are pending between %d and %d", len(s.pending), s.head, s.last)
	}
	if bytes != s.bytes {
		return fmt.Errorf("%d bytes counted, %d stored", s.bytes, bytes)
	}
	for i, e := range all {
		if i > 0 && e.Revision != all[i-1].Revision+1 {
			return fmt.Errorf("revision %d follows %d", e.Revision, all[i-1].Revision)
		}
		if e.Revision <= s.compacted {
			return fmt.Errorf("event %d should have been dropped at %d", e.Revision, s.compacted)
		}
	}
	for name, b := range s.buckets {
		if b.dropped > s.compacted {
			return fmt.Errorf("%s: events are dropped up to %d, which is above the horizon %d", name, b.dropped, s.compacted)
		}
		if b.feed.holds(b.dropped) {
			return fmt.Errorf("%s: event %d should have been dropped at %d", name, b.feed.events.at(0).Revision, b.dropped)
		}
		if late := s.late[name] != nil; late != b.feed.holds(s.compacted) {
			return fmt.Errorf("%s: keeps events below the horizon: %t, known to: %t", name, !late, late)
		}
	}
	return nil
}
