package patch

import (
	"encoding/json"
	"slices"
)

// A sequence is a list in parts: an operation moves the items of one part, not all that follow. A
// patch may insert ten thousand items at the front of a list with a hundred thousand.
type sequence struct {
	parts [][]*node
	size  int
}

// maxPart is the number of items at which a part is split in half.
const maxPart = 1024

// UnmarshalJSON reads a list.
func (s *sequence) UnmarshalJSON(text []byte) error {
	var all []*node
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*s = newSequence(all)
	return nil
}

func newSequence(all []*node) sequence {
	s := sequence{size: len(all)}
	for part := range slices.Chunk(all, maxPart/2) {
		s.parts = append(s.parts, slices.Clone(part))
	}
	return s
}

// at returns the position of an item: its part, and the index in that.
func (s *sequence) at(i int) (part, in int) {
	for part < len(s.parts) && i >= len(s.parts[part]) {
		i -= len(s.parts[part])
		part++
	}
	return part, i
}

func (s *sequence) get(i int) *node {
	part, in := s.at(i)
	return s.parts[part][in]
}

func (s *sequence) set(i int, n *node) {
	part, in := s.at(i)
	s.parts[part][in] = n
}

func (s *sequence) insert(i int, n *node) {
	s.size++
	part, in := s.at(i)
	if part == len(s.parts) {
		if part == 0 {
			s.parts = append(s.parts, []*node{n})
			return
		}
		part-- // at the end
		in = len(s.parts[part])
	}
	p := slices.Insert(s.parts[part], in, n)
	if s.parts[part] = p; len(p) > maxPart {
		s.parts[part] = slices.Clone(p[:maxPart/2])
		s.parts = slices.Insert(s.parts, part+1, slices.Clone(p[maxPart/2:]))
	}
}

func (s *sequence) remove(i int) {
	s.size--
	part, in := s.at(i)
	if s.parts[part] = slices.Delete(s.parts[part], in, in+1); len(s.parts[part]) == 0 {
		s.parts = slices.Delete(s.parts, part, part+1)
	}
}

// all returns the items in order.
func (s *sequence) all(yield func(n *node) bool) {
	for _, part := range s.parts {
		for _, n := range part {
			if !yield(n) {
				return
			}
		}
	}
}
