package registry

import (
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
)

// The types of watch events.
const (
	Added    = "ADDED"
	Modified = "MODIFIED"
	Deleted  = "DELETED"
	Bookmark = "BOOKMARK"
	Error    = "ERROR"
)

// InitialEventsEnd is the annotation, "true", of the bookmark after the initial events.
const InitialEventsEnd = "k8s.io/initial-events-end"

// WatchEvent is one event of a watch: its type and its object's bytes.
type WatchEvent struct {
	Type   string
	Object []byte
	// commit is the event of the store; nil for events of one watcher only.
	commit *mvcc.Event
	made   memoKey
}

// A memoKey identifies the form of a memo: watches in different versions, and those whose selectors
// an object leaves, get different objects.
type memoKey struct {
	resource *schema.Resource
	leaves   bool
	key      any
}

// Memo returns the bytes that build makes from the event's object, made once for all watchers with
// the same object and key.
func (e WatchEvent) Memo(key any, build func() []byte) []byte {
	if e.commit == nil {
		return build()
	}
	e.made.key = key
	return e.commit.Memo(e.made, build)
}

// Time returns the time of the event's commit, zero if it has none.
func (e WatchEvent) Time() time.Time {
	if e.commit == nil {
		return time.Time{}
	}
	return e.commit.Time
}
