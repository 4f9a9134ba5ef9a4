package mvcc

import (
	"errors"
	"fmt"
)

var (
	// ErrCompacted is returned for a revision below the compaction horizon.
	ErrCompacted = errors.New("mvcc: required revision has been compacted")
	// ErrFuture is returned for a revision above the head.
	ErrFuture = errors.New("mvcc: required revision is a future revision")
	// ErrNoSpace is returned for a write that would exceed the quota. The text is etcd's, which clients
	// of a real server get to see.
	ErrNoSpace = errors.New("etcdserver: mvcc: database space exceeded")

	errPending = errors.New("mvcc: not committed yet")
)

// ConflictError is returned by a write that expected another current revision of the key. Nothing
// was written.
type ConflictError struct {
	// Current is the current version of the key, or nil if it does not exist.
	Current *Version
}

func (e *ConflictError) Error() string {
	if e.Current == nil {
		return "mvcc: the key does not exist"
	}
	return fmt.Sprintf("mvcc: the key is at revision %d", e.Current.Revision)
}
