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
	"errors"
	"runtime"
	"sync"
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
	// Caches need events beyond the horizon. It may be nil.
	Caches Caches

	// compacting is held from a compaction until the caches know of it: who finds that all is compacted may count on
	// that.
	compacting sync.Mutex
	retention  atomic.Int64
	// begun is when the retention was first set, from which on its intervals are counted.
	begun atomic.Pointer[time.Time]
}

// Caches are what keeps events that etcd has compacted.
type Caches interface {
	// Compacted says that etcd was compacted as API servers do it, at the time due.
	Compacted(rev int64, due time.Time)
	// Forget drops what was kept from before a revision.
	Forget(rev int64)
}

// SetRetention sets the interval of compactions: each drops what was replaced before the last one, so
// that a revision can be read for one to two intervals after it was replaced.
func (k *Keeper) SetRetention(d time.Duration) {
	k.retention.Store(int64(d))
	if k.begun.Load() == nil {
		now := k.Clock.Now()
		k.begun.Store(&now)
	}
}

// Retention returns the interval of compactions.
func (k *Keeper) Retention() time.Duration { return time.Duration(k.retention.Load()) }

// Run compacts what is older than the retention, as the real server does with etcd every five
// minutes, until the context ends.
func (k *Keeper) Run(ctx context.Context) {
	for k.sleep(ctx, min(step, k.Retention())) {
		k.CompactOld()
	}
}

// sleep waits for d of the cluster's time, or until the next compaction is due; false if the context
// ends first.
func (k *Keeper) sleep(ctx context.Context, d time.Duration) bool {
	now := k.Clock.Now()
	timer := k.Clock.NewTimer(min(d, k.lastDue(now).Add(k.Retention()).Sub(now)))
	defer timer.Stop()
	select {
	case <-timer.C():
		return true
	case <-ctx.Done():
		return false
	}
}

// lastDue returns when the last compaction was due.
func (k *Keeper) lastDue(now time.Time) time.Time {
	begun, d := *k.begun.Load(), k.Retention()
	return begun.Add(now.Sub(begun) / d * d)
}

// CompactOld compacts the history as the retention and the limits require. What caches keep beyond the
// horizon is dropped if the limits require it.
func (k *Keeper) CompactOld() {
	k.compacting.Lock()
	defer k.compacting.Unlock()
	last := k.lastDue(k.Clock.Now())
	all := []time.Time{last}
	// After a jump of the clock the one before the last is due as well: API servers may not have looked up the last.
	if before := last.Add(-k.Retention()); before.Add(-k.Retention()).After(*k.begun.Load()) {
		all = []time.Time{before, last}
	}
	for _, due := range all {
		if rev := k.Store.RevisionAt(due.Add(-k.Retention())); rev > k.Store.Status().Compacted {
			if k.Compact(rev) == nil && k.Caches != nil { // it fails only if the history was compacted further meanwhile
				k.Caches.Compacted(rev, due)
			}
		}
	}
	limit := min(MaxBytes, k.Quota/2)
	most := k.Store.RevisionOfLast(maxEvents) // older history is dropped, even if a client still needs it
	if at := k.Store.Status(); at.Superseded > limit {
		k.forget(at.Compacted)
		if at = k.Store.Status(); at.Superseded > limit {
			most = max(most, k.Store.RevisionOfLast(at.Events/2))
		}
	}
	if most > k.Store.Status().Compacted {
		_ = k.Drop(most)
	}
}

// forget drops what caches keep from before a revision.
func (k *Keeper) forget(rev int64) {
	if k.Caches != nil {
		k.Caches.Forget(rev)
	}
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

// Drop compacts the history to rev, and makes the caches forget what was before, too.
func (k *Keeper) Drop(rev int64) error {
	err := k.Compact(rev)
	if err == nil || errors.Is(err, mvcc.ErrCompacted) {
		k.forget(rev)
	}
	return err
}

// Reclaim compacts the older half of the history, to make room for a write that the quota does not
// allow, and reports whether that freed any. Only half of it, so that watches which are slightly
// behind can continue.
func (k *Keeper) Reclaim(ctx context.Context) bool {
	// A write becomes history only once it is durable.
	_ = k.Store.Settle(ctx, k.Store.Discards()) // its writers get an error
	runtime.Gosched()                           // so that watches see it, which may have waited for it
	before := k.Store.Status()
	k.forget(before.Compacted) // the events that caches keep are dropped first
	if k.Store.Status().Size < before.Size {
		return true
	}
	for rev := before.Compacted; rev < before.Head; {
		rev = max(rev+1, k.Store.RevisionOfLast(k.Store.Status().Events/2))
		if k.Drop(rev) != nil {
			return false
		}
		if k.Store.Status().Size < before.Size {
			return true
		}
	}
	return false
}
