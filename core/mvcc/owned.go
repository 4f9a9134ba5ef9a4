package mvcc

import (
	"maps"
	"slices"
)

// Created returns the keys that a user has created, including pending writes, sorted by bucket and key. It
// costs a look at each key.
func (s *Store) Created(user string) []Location {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var places []Location
	for _, name := range slices.Sorted(maps.Keys(s.buckets)) {
		s.buckets[name].live.Ascend(func(h *history) bool {
			if v := h.current(); v != nil && v.Owners != nil && v.Owners.Creator == user {
				places = append(places, Location{name, h.key})
			}
			return true
		})
	}
	return places
}

// Creator returns the user who has created a key, with pending writes; "" if that is not known, or if there is
// no such key.
func (s *Store) Creator(p Location) string {
	if v := s.Latest(p.Bucket, p.Key); v != nil && v.Owners != nil {
		return v.Owners.Creator
	}
	return ""
}
