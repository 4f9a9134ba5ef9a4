package mvcc

import (
	"slices"
	"sort"
)

// A list has elements in the order of their revisions. It grows at its end, and shrinks at its beginning. The arrays
// of older are shared with the stores that a fork was made of and with other forks, and nobody writes to them; only
// a fork has any.
type list[T interface{ revision() int64 }] struct {
	older [][]T
	own   []T
}

func (e *Event) revision() int64 { return e.Revision }

func (l *list[T]) len() int {
	n := len(l.own)
	for _, part := range l.older {
		n += len(part)
	}
	return n
}

// at returns the ith element.
func (l *list[T]) at(i int) T {
	if l.older == nil {
		return l.own[i]
	}
	return l.among(i)
}

func (l *list[T]) among(i int) T {
	for _, part := range l.older {
		if i < len(part) {
			return part[i]
		}
		i -= len(part)
	}
	return l.own[i]
}

// last returns the last element; false if none exists.
func (l *list[T]) last() (v T, ok bool) {
	if n := len(l.own); n > 0 {
		return l.own[n-1], true
	}
	if n := len(l.older); n > 0 {
		part := l.older[n-1]
		return part[len(part)-1], true
	}
	return v, false
}

func (l *list[T]) add(v T) { l.own = append(l.own, v) }

// undo removes the last element.
func (l *list[T]) undo() {
	if n := len(l.own); n > 0 {
		l.own = l.own[:n-1]
		return
	}
	last := len(l.older) - 1
	part := l.older[last]
	if l.older = slices.Clone(l.older[:last]); len(part) > 1 {
		l.older = append(l.older, part[:len(part)-1])
	}
}

// upTo returns how many elements have a revision up to rev.
func (l *list[T]) upTo(rev int64) (n int) {
	for _, part := range l.older {
		if i := above(part, rev); i < len(part) {
			return n + i
		}
		n += len(part)
	}
	return n + above(l.own, rev)
}

// above returns the index of the first element above rev.
func above[T interface{ revision() int64 }](part []T, rev int64) int {
	if n := len(part); n == 0 || part[n-1].revision() <= rev {
		return n
	}
	return sort.Search(len(part), func(i int) bool { return part[i].revision() > rev })
}

// after returns the elements above rev. The slice is shared, unless they are in several arrays: then they are copied.
func (l *list[T]) after(rev int64) []T {
	for i, part := range l.older {
		at := above(part, rev)
		switch rest := part[at:]; {
		case len(rest) == 0:
		case i == len(l.older)-1 && len(l.own) == 0:
			return rest
		default:
			parts := append([][]T{rest}, l.older[i+1:]...)
			return slices.Concat(append(parts, l.own)...)
		}
	}
	return l.own[above(l.own, rev):]
}

// whole returns all elements; false if they are in several arrays.
func (l *list[T]) whole() ([]T, bool) {
	switch {
	case len(l.older) == 0:
		return l.own, true
	case len(l.older) == 1 && len(l.own) == 0:
		return l.older[0], true
	}
	return nil, false
}

// join returns all elements, and keeps them in one array from now on.
func (l *list[T]) join() []T {
	all, ok := l.whole()
	if !ok {
		all = slices.Concat(append(slices.Clip(l.older), l.own)...)
		l.older, l.own = nil, all
	}
	return all
}

// drop removes the first n elements.
func (l *list[T]) drop(n int) {
	for len(l.older) > 0 && n > 0 {
		part := l.older[0]
		l.older = slices.Clone(l.older[1:])
		if n < len(part) {
			l.older = slices.Insert(l.older, 0, part[n:])
			return
		}
		n -= len(part)
	}
	if n > 0 {
		l.own = dropFront(l.own, n)
	}
}

// fork returns a list with the same elements, which it shares. Afterwards either may be changed.
func (l *list[T]) fork() list[T] {
	if len(l.own) == 0 {
		return list[T]{older: slices.Clip(l.older)}
	}
	older, part := slices.Clone(l.older), slices.Clip(l.own)
	// As in a binary counter, so that few arrays are left, and an element is copied a few times only.
	for n := len(older); n > 0 && len(older[n-1]) < 2*len(part); n-- {
		part = slices.Concat(older[n-1], part)
		older = older[:n-1]
	}
	f := list[T]{older: append(older, part)}
	if len(l.older) > 0 { // the next fork does not copy it again
		l.older, l.own = slices.Clip(f.older), nil
	}
	return f
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
