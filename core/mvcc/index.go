package mvcc

// A Term is what versions have and readers ask for: a label with its value, say. The store gives it no
// meaning.
type Term struct{ Name, Value string }

// Indexed is implemented by the Attrs of versions that readers find by their terms. Its dynamic type is
// comparable, and equal Attrs have the same terms. They do not change.
type Indexed interface {
	// Terms calls f with each term; it may do so more than once with one.
	Terms(f func(Term))
	// HasTerm reports whether Terms calls f with a term.
	HasTerm(Term) bool
	// NumTerms returns how many calls of f Terms makes.
	NumTerms() int
}

// An index has the keys of a bucket under the terms of their versions. A key is under a term as long as any
// retained or pending version that is no deletion has it.
type index = layers[Term, termKeys]

// termKeys are the keys under a term.
type termKeys struct {
	// now has those whose version at the head has the term, or a pending one; past has those that have it
	// in older versions only, so that they do not slow down reads at the head.
	now, past keySet
}

// termCost and entryCost are the approximate memory of a term, and of a key under it, in bytes.
const termCost, entryCost = 144, 16

// indexSize is the approximate memory of the indexes of a store, in bytes. past is the part of all that is
// there for older versions only, which compaction frees.
type indexSize struct{ all, past int64 }

// add adds what a term's keys take, or subtracts it if sign is -1.
func (s *indexSize) add(k *termKeys, sign int64) {
	past := int64(k.past.len()) * entryCost
	all := termCost + int64(k.now.len())*entryCost + past
	if k.now.len() == 0 {
		past += termCost
	}
	s.all += sign * all
	s.past += sign * past
}

// termsOf returns the terms of a version; nil if it has none.
func termsOf(v *Version) Indexed {
	if v == nil || v.Deleted {
		return nil
	}
	x, _ := v.Attrs.(Indexed)
	return x
}

// termGrowth returns how much larger a write makes the index at most.
func termGrowth(attrs any, current *Version) int64 {
	if x, _ := attrs.(Indexed); x != nil && x != termsOf(current) {
		return int64(x.NumTerms()) * (termCost + entryCost)
	}
	return 0
}

// reindex moves a key in the index after its history has changed: under the terms that v has and other has
// not. It costs nothing if their attributes are the same. h may be nil if it is still to be found. Callers
// hold the lock.
func (s *Store) reindex(b *bucket, key string, h *history, v, other *Version) {
	x, y := termsOf(v), termsOf(other)
	if x == nil || x == y {
		return
	}
	if h == nil {
		h = b.find(key)
	}
	found := h // a variable that the function below captures is not to be written
	newest := h.last == v
	x.Terms(func(t Term) {
		switch {
		case y != nil && y.HasTerm(t):
		case newest:
			s.place(b, found, t, true, false)
		default:
			s.settle(b, found, t)
		}
	})
}

// reindexDropped is reindex after the oldest events of a history have been dropped. It costs a look at them,
// and at the terms of the others if some may be gone.
func (s *Store) reindexDropped(b *bucket, h *history, dropped []*Event) {
	var first Indexed // of the versions that are left
	if len(h.events) > 0 {
		first = termsOf(h.events[0].Version)
	}
	var gone map[Term]bool
	last := first
	for _, e := range dropped {
		x := termsOf(e.Version)
		if x == nil || x == first || x == last {
			continue
		}
		if last = x; gone == nil { // most versions of a key have the same terms
			gone = map[Term]bool{}
		}
		x.Terms(func(t Term) { gone[t] = true })
	}
	last = nil
	for i := 0; i < len(h.events) && len(gone) > 0; i++ {
		x := termsOf(h.events[i].Version)
		if x == nil || x == last {
			continue
		}
		last = x
		x.Terms(func(t Term) { delete(gone, t) })
	}
	for t := range gone {
		s.place(b, h, t, false, false)
	}
}

// settle puts a key where it belongs under a term.
func (s *Store) settle(b *bucket, h *history, t Term) {
	now, past := h.has(t, s.head)
	s.place(b, h, t, now, past)
}

// place puts a key under a term, among those that have it now or in the past, or removes it.
func (s *Store) place(b *bucket, h *history, t Term, now, past bool) {
	k := s.termKeys(b, t)
	switch {
	case k != nil:
		s.indexed.add(k, -1)
	case !now && !past:
		return
	default:
		k = &termKeys{}
		b.terms.set(t, k)
	}
	k.now.set(h, now)
	k.past.set(h, past)
	if k.now.len()+k.past.len() == 0 {
		b.terms.remove(t)
		return
	}
	s.indexed.add(k, 1)
}

// has reports whether a key has a term now: in the version at the head or a pending one; or else in the past,
// in a version before.
func (h *history) has(t Term, head int64) (now, past bool) {
	current := true
	for i := len(h.events) - 1; i >= 0; i-- {
		e := h.events[i]
		if x := termsOf(e.Version); x != nil && x.HasTerm(t) {
			return current, !current
		}
		current = current && e.Revision > head
	}
	return false, false
}
