package mvcc

import (
	"slices"
	"sync"
)

// Fork gives an empty store the content of another one, with its whole history, as it is committed. They share it
// until one of them changes it: neither sees what the other one writes. The clock, the guard, the journal, the
// retainer, the functions of OnCommit and OnDiscard and the quota stay those of each. also runs while the other store
// commits nothing, under its lock: it must be fast and must not call it.
//
// It costs time and memory for each bucket, and none for keys and events; with a guard a look at each event. Later
// the first write to a key costs either store a copy of the key's list of versions, and of its terms.
func (s *Store) Fork(from *Store, also func()) {
	from.mu.Lock()
	defer from.mu.Unlock()
	s.share(from)
	also()
}

// share is Fork. Callers hold the lock of the other store.
func (s *Store) share(from *Store) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if from.sharing == nil {
		from.sharing = new(sync.Mutex)
	}
	from.owned, s.owned = map[*history]struct{}{}, map[*history]struct{}{}
	s.sharing = from.sharing
	s.head, s.last, s.compacted = from.head, from.last, from.compacted
	s.bytes, s.versions, s.present, s.superseded = from.bytes, from.versions, from.present, from.superseded
	s.indexed, s.all = from.indexed, from.all.fork()
	s.buckets = make(map[string]*bucket, len(from.buckets))
	for name, b := range from.buckets {
		s.buckets[name] = b.fork()
	}
	for name := range from.late {
		s.late[name] = s.buckets[name]
	}
	if s.guard != nil {
		s.countAll()
	}
	for _, e := range slices.Backward(from.pending) {
		s.undo(s.buckets[e.Bucket], e)
	}
	s.last = s.head
}

// countAll tells the guard of all events. Callers hold the lock.
func (s *Store) countAll() {
	var events []*Event
	for _, b := range s.buckets {
		all := func(h *history) bool { events = append(events, h.events...); return true }
		b.live.Ascend(all)
		b.dead.Ascend(all)
	}
	slices.SortFunc(events, func(a, b *Event) int { return int(a.Revision - b.Revision) })
	for _, e := range events {
		s.guard.Count(e, 1)
	}
}

// fork returns a bucket with the same content, and no watchers. Callers hold the lock of the bucket's store.
func (b *bucket) fork() *bucket {
	return &bucket{
		live: b.live.Clone(), dead: b.dead.Clone(), feed: b.feed.fork(), groups: b.groups.fork(), terms: b.terms.fork(),
		changed: b.changed, dropped: b.dropped,
	}
}

func (f *feed) fork() feed { return feed{f.events.fork(), f.counts.fork()} }

// copied returns a copy of a feed that does not change.
func (f *feed) copied() *feed {
	return &feed{f.events.shared(), f.counts.shared()}
}

// shared is fork for a list that does not change.
func (l *list[T]) shared() list[T] {
	same := *l
	return same.fork()
}

// own returns a history to change: the given one, or a copy in its place if forks share it. Callers hold the lock.
func (s *Store) own(b *bucket, h *history) *history {
	if s.owned == nil {
		return h
	}
	if _, is := s.owned[h]; is {
		return h
	}
	mine := *h
	mine.events = slices.Clip(h.events)
	if _, ok := b.live.Get(h); ok {
		b.live.ReplaceOrInsert(&mine)
	} else {
		b.dead.ReplaceOrInsert(&mine)
	}
	terms := map[Term]struct{}{}
	for _, e := range h.events {
		if x := termsOf(e.Version); x != nil {
			x.Terms(func(t Term) { terms[t] = struct{}{} })
		}
	}
	for t := range terms {
		if k := s.termKeys(b, t); k != nil {
			k.now.replace(&mine)
			k.past.replace(&mine)
		}
	}
	s.owned[&mine] = struct{}{}
	return &mine
}

// disown forgets a history that is not needed any more.
func (s *Store) disown(h *history) { delete(s.owned, h) }

// termKeys returns the keys under a term, to be changed, or nil. Callers hold the lock.
func (s *Store) termKeys(b *bucket, t Term) *termKeys {
	if b.terms.base == nil {
		return b.terms.own[t]
	}
	return b.terms.change(t, func(k *termKeys) *termKeys {
		s.sharing.Lock()
		defer s.sharing.Unlock()
		return &termKeys{k.now.copied(), k.past.copied()}
	})
}

// copied returns a copy of a set. To copy a tree changes a part of it that its readers do not look at: callers hold
// the lock that all who share it have.
func (k *keySet) copied() keySet {
	c := *k
	if tree := k.tree(); tree != nil {
		c.more = &manyKeys{tree: tree.Clone()}
	} else if k.more != nil {
		c.more = &manyKeys{few: slices.Clone(k.more.few)}
	}
	return c
}

// replace puts a history in the place of that of the same key, if there is one.
func (k *keySet) replace(h *history) {
	if tree := k.tree(); tree != nil {
		if tree.Has(h) {
			tree.ReplaceOrInsert(h)
		}
	} else if at, is := k.at(h.key); is {
		k.slice()[at] = h
	}
}
