package mvcc

import (
	"slices"
)

// Query says what to read of a bucket.
type Query struct {
	// Group limits the range to the keys of one group, "ns/". Empty: all keys.
	Group string
	// Key limits the range to this one key.
	Key string
	// Name limits the range to the keys of this name, in whatever group.
	Name string
	// Start is the first key to look at, as of Group or of the bucket.
	Start string
	// Revision is the revision to read at; 0 is the head.
	Revision int64
	// Limit is the greatest number of items to return; 0 is no limit.
	Limit int
	// Match, if set, says which versions are wanted.
	Match func(key string, v *Version) bool
	// ValuesOnly asks for the Values of the page instead of its Items, where all there is
	// is wanted: no more than what was asked for is looked at.
	ValuesOnly bool
}

// Item is a key with the version that was read.
type Item struct {
	Key string
	*Version
}

// Page is the answer to a Query.
type Page struct {
	// Revision is the revision that was read.
	Revision int64
	// Items are the wanted keys in order.
	Items []Item
	// Values are what the keys hold, in their order, if the query asked for no more and
	// has no Limit, Match, Key, Name or Start; there are no Items then.
	Values [][]byte
	// More says that there are keys behind the last item; whether any of them
	// matches has not been looked at.
	More bool
	// Next is the key to start the next page with, if More.
	Next string
	// Remaining is the number of keys behind the page, if More. It does not
	// consider Match.
	Remaining int
}

// Range reads a page of a bucket. It returns ErrCompacted or ErrFuture for a
// revision that cannot be read.
func (s *Store) Range(bucket string, q Query) (Page, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	rev, err := s.readable(q.Revision)
	if err != nil {
		return Page{}, err
	}
	page := Page{Revision: rev}
	b := s.buckets[bucket]
	if b == nil {
		return page, nil
	}
	if q.Key != "" {
		if h, ok := b.keys.Get(&history{key: q.Key}); ok && q.Key >= q.Start {
			if v := h.at(rev); v != nil && (q.Match == nil || q.Match(q.Key, v)) {
				page.Items = []Item{{q.Key, v}}
			}
		}
		return page, nil
	}
	switch all := q.Limit == 0 && q.Match == nil && q.Name == ""; {
	case all && q.ValuesOnly && q.Start == "":
		page.Values = b.values(q.Group, rev)
		return page, nil
	case all:
		page.Items = make([]Item, 0, b.size(q.Group, rev))
	}
	from := max(q.Start, q.Group)
	left := s.knownFrom(bucket, b, q.Group, from, rev)
	b.pass(q, from, rev, left, func(key string, v *Version) bool {
		if q.Limit > 0 && len(page.Items) == q.Limit {
			page.More = true
			return false
		}
		if q.Match == nil || q.Match(key, v) {
			page.Items = append(page.Items, Item{key, v})
		}
		return true
	})
	if !page.More {
		return page, nil
	}
	page.Next = page.Items[len(page.Items)-1].Key + "\x00"
	if q.Match == nil {
		if left < 0 {
			left = b.countFrom(q.Group, from, rev)
		}
		page.Remaining = left - len(page.Items)
		s.remaining.put(remainingKey{bucket, q.Group, page.Next, rev}, page.Remaining)
	}
	return page, nil
}

// values are what the keys of a group hold at a revision, in order.
func (b *bucket) values(group string, rev int64) [][]byte {
	n := b.size(group, rev)
	values := make([][]byte, 0, n)
	if n > 0 {
		b.keys.AscendGreaterOrEqual(&history{key: group}, func(h *history) bool {
			if value, ok := h.valueAt(rev); ok {
				values = append(values, value)
			}
			return len(values) < n
		})
	}
	return values
}

// pass calls f with the keys of a query from the key from on, until f returns
// false. With a Name it looks only at the keys that may be of that name, and at
// the first one behind a page.
func (b *bucket) pass(q Query, from string, rev int64, left int, f func(string, *Version) bool) {
	if q.Name == "" {
		b.ascend(q.Group, from, rev, left, f)
		return
	}
	passed, last := 0, ""
	for _, key := range b.named(q.Group, q.Name) {
		h, ok := b.keys.Get(&history{key: key})
		if !ok || key < from {
			continue
		}
		v := h.at(rev)
		if v == nil || q.Match != nil && !q.Match(key, v) {
			continue
		}
		if !f(key, v) {
			return
		}
		if passed, last = passed+1, key; passed == q.Limit {
			b.ascend(q.Group, last+"\x00", rev, -1, f)
			return
		}
	}
}

// named are the keys that a name may have, in order: one for each group, and the
// name itself where there are no groups.
func (b *bucket) named(group, name string) []string {
	if group != "" {
		return []string{group + name}
	}
	keys := make([]string, 1, len(b.groups)+1)
	keys[0] = name
	for g := range b.groups {
		keys = append(keys, g+name)
	}
	slices.Sort(keys)
	return keys
}

// ascend calls f with the keys of a group that exist at rev, from the key from on,
// until f returns false. If it is known how many keys are left, negative if not, that
// tells where the group ends, and no key is compared.
func (b *bucket) ascend(group, from string, rev int64, left int, f func(string, *Version) bool) {
	if left == 0 {
		return
	}
	visit := func(h *history) bool {
		v := h.at(rev)
		if v == nil {
			return true
		}
		left--
		return f(h.key, v) && left != 0
	}
	if group == "" || left > 0 {
		b.keys.AscendGreaterOrEqual(&history{key: from}, visit)
		return
	}
	// '0' follows '/', so the end of the group is the group with its last byte raised.
	end := group[:len(group)-1] + "0"
	b.keys.AscendRange(&history{key: from}, &history{key: end}, visit)
}

// size is the number of keys of a group at a retained revision.
func (b *bucket) size(group string, rev int64) int {
	if group == "" {
		return b.feed.sizeAt(rev)
	}
	if f := b.groups[group]; f != nil {
		return f.sizeAt(rev)
	}
	return 0
}

// knownFrom is the number of keys of a group from a key on, if it is known without
// counting them: at the group's beginning, and where a page has ended. It is negative
// if not.
func (s *Store) knownFrom(name string, b *bucket, group, from string, rev int64) int {
	if from == group {
		return b.size(group, rev)
	}
	if n, ok := s.remaining.get(remainingKey{name, group, from, rev}); ok {
		return n
	}
	return -1
}

// countFrom counts the keys of a group from a key on.
func (b *bucket) countFrom(group, from string, rev int64) (n int) {
	b.ascend(group, from, rev, -1, func(string, *Version) bool { n++; return true })
	return n
}
