// Package set has sets that give memory back: a map of Go keeps the size that it once had, so a set of what waits, of
// which there may be thousands for a while, would keep theirs.
//
// A set is not safe for concurrent use. It costs what a map does: now and then a deletion copies what is left, which is
// less than was deleted since the last copy.
package set

// A map is replaced when less than a part of the values are left that it once had, unless those were few.
const part, few = 4, 64

// Of is a set of values of a type. The zero Of is empty.
type Of[T comparable] struct {
	// Values is for reading: Add and Delete change it, and Delete may replace it.
	Values map[T]struct{}
	// most is how many values the map had at most.
	most int
}

// Add adds a value.
func (s *Of[T]) Add(v T) {
	if s.Values == nil {
		s.Values = map[T]struct{}{}
	}
	s.Values[v] = struct{}{}
	s.most = max(s.most, len(s.Values))
}

// Delete removes a value if it is there.
func (s *Of[T]) Delete(v T) {
	delete(s.Values, v)
	if s.most <= few || len(s.Values) >= s.most/part {
		return
	}
	left := make(map[T]struct{}, len(s.Values))
	for v := range s.Values {
		left[v] = struct{}{}
	}
	s.Values, s.most = left, len(left)
}
