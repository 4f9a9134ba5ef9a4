package mvcc

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/btree"
)

// degree of the B-trees. Wide nodes keep a page's walk within few cache lines.
const degree = 32

// Store is a set of keys with their retained history. Use New.
type Store struct {
	now       func() time.Time
	observe   func(*Event)
	discarded func(*Event)
	guard     Guard // nil means none

	mu sync.RWMutex
	// head is the revision of the last committed write, last that of the last write: those between are
	// pending, in order.
	head, last int64
	pending    []*Event
	journal    Journal
	// decided is closed, and replaced, when pending events have been committed or discarded.
	decided chan struct{}
	// discards counts the calls of Discard that removed events; lost is the reason of the last one.
	discards  int64
	lost      error
	compacted int64
	// retainer may be nil. late has the buckets with events up to compacted, which it keeps.
	retainer Retainer
	late     map[string]*bucket
	bytes    int64 // of the values of all retained versions
	versions int
	present  int // how many of them are current
	// superseded is the part of bytes that is not current: what compaction can free.
	superseded int64
	quota      int64 // 0: none
	reserve    int64 // the part of quota for the writes that the guard lets use it
	buckets    map[string]*bucket
	all        list[*Event]
	unread     unread
	watchers   watcherSet // all of them
	whole      watcherSet // those of the whole store
	remaining  remainingMemo
	indexed    indexSize // of all buckets
	// owned has, in a store that was forked or is a fork, the histories that no other store shares; nil: all. sharing
	// is held by the caller who copies a tree of keys that all these stores share.
	owned   map[*history]struct{}
	sharing *sync.Mutex
}

type bucket struct {
	// live has the keys that exist, or are about to; dead has those that exist in older revisions only,
	// so that they do not slow down reads at the head.
	live, dead *btree.BTreeG[*history]
	feed       feed
	groups     layers[string, feed]
	terms      index
	// watchers are those of a key, of a group and of the whole bucket; selective counts those of terms, one by one.
	watchers  map[wakeKey]*watcherSet
	selective int
	// changed is the revision of the last committed write.
	changed int64
	// dropped is the revision up to which events have been dropped: below the store's horizon if a
	// Retainer keeps some, or if no event has come since.
	dropped int64
}

// New returns an empty store at revision 1, like an etcd without a write. Events get their time
// from now.
func New(now func() time.Time) *Store {
	return &Store{
		now: now, head: 1, last: 1, decided: make(chan struct{}),
		buckets: map[string]*bucket{}, late: map[string]*bucket{},
	}
}

// OnCommit sets a function that is called with each event as it is committed, in order, under the
// store's lock: it must be fast and must not call back. Set it before the first write.
func (s *Store) OnCommit(f func(*Event)) { s.observe = f }

// Status is the state of the store.
type Status struct {
	// Head is the revision of the last committed write.
	Head int64
	// Compacted is the horizon: the oldest revision that can still be read. It
	// is 0 while nothing has been compacted.
	Compacted int64
	// Events is the number of events above the horizon.
	Events int
	// Bytes is the size of the values of all retained versions, Superseded of those that are not
	// current.
	Bytes, Superseded int64
	// Current is the number of current versions, also of writes that are not committed yet.
	Current int
	// Size is the approximate memory of all retained versions, in bytes: what the quota limits. Present
	// is the part that no compaction can free.
	Size, Present int64
	// Watchers is the number of open watchers.
	Watchers int
}

// Status returns the state of the store.
func (s *Store) Status() Status {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.status()
}

func (s *Store) status() Status {
	return Status{
		Head: s.head, Compacted: s.compacted, Events: s.committed() - s.all.upTo(s.compacted),
		Bytes: s.bytes, Superseded: s.superseded, Current: s.present, Watchers: len(s.watchers.Values),
		Size: s.size(), Present: s.presentSize(),
	}
}

// Bounds returns the head and the horizon: Head and Compacted of Status, at less cost.
func (s *Store) Bounds() (head, compacted int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.head, s.compacted
}

// AtHead runs f with the head revision, under the store's lock, so that nothing is committed
// meanwhile: f must be fast and must not call back.
func (s *Store) AtHead(f func(head int64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.head)
}

// Keys returns the number of keys at the head.
func (s *Store) Keys() (n int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, b := range s.buckets {
		n += b.feed.sizeAt(s.head)
	}
	return n
}

// Get returns the version of a key that a reader at rev sees; rev 0 is the
// head. It returns nil if none exists, ErrCompacted if rev is below the
// horizon, and ErrFuture if it is above the head. The second result is the
// revision that was read.
func (s *Store) Get(bucket, key string, rev int64) (*Version, int64, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	rev, err := s.readable(rev)
	if err != nil {
		return nil, 0, err
	}
	b := s.buckets[bucket]
	if b == nil {
		return nil, rev, nil
	}
	h := b.find(key)
	if h == nil {
		return nil, rev, nil
	}
	return h.at(rev), rev, nil
}

// Latest returns the last version of a key, on which the next write builds, and which may not be
// committed yet. Results that depend on it must not be reported before it is: see Await and Settle.
func (s *Store) Latest(bucket, key string) *Version {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if b := s.buckets[bucket]; b != nil {
		if h := b.find(key); h != nil {
			return h.current()
		}
	}
	return nil
}

// A Location is the bucket and key of a version.
type Location struct{ Bucket, Key string }

// Group returns the keys of a group, "ns/", in all buckets, including pending writes. They are
// sorted by bucket and key.
func (s *Store) Group(group string) []Location {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var places []Location
	for _, name := range slices.Sorted(maps.Keys(s.buckets)) {
		b := s.buckets[name]
		if b.groups.get(group) == nil {
			continue
		}
		ascend(b.live, group, afterGroup(group), func(h *history) bool {
			if h.current() != nil {
				places = append(places, Location{name, h.key})
			}
			return true
		})
	}
	return places
}

// Changed returns the revision of the last committed write to a bucket, or 0: values
// derived from a bucket are valid until it changes.
func (s *Store) Changed(bucket string) int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if b := s.buckets[bucket]; b != nil {
		return b.changed
	}
	return 0
}

// readable resolves a revision to read at. Callers hold the lock.
func (s *Store) readable(rev int64) (int64, error) {
	switch {
	case rev == 0:
		return s.head, nil
	case rev < s.compacted:
		return 0, ErrCompacted
	case rev > s.head:
		return 0, ErrFuture
	}
	return rev, nil
}

// Build makes the bytes of a version at a revision, and the attributes by which readers filter. It
// runs under the store's lock.
type Build func(rev int64) (value []byte, attrs any)

// Put writes a key whose current revision is expect, 0 meaning that it does not exist. It returns a
// *ConflictError if the revision is another one, ErrNoSpace if the quota does not allow the write,
// and the journal's error if it does not take events.
func (s *Store) Put(bucket, key string, expect int64, build Build) (*Event, error) {
	return s.By(nil).Put(bucket, key, expect, build)
}

// Delete deletes a key whose current revision is expect. The value that build makes is the key's
// last state, which watchers get. It returns a *ConflictError if the key is at another revision or
// does not exist, and the journal's error if it does not take events.
func (s *Store) Delete(bucket, key string, expect int64, build Build) (*Event, error) {
	return s.By(nil).Delete(bucket, key, expect, build)
}

// write writes or deletes a key. limited reports whether the quota applies.
func (w Writer) write(bucket, key string, expect int64, build Build, deletion, limited bool) (*Event, error) {
	s := w.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.discards >= 0 && w.discards != s.discards {
		return nil, s.lost
	}
	b := s.bucket(bucket)
	h := b.find(key)
	var current *Version
	if h != nil {
		current = h.current()
	}
	var present int64
	if current != nil {
		present = current.Revision
	}
	if present != expect || (deletion && current == nil) {
		return nil, &ConflictError{Current: current}
	}
	rev := s.last + 1
	value, attrs := build(rev)
	owners, reserved, err := s.judge(&Write{
		Bucket: bucket, Key: key, Author: w.author, Revision: rev, Current: current, Value: value,
		Deletes: deletion, Frees: deletion || !limited,
	})
	if err != nil {
		return nil, err
	}
	most := s.quota
	if !reserved {
		most -= s.reserve
	}
	if s.quota > 0 && (limited && s.size()+sizeOf(value, attrs)+VersionCost+termGrowth(attrs, current) > most ||
		!limited && !deletion && s.size() > max(most, s.presentSize())) {
		return nil, ErrNoSpace
	}
	created := rev
	if current != nil {
		created = current.Created
	}
	e := &Event{
		Version: &Version{
			Revision: rev, Created: created, Deleted: deletion, Value: value, Attrs: attrs, Author: w.author,
			Owners: owners,
		},
		Bucket: bucket, Key: key, Time: s.time(), Prev: current,
	}
	if s.journal == nil {
		s.apply(b, h, e)
		s.commit(b, e)
		return e, nil
	}
	if err := s.journal.Append(e); err != nil {
		return nil, err
	}
	e.outcome = errPending
	s.apply(b, h, e)
	s.pending = append(s.pending, e)
	return e, nil
}

// time returns the time of the next event: never before that of the last one, even if the host's
// clock is set back. Callers hold the lock.
func (s *Store) time() time.Time {
	now := s.now()
	if last, ok := s.all.last(); ok && now.Before(last.Time) {
		return last.Time
	}
	return now
}

// apply adds a pending event. Callers hold the lock.
func (s *Store) apply(b *bucket, h *history, e *Event) {
	if h == nil {
		h = &history{key: e.Key}
		b.live.ReplaceOrInsert(h)
		if s.owned != nil {
			s.owned[h] = struct{}{}
		}
	} else if h = s.own(b, h); h.current() == nil {
		if _, was := b.dead.Delete(h); was {
			b.live.ReplaceOrInsert(h)
		}
	}
	h.add(e)
	s.reindex(b, e.Key, h, e.Version, e.Prev)
	s.last = e.Revision
	s.account(e, 1)
	s.all.add(e)
	b.feed.add(e)
	if g, ok := groupOf(e.Key); ok {
		b.group(g).add(e)
	}
}

// account adds the size of an event to the totals, or subtracts it if sign is -1.
func (s *Store) account(e *Event, sign int) {
	if s.guard != nil {
		s.guard.Count(e, sign)
	}
	s.versions += sign
	switch {
	case e.Deleted:
		s.present -= sign
	case e.Prev == nil:
		s.present += sign
	}
	s.bytes += int64(sign) * e.size()
	if e.Prev != nil {
		s.superseded += int64(sign) * e.Prev.size()
	}
	if e.Deleted {
		s.superseded += int64(sign) * e.size()
	}
}

func (s *Store) bucket(name string) *bucket {
	b := s.buckets[name]
	if b == nil {
		b = &bucket{
			live: btree.NewG(degree, historyLess),
			dead: btree.NewG(degree, historyLess),
		}
		s.buckets[name] = b
	}
	return b
}

// find returns the history of a key, or nil.
func (b *bucket) find(key string) *history {
	probe := probes.Get().(*history)
	probe.key = key
	h, ok := b.live.Get(probe)
	if !ok && b.dead.Len() > 0 {
		h, _ = b.dead.Get(probe)
	}
	probe.key = ""
	probes.Put(probe)
	return h
}

// probes is a pool of what a tree of keys is asked for.
var probes = sync.Pool{New: func() any { return new(history) }}

// groupOf returns the part of a key up to and including its first slash.
func groupOf(key string) (string, bool) {
	i := strings.IndexByte(key, '/')
	return key[:i+1], i >= 0
}
