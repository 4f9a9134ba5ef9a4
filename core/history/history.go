// Package history forgets the past of a cluster: what is older than the retention, what is
// too much to be held, and what has to make room for a write.
//
// Invariants: what is present stays. A new horizon is in the log before anything that is
// written after it.
//
// Looking what is to be forgotten costs next to nothing where nothing is.
package history

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

// MaxBytes bounds the memory that the history takes when much happens within the
// retention, which is shorter then.
const MaxBytes = 256 << 20

const (
	// step is how often the horizon is moved.
	step = 10 * time.Second
	// maxEvents bounds the history as MaxBytes does.
	maxEvents = 200_000
)

// A Keeper keeps the history of a store within its bounds. Set its fields before use.
type Keeper struct {
	Store *mvcc.Store
	// Clock is the cluster's.
	Clock clock.Clock
	// Quota is how much memory the objects and their history may take, in bytes.
	Quota int64
	// Log is where the horizon is recorded. Nil: nowhere.
	Log *journal.Log

	retention atomic.Int64
}

// SetRetention says how long revisions can be read after they were replaced.
func (k *Keeper) SetRetention(d time.Duration) { k.retention.Store(int64(d)) }

// Retention returns how long revisions can be read after they were replaced.
func (k *Keeper) Retention() time.Duration { return time.Duration(k.retention.Load()) }

// Run forgets what is older than the retention, as the real server does to etcd every five
// minutes, until the context ends.
func (k *Keeper) Run(ctx context.Context) {
	for k.sleep(ctx, min(step, k.Retention())) {
		k.Forget()
	}
}

// sleep waits for d of the cluster's time; false if the context ends first.
func (k *Keeper) sleep(ctx context.Context, d time.Duration) bool {
	timer := k.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C():
		return true
	case <-ctx.Done():
		return false
	}
}

// Forget moves the horizon to where the retention and the bounds want it, and lets go of what
// caches keep beyond it once that is old enough, or too much.
func (k *Keeper) Forget() {
	now, limit := k.Clock.Now(), min(MaxBytes, k.Quota/2)
	rev := k.Store.RevisionAt(now.Add(-k.Retention()))
	most := k.Store.RevisionOfLast(maxEvents) // older history goes, even if something still needs it
	if at := k.Store.Status(); at.Superseded > limit {
		k.Store.Trim(at.Compacted)
		if at = k.Store.Status(); at.Superseded > limit {
			most = max(most, k.Store.RevisionOfLast(at.Events/2))
		}
	}
	if rev = max(rev, most); rev > k.Store.Status().Compacted {
		_ = k.Compact(rev) // which fails only where somebody has compacted further
	}
	k.Store.Trim(most)
}

// Compact moves the horizon to rev and records it.
func (k *Keeper) Compact(rev int64) error {
	if err := k.Store.Compact(rev); err != nil {
		return err
	}
	if k.Log != nil {
		at := k.Store.Status()
		k.Log.AppendPosition(at.Head, at.Compacted)
	}
	return nil
}

// Reclaim forgets the older half of the history, to make room for a write that the quota
// does not allow, and reports whether that gave any. Half of it, so that watches which
// are a little behind can go on.
func (k *Keeper) Reclaim(ctx context.Context) bool {
	// What is being written becomes history only once it is durable.
	_ = k.Store.Settle(ctx) // its writers hear of an error
	runtime.Gosched()       // to the watches, which may have been waiting for just that
	before := k.Store.Status()
	k.Store.Trim(before.Compacted) // what caches keep of the history is the first to go
	if k.Store.Status().Size < before.Size {
		return true
	}
	for rev := before.Compacted; rev < before.Head; {
		rev = max(rev+1, k.Store.RevisionOfLast(k.Store.Status().Events/2))
		if k.Compact(rev) != nil {
			return false
		}
		k.Store.Trim(rev)
		if k.Store.Status().Size < before.Size {
			return true
		}
	}
	return false
}
