package core

import "time"

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

// forget moves the horizon to where the retention and the guards want it.
func (i *instance) forget() {
	now := i.clock.Now()
	rev := i.store.RevisionAt(now.Add(-i.spec.Load().retention))
	rev = max(rev, i.store.RevisionOfLast(maxEvents))
	if at := i.store.Status(); at.Superseded > maxBytes {
		rev = max(rev, i.store.RevisionOfLast(at.Events/2))
	}
	if rev > i.store.Status().Compacted {
		i.compact(rev)
	}
}

// compact moves the horizon to rev and records it.
func (i *instance) compact(rev int64) error {
	if err := i.store.Compact(rev); err != nil {
		return err
	}
	if i.log != nil {
		at := i.store.Status()
		i.log.AddPosition(at.Head, at.Compacted)
	}
	return nil
}
