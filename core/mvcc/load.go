package mvcc

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/btree"
)

// Record is one version in a form for saving.
type Record struct {
	Bucket, Key string
	Revision    int64
	Created     int64
	Deleted     bool
	Time        time.Time
	Value       []byte
	Author      *Author
	Owners      *Owners
}

// Events returns the store's content at a revision, 0 being the head: every retained version that
// was committed by then, the bases of compacted histories included, in the order of their
// revisions, and the horizon. It returns ErrCompacted or ErrFuture for a revision that cannot be
// read. It costs a look at each key, and the result; writers wait for a look at some keys at a time.
func (s *Store) Events(rev int64) (events []*Event, at Extent, err error) {
	events, at, err = s.gather(rev)
	slices.SortFunc(events, func(a, b *Event) int { return cmp.Compare(a.Revision, b.Revision) })
	return events, at, err
}

// Extent is the range of readable revisions: from the horizon Compacted up to Head.
type Extent struct{ Head, Compacted int64 }

// gather collects all versions up to a revision in no order. Writes may come in between, which are above the revision;
// after a compaction it begins again, a few times, and then none can come in between.
func (s *Store) gather(rev int64) (events []*Event, at Extent, err error) {
	const tries = 3
	for try := 1; ; try++ {
		s.mu.RLock()
		n := s.versions
		s.mu.RUnlock()
		events = make([]*Event, 0, n) // which may take a while
		s.mu.RLock()
		if at.Head, err = s.readable(rev); err != nil {
			s.mu.RUnlock()
			return nil, Extent{}, err
		}
		at.Compacted = s.compacted
		for _, b := range slices.Collect(maps.Values(s.buckets)) { // a bucket that comes later has nothing up to rev
			for from, more := "", true; more; {
				if events, from, more = b.gather(events, from, at); more && try < tries {
					s.mu.RUnlock()
					s.mu.RLock()
				}
			}
		}
		same := s.compacted == at.Compacted
		s.mu.RUnlock()
		if same {
			return events, at, nil
		}
	}
}

// gather appends the versions of the next keys, from a key on, that are in an extent. It returns the key to continue
// from, and whether there are more. Callers hold the lock.
func (b *bucket) gather(events []*Event, from string, at Extent) (_ []*Event, next string, more bool) {
	probe, to := &history{key: from}, ""
	// A key that is deleted, or created again, changes its tree: so both are read up to the same key.
	trees := [...]*btree.BTreeG[*history]{b.live, b.dead}
	for _, t := range trees {
		n := 0
		t.AscendGreaterOrEqual(probe, func(h *history) bool {
			if n++; n == atOnce && (!more || h.key < to) {
				to, more = h.key, true
			}
			return n < atOnce
		})
	}
	for _, t := range trees {
		t.AscendGreaterOrEqual(probe, func(h *history) bool {
			if more && h.key > to {
				return false
			}
			events = append(events, upTo(h.above(at.Compacted), at.Head)...)
			return true
		})
	}
	return events, to + "\x00", more
}

var errOrder = errors.New("mvcc: records are not in the order of their revisions")

// Load adds a version from another store. Records come in the order of their revisions, before any
// write. The function of OnCommit is not called.
func (s *Store) Load(r Record, attrs any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.load(r, attrs, s.show)
}

// load adds a version, and calls show to make it visible. Callers hold the lock.
func (s *Store) load(r Record, attrs any, show func(*bucket, *Event)) error {
	if r.Revision <= s.head && s.all.len() > 0 || r.Revision < 1 || r.Created > r.Revision {
		return errOrder
	}
	b := s.bucket(r.Bucket)
	h := b.find(r.Key)
	var prev *Version
	if h != nil {
		prev = h.current()
	}
	if r.Deleted && prev == nil {
		return fmt.Errorf("mvcc: record %d deletes %s/%s, which does not exist", r.Revision, r.Bucket, r.Key)
	}
	e := &Event{
		Version: &Version{
			Revision: r.Revision, Created: r.Created, Deleted: r.Deleted, Value: r.Value, Attrs: attrs, Author: r.Author,
			Owners: s.ownersOf(r, prev),
		},
		Bucket: r.Bucket, Key: r.Key, Time: r.Time, Prev: prev,
	}
	s.apply(b, h, e)
	show(b, e)
	return nil
}

// ownersOf returns the owners of a version that is loaded. Those that were written before there were any
// have them by the rule for new ones. Callers hold the lock.
func (s *Store) ownersOf(r Record, prev *Version) *Owners {
	if r.Owners != nil || s.guard == nil {
		return r.Owners
	}
	return s.guard.Own(&Write{
		Bucket: r.Bucket, Key: r.Key, Author: r.Author, Revision: r.Revision, Current: prev, Value: r.Value,
		Deletes: r.Deleted,
	})
}

// Position sets the head and the horizon after Load: both may be beyond the last record, since
// deleted keys leave none.
func (s *Store) Position(head, compacted int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if head < s.head || compacted > head {
		return fmt.Errorf("mvcc: head %d and horizon %d do not fit the records, which end at %d", head, compacted, s.head)
	}
	s.head, s.last = head, head
	if compacted > s.compacted {
		s.compacted = compacted
		s.drop(nil) // a loaded store has nothing that was kept beyond its horizon
	}
	return nil
}
