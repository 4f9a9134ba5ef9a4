package mvcc

import (
	"sync/atomic"
	"time"
)

// Version is the value of a key from one revision to the next. It is immutable.
type Version struct {
	// Revision is the revision that wrote this version.
	Revision int64
	// Created is the revision at which the key came into its present life.
	Created int64
	// Deleted marks the end of the key. Value then holds its last state, as the
	// deletion left it.
	Deleted bool
	// Value is the stored bytes. Callers must not write to them.
	Value []byte
	// Attrs is what the writer derived from the value (labels, say), so that
	// readers can filter without decoding.
	Attrs any
}

// Event is one committed write. It is immutable and shared by all its readers.
type Event struct {
	*Version
	Bucket, Key string
	// Time is when it was committed, by the store's clock.
	Time time.Time
	// Prev is the version it replaced; nil if the key did not exist.
	Prev *Version

	memo atomic.Pointer[[]byte]
}

// Memo returns the bytes that build makes of the event, built at most once (or
// a few times, when readers race) for all its watchers. There is one slot: all
// callers must build the same thing.
func (e *Event) Memo(build func() []byte) []byte {
	if p := e.memo.Load(); p != nil {
		return *p
	}
	b := build()
	e.memo.Store(&b)
	return b
}

// withoutPrev is the event as the base of a compacted history: the version it
// replaced can no longer be asked for, so it must not be kept alive.
func (e *Event) withoutPrev() *Event {
	if e.Prev == nil {
		return e
	}
	return &Event{Version: e.Version, Bucket: e.Bucket, Key: e.Key, Time: e.Time}
}
