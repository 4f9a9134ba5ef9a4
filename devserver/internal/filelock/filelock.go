// Package filelock locks files between processes, so that two of them do not write to one directory at a time.
//
// A lock ends when it is closed, and with its process, however that ends: nothing has to be tidied up after a kill. It
// is held by an open file, not by a process: a second lock of one file in the same process is refused, too. The file
// stays when the lock is closed.
//
// Costs: one system call for each lock; one for each interval while Wait waits.
package filelock

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"
)

// ErrLocked is the error of a lock that somebody else holds.
var ErrLocked = errors.New("locked")

// interval is the time between two tries of Wait.
const interval = 20 * time.Millisecond

// Wait locks a file, which is made if need be, with the directories above it. It waits as long as somebody else holds
// the lock, or until ctx is done, whose error it then returns.
func Wait(ctx context.Context, name string) (io.Closer, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	for {
		lock, err := Lock(name)
		if !errors.Is(err, ErrLocked) {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(interval):
		}
	}
}
