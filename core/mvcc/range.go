package mvcc

import "errors"

// Query describes what to read of a bucket.
type Query struct {
	// Group limits the range to the keys of one group, "ns/". Empty: all keys.
	Group string
	// Key limits the range to this one key.
	Key string
	// Name limits the range to the keys of this name, in any group.
	Name string
	// Start is the first key to read.
	Start string
	// Revision is the revision to read at; 0 is the head.
	Revision int64
	// Kept allows revisions below the horizon from which the bucket's history is kept: see Retainer.
	Kept bool
	// Limit is the maximum number of items; 0 is no limit.
	Limit int
	// Match, if set, filters versions.
	Match func(key string, v *Version) bool
	// Terms are what every version that Match takes has: one of each of these lists at least. So only the
	// keys under the terms of one list are read, if that is faster.
	Terms [][]Term
	// ValuesOnly requests the Values of the page instead of its Items, for complete lists: they are
	// faster to collect.
	ValuesOnly bool
}

// Item is a key with the version that was read.
type Item struct {
	Key string
	*Version
}

// Page is the result of a Query.
type Page struct {
	// Revision is the revision that was read.
	Revision int64
	// Items are the matching keys in order.
	Items []Item
	// Values are the values in the order of their keys, if the query has ValuesOnly and no Limit,
	// Match, Key, Name or Start; then there are no Items.
	Values [][]byte
	// More reports whether there are keys after the last item, whether or not they match.
	More bool
	// Next is the key to start the next page with, if More.
	Next string
	// Remaining is the number of keys after the page, if More. It does not consider Match.
	Remaining int
	// Passed is the number of keys that were read.
	Passed int
}

// Range reads a page of a bucket. It returns ErrCompacted or ErrFuture for a
// revision that cannot be read.
func (s *Store) Range(bucket string, q Query) (page Page, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	b := s.buckets[bucket]
	rev, err := s.readable(q.Revision)
	if errors.Is(err, ErrCompacted) && q.Kept && (b == nil || q.Revision >= b.dropped) {
		rev, err = q.Revision, nil
	}
	if err != nil {
		return Page{}, err
	}
	page.Revision = rev
	if b == nil {
		return page, nil
	}
	if q.Key != "" {
		page.Passed = 1
		if h := b.find(q.Key); h != nil && q.Key >= q.Start {
			if v := h.at(rev); v != nil && (q.Match == nil || q.Match(q.Key, v)) {
				page.Items = []Item{{q.Key, v}}
			}
		}
		return page, nil
	}
	w := &walk{bucket: b, rev: rev, present: rev >= b.changed}
	defer func() { page.Passed = w.passed }()
	switch all := q.Limit == 0 && q.Match == nil && q.Name == ""; {
	case all && q.ValuesOnly && q.Start == "":
		page.Values = w.values(q.Group)
		return page, nil
	case all:
		page.Items = make([]Item, 0, b.size(q.Group, rev))
	case q.Limit > 0 && q.Match == nil && q.Name == "":
		page.Items = make([]Item, 0, min(q.Limit, b.size(q.Group, rev)))
	}
	from := max(q.Start, q.Group)
	left := s.knownFrom(bucket, b, q.Group, from, rev)
	visit := func(key string, v *Version) bool {
		if q.Limit > 0 && len(page.Items) == q.Limit {
			page.More = true
			return false
		}
		if q.Match == nil || q.Match(key, v) {
			page.Items = append(page.Items, Item{key, v})
		}
		return true
	}
	if q.Name != "" || !w.selected(&q, from, &page, visit) {
		w.pass(q, from, left, visit)
	}
	if !page.More {
		return page, nil
	}
	page.Next = page.Items[len(page.Items)-1].Key + "\x00"
	if q.Match == nil {
		if left < 0 {
			left = w.countFrom(q.Group, from)
		}
		page.Remaining = left - len(page.Items)
		s.remaining.put(remainingKey{bucket, q.Group, page.Next, rev}, page.Remaining)
	}
	return page, nil
}

// Holds reports whether a bucket has any key at the head, or will have one when what is pending is committed.
func (s *Store) Holds(bucket string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	b := s.buckets[bucket]
	return b != nil && b.live.Len() > 0
}

// size returns the number of keys of a group at a retained revision.
func (b *bucket) size(group string, rev int64) int {
	if group == "" {
		return b.feed.sizeAt(rev)
	}
	if f := b.groups.get(group); f != nil {
		return f.sizeAt(rev)
	}
	return 0
}

// knownFrom returns the number of keys of a group from a key on, if it is known without counting
// them: at the group's beginning, and where a page has ended. Otherwise it is negative.
func (s *Store) knownFrom(name string, b *bucket, group, from string, rev int64) int {
	if from == group {
		return b.size(group, rev)
	}
	if n, ok := s.remaining.get(remainingKey{name, group, from, rev}); ok {
		return n
	}
	return -1
}
