// Package history compacts the history of a cluster: revisions older than the retention, or beyond
// the limits, and when a write needs space.
//
// Invariants: the current state is never compacted. A new horizon is in the log before anything
// that is written after it.
//
// A check without anything to compact costs almost nothing.
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

// MaxBytes limits the memory of the history; if there are many writes, the effective retention is
// shorter.
const MaxBytes = 256 << 20

const (
	// step is the interval between compactions.
	step = 10 * time.Second
	// maxEvents limits the number of events in the history.
	maxEvents = 200_000
)

// A Keeper keeps the history of a store within its limits. Set its fields before use.
type Keeper struct {
	Store *mvcc.Store
	// Clock is the cluster's.
	Clock clock.Clock
	// Quota limits the memory of the objects and their history, in bytes.
	Quota int64
	// Log records the horizon. It may be nil.
	Log *journal.Log

	retention atomic.Int64
}

// SetRetention sets how long revisions can be read after they were replaced.
func (k *Keeper) SetRetention(d time.Duration) { k.retention.Store(int64(d)) }

// Retention returns how long revisions can be read after they were replaced.
func (k *Keeper) Retention() time.Duration { return time.Duration(k.retention.Load()) }

// Run compacts revisions older than the retention, as the real server does with etcd every five
// minutes, until the context ends.
func (k *Keeper) Run(ctx context.Context) {
	for k.sleep(ctx, min(step, k.Retention())) {
		k.CompactOld()
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

// CompactOld compacts the history as the retention and the limits require, and trims the events that
// caches keep beyond the horizon.
func (k *Keeper) CompactOld() {
	now, limit := k.Clock.Now(), min(MaxBytes, k.Quota/2)
	rev := k.Store.RevisionAt(now.Add(-k.Retention()))
	most := k.Store.RevisionOfLast(maxEvents) // older history is compacted, even if a client still needs it
	if at := k.Store.Status(); at.Superseded > limit {
		k.Store.Trim(at.Compacted)
		if at = k.Store.Status(); at.Superseded > limit {
			most = max(most, k.Store.RevisionOfLast(at.Events/2))
		}
	}
	if rev = max(rev, most); rev > k.Store.Status().Compacted {
		_ = k.Compact(rev) // which fails only if the history was compacted further meanwhile
	}
	k.Store.Trim(most)
}

// Compact compacts the history to rev and records that.
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

// Reclaim compacts the older half of the history, to make room for a write that the quota does not
// allow, and reports whether that freed any. Only half of it, so that watches which are slightly
// behind can continue.
func (k *Keeper) Reclaim(ctx context.Context) bool {
	// A write becomes history only once it is durable.
	_ = k.Store.Settle(ctx, k.Store.Discards()) // its writers get an error
	runtime.Gosched()                           // so that watches see it, which may have waited for it
	before := k.Store.Status()
	k.Store.Trim(before.Compacted) // the events that caches keep are dropped first
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
