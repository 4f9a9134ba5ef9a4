package mvcc

import (
	"strings"
	"sync"
	"time"

	"github.com/google/btree"
)

// degree of the B-trees. Wide nodes keep a page's walk within few cache lines.
const degree = 32

// Store is a set of keys with their retained past. Use New.
type Store struct {
	now    func() time.Time
	commit func(*Event)

	mu        sync.RWMutex
	head      int64
	compacted int64
	bytes     int64 // of the values of all retained versions
	// superseded is the part of bytes that is not the present: what compaction
	// can free.
	superseded int64
	buckets    map[string]*bucket
	all        feed
	watchers   watcherSet // all of them
	remaining  remainingMemo
}

type bucket struct {
	keys   *btree.BTreeG[*history]
	feed   feed
	groups map[string]*feed
	names  map[string]watcherSet
	// changed is the revision of the last write.
	changed int64
}

// New returns an empty store at revision 1, as an etcd without a write has.
// Events bear the time that now tells.
func New(now func() time.Time) *Store {
	return &Store{now: now, head: 1, buckets: map[string]*bucket{}, all: feed{watchers: watcherSet{}}, watchers: watcherSet{}}
}

// OnCommit sets a function that is called with each event as it is committed,
// in order, under the store's lock: it must be quick and must not call back.
// Set it before the first write.
func (s *Store) OnCommit(f func(*Event)) { s.commit = f }

// Status is the store's position.
type Status struct {
	// Head is the revision of the last write.
	Head int64
	// Compacted is the horizon: the oldest revision that can still be read. It
	// is 0 while nothing has been compacted.
	Compacted int64
	// Events is the number of events above the horizon.
	Events int
	// Bytes is the size of the values of all retained versions, Superseded of
	// those that are not the present.
	Bytes, Superseded int64
	// Watchers is the number of open watchers.
	Watchers int
}

// Status returns the store's position.
func (s *Store) Status() Status {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.status()
}

func (s *Store) status() Status {
	return Status{
		Head: s.head, Compacted: s.compacted, Events: len(s.all.events),
		Bytes: s.bytes, Superseded: s.superseded, Watchers: len(s.watchers),
	}
}

// Get returns the version of a key that a reader at rev sees; rev 0 is the
// head. It returns nil if there is none, ErrCompacted if rev is below the
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
	h, ok := b.keys.Get(&history{key: key})
	if !ok {
		return nil, rev, nil
	}
	return h.at(rev), rev, nil
}

// Changed returns the revision of the last write to a bucket, 0 if there was none:
// what was derived of a bucket holds until it is another.
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

// Build makes the bytes of a version for the revision it is going to have, and
// what readers filter by. It runs under the store's lock.
type Build func(rev int64) (value []byte, attrs any)

// Put writes a key whose present revision is expect, 0 meaning that it does not
// exist. It returns a *ConflictError when it is another.
func (s *Store) Put(bucket, key string, expect int64, build Build) (*Event, error) {
	return s.write(bucket, key, expect, build, false)
}

// Delete ends a key whose present revision is expect. The value that build
// makes is the key's last state, which watchers are told. It returns a
// *ConflictError when the key is at another revision or does not exist.
func (s *Store) Delete(bucket, key string, expect int64, build Build) (*Event, error) {
	return s.write(bucket, key, expect, build, true)
}

func (s *Store) write(bucket, key string, expect int64, build Build, deletion bool) (*Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.bucket(bucket)
	h, _ := b.keys.Get(&history{key: key})
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
	rev := s.head + 1
	value, attrs := build(rev)
	created := rev
	if current != nil {
		created = current.Created
	}
	e := &Event{
		Version: &Version{Revision: rev, Created: created, Deleted: deletion, Value: value, Attrs: attrs},
		Bucket:  bucket, Key: key, Time: s.time(), Prev: current,
	}
	s.apply(b, h, e)
	if s.commit != nil {
		s.commit(e)
	}
	return e, nil
}

// time is the time of the next event: never before that of the last one, also
// when the host's clock is set back. Callers hold the lock.
func (s *Store) time() time.Time {
	now := s.now()
	if n := len(s.all.events); n > 0 && now.Before(s.all.events[n-1].Time) {
		return s.all.events[n-1].Time
	}
	return now
}

// apply makes an event part of the store. Callers hold the lock.
func (s *Store) apply(b *bucket, h *history, e *Event) {
	if h == nil {
		h = &history{key: e.Key}
		b.keys.ReplaceOrInsert(h)
	}
	h.add(e)
	s.head, b.changed = e.Revision, e.Revision
	s.bytes += int64(len(e.Value))
	if e.Prev != nil {
		s.superseded += int64(len(e.Prev.Value))
	}
	if e.Deleted {
		s.superseded += int64(len(e.Value))
	}
	s.all.add(e)
	b.feed.add(e)
	if g, ok := groupOf(e.Key); ok {
		b.group(g).add(e)
	}
	b.names[e.Key].wake()
}

func (s *Store) bucket(name string) *bucket {
	b := s.buckets[name]
	if b == nil {
		b = &bucket{
			keys:   btree.NewG(degree, historyLess),
			feed:   feed{watchers: watcherSet{}},
			groups: map[string]*feed{},
			names:  map[string]watcherSet{},
		}
		s.buckets[name] = b
	}
	return b
}

func (b *bucket) group(name string) *feed {
	f := b.groups[name]
	if f == nil {
		f = &feed{watchers: watcherSet{}}
		b.groups[name] = f
	}
	return f
}

// groupOf returns the part of a key up to and with its first slash.
func groupOf(key string) (string, bool) {
	i := strings.IndexByte(key, '/')
	return key[:i+1], i >= 0
}
