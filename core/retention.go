package core

import (
	"cmp"
	"context"
	"runtime"
	"time"
)

const (
	// retentionStep is how often the horizon is moved.
	retentionStep = 10 * time.Second
	// maxEvents and maxBytes guard the memory that history takes when much happens
	// within the retention: it is then shorter.
	maxEvents = 200_000
	maxBytes  = 256 << 20
)

// retain compacts what is older than the retention, as the real server does to
// etcd every five minutes.
func (i *instance) retain() {
	for i.sleep(min(retentionStep, i.spec.Load().retention)) {
		i.forget()
	}
}

// forget moves the horizon to where the retention and the guards want it, and lets go of what
// caches keep beyond it once that is old enough, or too much.
func (i *instance) forget() {
	now, limit := i.clock.Now(), min(maxBytes, i.cluster.options.quota()/2)
	rev := i.store.RevisionAt(now.Add(-i.spec.Load().retention))
	most := i.store.RevisionOfLast(maxEvents) // what is not above it goes, whoever keeps it
	if at := i.store.Status(); at.Superseded > limit {
		i.store.Trim(at.Compacted)
		if at = i.store.Status(); at.Superseded > limit {
			most = max(most, i.store.RevisionOfLast(at.Events/2))
		}
	}
	if rev = max(rev, most); rev > i.store.Status().Compacted {
		i.compact(rev)
	}
	i.store.Trim(most)
}

// compact moves the horizon to rev and records it.
func (i *instance) compact(rev int64) error {
	if err := i.store.Compact(rev); err != nil {
		return err
	}
	if i.log != nil {
		at := i.store.Status()
		i.log.AppendPosition(at.Head, at.Compacted)
	}
	return nil
}

// reclaim forgets the older half of the history, to make room for a write that the quota
// does not allow, and reports whether that gave any. Half of it, so that watches which
// are a little behind can go on.
func (i *instance) reclaim(ctx context.Context) bool {
	// What is being written becomes history only once it is durable.
	_ = i.store.Settle(ctx) // its writers hear of an error
	runtime.Gosched()       // to the watches, which may have been waiting for just that
	before := i.store.Status()
	i.store.Trim(before.Compacted) // what caches keep of the history is the first to go
	if i.store.Status().Size < before.Size {
		return true
	}
	for rev := before.Compacted; rev < before.Head; {
		rev = max(rev+1, i.store.RevisionOfLast(i.store.Status().Events/2))
		if i.compact(rev) != nil {
			return false
		}
		i.store.Trim(rev)
		if i.store.Status().Size < before.Size {
			return true
		}
	}
	return false
}

// DefaultQuota is how much memory the objects and their history may take, in bytes, as
// etcd's is.
const DefaultQuota = 2 << 30

func (o *Options) quota() int64 { return cmp.Or(o.Quota, DefaultQuota) }
