package core

import (
	"errors"

	"github.com/tabernetes/tabernetes/core/internal/persist"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

// Fork returns a cluster that begins as a copy of this one: with its objects, its revisions and their history, its
// time and the settings of its ControlPlane, and what its watch caches remember. From then on each goes its own way,
// with its own clock, controllers and caches; its streams stay with it. The copy has another identity, and accepts
// the tokens that this cluster accepts.
//
// The options are as for New, except that the settings that they give a new cluster do not matter, and that there is no
// Storage. The Rand should bring other values than this cluster's.
//
// A Fork costs about as much as the parts of a cluster, whatever the number of its objects, since the two share what
// neither has changed: see mvcc.Store.Fork. Only extensions look at all of them. It may be called at any time, by
// several goroutines too.
func (c *Cluster) Fork(o Options) (*Cluster, error) {
	if o.Storage != nil {
		return nil, errors.New("core: a fork has no Storage")
	}
	f, err := prepare(o)
	if err != nil {
		return nil, err
	}
	i, err := f.assemble(f.options.Rand, f.options.Clock)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	from, closed := c.current.Load(), c.closed
	c.mu.Unlock()
	switch {
	case closed:
		return nil, errClosed
	case from.follows || i.follows:
		return nil, errors.New("core: a cluster that follows another one cannot be forked")
	}
	if err := i.fork(from); err != nil {
		return nil, err
	}
	f.install(i)
	return f, nil
}

// fork makes an instance whose store is empty a copy of another one.
func (i *instance) fork(from *instance) (err error) {
	if i.header, err = persist.NewHeader(i.cluster.options.Rand); err != nil {
		return err
	}
	i.forked, i.header.Secret, i.header.Recording = true, from.header.Secret, from.header.Recording
	var events []*mvcc.Event
	i.store.Fork(from.store, func() {
		i.clock.Set(from.clock.Now())
		// That clock may show an earlier time than it did: read in a bubble of testing/synctest, it is the bubble's.
		if last, ok := i.store.TimeAfter(i.store.Status().Head - 1); ok {
			i.clock.NotBefore(last)
		}
		i.custom.Fork(from.custom)
		i.registry.Replicas.Fork(from.registry.Replicas)
		i.allocations.Fork(from.allocations)
		i.plane.Fork(from.plane)
		i.history.Fork(from.history)
		i.access.Fork(from.access)
	})
	if len(i.added) > 0 {
		if events, _, err = i.store.Events(0); err != nil {
			return err
		}
	}
	for _, e := range events {
		value := e.Value
		if e.Deleted {
			value = nil
		}
		i.added.Observe(e.Bucket, e.Key, value, e.Revision)
	}
	i.policies.Enable()
	i.webhooks.Enable()
	return nil
}
