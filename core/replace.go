package core

import (
	"errors"
	"io"

	"github.com/tabernetes/tabernetes/core/controlplane"
	"github.com/tabernetes/tabernetes/core/internal/bootstrap"
	"github.com/tabernetes/tabernetes/core/internal/persist"
	"github.com/tabernetes/tabernetes/core/registry"
)

// The reasons why the streams of an instance end.
var (
	errReset  = errors.New("another cluster takes the place of this one")
	errUndone = errors.New("the cluster is restored to its saved state")
	errClosed = errors.New("the cluster was closed")
)

// A position is a cluster's identity and its head revision.
type position struct {
	uid  string
	head int64
}

// replace puts another instance in the place of the current one, whose streams end. If the new one
// cannot be saved, the current one stays.
func (c *Cluster) replace(make func() (*instance, error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errClosed
	}
	next, err := make()
	if err != nil {
		return err
	}
	old := c.current.Load()
	err = old.storage.Handover(func() error {
		if err := c.chooseIdentity(next, old); err != nil {
			return err
		}
		for _, row := range next.added.Lasting() { // old commits nothing meanwhile
			if err := bootstrap.TakeOver(next.ctx, next.registry, old.registry, row); err != nil {
				return err
			}
		}
		if next.saved {
			plane := registry.Target{Resource: controlplane.Resource, Name: "default"}
			err := bootstrap.TakeOverSpec(next.ctx, next.registry, old.registry, plane, next.added.LastingSettings())
			if err != nil {
				return err
			}
		}
		return next.open(0)
	})
	if err != nil {
		return err
	}
	why := errUndone
	if next.header.UID != old.header.UID {
		why, c.last = errReset, old.position()
	}
	c.install(next)
	return old.stop(why)
}

// chooseIdentity decides on the identity of an instance that was loaded from a snapshot, while old commits
// nothing. If the cluster that the snapshot was taken of has committed nothing since, the instance
// keeps its identity, and clients can continue from revisions that they know. Otherwise some
// revisions mean something else now, so the instance gets a new identity.
func (c *Cluster) chooseIdentity(next, old *instance) error {
	if !next.saved {
		return nil
	}
	if at := next.position(); at == old.position() || at == c.last {
		return nil
	}
	recording := next.header.Recording
	var err error
	next.header, err = persist.NewHeader(c.options.Rand)
	next.header.Recording = recording
	return err
}

// replacer implements the acts of the ControlPlane that concern the cluster as a whole.
type replacer struct{ cluster *Cluster }

// Reset starts a new cluster, with seeded randomness if seed is not nil.
func (r replacer) Reset(seeded io.Reader) error {
	c := r.cluster
	if seeded == nil {
		seeded = c.options.Rand
	}
	return c.replace(func() (*instance, error) { return c.newInstance(seeded) })
}

// Load reads a snapshot, and returns a function that replaces the cluster by it.
func (r replacer) Load(snapshot io.Reader) (replace func() error, err error) {
	next, err := r.cluster.loadSnapshot(snapshot)
	if err != nil {
		return nil, err
	}
	return func() error {
		return r.cluster.replace(func() (*instance, error) { return next, nil })
	}, nil
}
