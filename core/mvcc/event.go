package mvcc

import (
	"sync/atomic"
	"time"
)

// Version is the value of a key from one revision to the next. It is immutable.
type Version struct {
	// Revision is the revision that wrote this version.
	Revision int64
	// Created is the revision at which the key was created, after its last deletion.
	Created int64
	// Deleted marks a deletion. Value then holds the last state, as the deletion left it.
	Deleted bool
	// Value is the stored bytes. Callers must not write to them.
	Value []byte
	// Attrs are derived from the value by the writer (labels, say), so that readers can filter without
	// decoding.
	Attrs any
	// Author is who wrote this version; nil if that was not said.
	Author *Author
	// Owners are those of the key since this version; nil: it has none.
	Owners *Owners
}

// An Author is who made a write: a user, and the program or the field manager by which it was made.
// Each may be empty.
type Author struct {
	User, Manager string
	// Request is the client's own ID of the request, for as long as the process runs: it is not stored.
	Request string
}

// Stored returns the Author as it is stored; nil if nothing of it is.
func (a *Author) Stored() *Author {
	switch {
	case a == nil || a.User == "" && a.Manager == "":
		return nil
	case a.Request == "":
		return a
	}
	return &Author{User: a.User, Manager: a.Manager}
}

// Event is one write. Once it is committed it is immutable and shared by all its readers.
type Event struct {
	*Version
	Bucket, Key string
	// Time is the time of the commit, by the store's clock.
	Time time.Time
	// Prev is the version it replaced; nil if the key did not exist.
	Prev *Version

	// outcome is errPending until the event is committed, then nil, or the reason why it was discarded.
	// The store's lock guards it.
	outcome error
	memos   atomic.Pointer[memo]
}

// A memo is a cached encoding of an event, in a list that only grows at its front.
type memo struct {
	key   any
	bytes []byte
	next  *memo
	size  int // of its bytes and those of all behind it
}

// maxMemos and maxMemo limit the memos of an event: their number, and the bytes of each. Together they take no
// more than twice what the event does, or minMemos: a quota counts events, and so bounds their memos.
const (
	maxMemos = 8
	maxMemo  = 32 << 10
	minMemos = 2 << 10
)

// Memo returns the bytes that build makes from the event, built at most once (or a few times, when
// readers race) for all its watchers with the same key, which identifies what is built. The bytes
// live as long as the event, if they are few and small: beyond the limits they are not kept.
func (e *Event) Memo(key any, build func() []byte) []byte {
	if m, _ := find(e.memos.Load(), key); m != nil {
		return m.bytes
	}
	b := build()
	most := minMemos
	if e.Version != nil {
		most = max(most, 2*(VersionCost+len(e.Value)))
	}
	for {
		front := e.memos.Load()
		m, n := find(front, key)
		size := len(b)
		if front != nil {
			size += front.size
		}
		switch {
		case m != nil:
			return m.bytes
		case n == maxMemos, len(b) > maxMemo, size > most, e.memos.CompareAndSwap(front, &memo{key, b, front, size}):
			return b
		}
	}
}

// find returns the memo of a key, or nil, and the number of memos.
func find(m *memo, key any) (found *memo, n int) {
	for ; m != nil; m = m.next {
		if m.key == key {
			return m, n
		}
		n++
	}
	return nil, n
}

// withoutPrev returns the event as the base of a compacted history: the version it replaced is not
// accessible any more, so it must not be kept alive.
func (e *Event) withoutPrev() *Event {
	if e.Prev == nil {
		return e
	}
	return &Event{Version: e.Version, Bucket: e.Bucket, Key: e.Key, Time: e.Time}
}
