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

// Event is one write. Once it is committed it is immutable and shared by all its readers.
type Event struct {
	*Version
	Bucket, Key string
	// Time is when it was committed, by the store's clock.
	Time time.Time
	// Prev is the version it replaced; nil if the key did not exist.
	Prev *Version

	// fate is errPending until the event is committed, then nil, or why it was
	// discarded. The store's lock guards it.
	fate  error
	memos atomic.Pointer[memo]
}

// A memo is what was made of an event, in a list that only grows at its front.
type memo struct {
	key   any
	bytes []byte
	next  *memo
}

// maxMemos and maxMemo bound what is kept with an event: how many, and bytes of each.
const (
	maxMemos = 8
	maxMemo  = 32 << 10
)

// Memo returns the bytes that build makes of the event, built at most once (or
// a few times, when readers race) for all its watchers that give the same key,
// which says what is built. What is built lives as long as the event; the things
// that are built of one event should be few and small: above bounds they are not kept.
func (e *Event) Memo(key any, build func() []byte) []byte {
	if m, _ := find(e.memos.Load(), key); m != nil {
		return m.bytes
	}
	b := build()
	for {
		front := e.memos.Load()
		m, n := find(front, key)
		switch {
		case m != nil:
			return m.bytes
		case n == maxMemos, len(b) > maxMemo, e.memos.CompareAndSwap(front, &memo{key, b, front}):
			return b
		}
	}
}

// find returns the memo of a key, nil if there is none, and how many it saw.
func find(m *memo, key any) (found *memo, n int) {
	for ; m != nil; m = m.next {
		if m.key == key {
			return m, n
		}
		n++
	}
	return nil, n
}

// withoutPrev returns the event as the base of a compacted history: the version it
// replaced can no longer be asked for, so it must not be kept alive.
func (e *Event) withoutPrev() *Event {
	if e.Prev == nil {
		return e
	}
	return &Event{Version: e.Version, Bucket: e.Bucket, Key: e.Key, Time: e.Time}
}
