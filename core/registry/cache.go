package registry

import (
	"context"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/status"
)

// freshness is how long a read waits for the cache to reach a version.
const freshness = 3 * time.Second

// Cache is the watch cache of an API server: a position that follows the head
// of the store. What it serves is the store at that position, so it holds no
// data of its own. It does not lag yet, so reading at it is reading the head.
type Cache struct {
	Store *mvcc.Store
	Clock clock.Clock
}

// Revision is the revision up to which the cache knows the store.
func (c Cache) Revision() int64 { return c.Store.Status().Head }

// Await returns once the cache knows rev, or after 3 s with the error that asks
// the client to try again ("Too large resource version").
func (c Cache) Await(ctx context.Context, rev int64) error {
	if c.Revision() >= rev {
		return nil
	}
	timer := c.Clock.NewTimer(freshness)
	defer timer.Stop()
	// A watcher is woken by every commit. What was committed is not read, so it
	// cannot fall behind.
	w, err := c.Store.Watch(mvcc.Scope{}, rev)
	if err != nil {
		return err
	}
	defer w.Close()
	for c.Revision() < rev {
		select {
		case <-w.Ready():
		case <-timer.C():
			return status.NewTooLargeResourceVersion(rev, c.Revision())
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
