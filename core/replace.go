package core

import (
	"errors"
	"io"

	"github.com/tabernetes/tabernetes/core/persist"
)

// Why the streams of an instance end.
var (
	errReset  = errors.New("another cluster takes the place of this one")
	errUndone = errors.New("the cluster is put back as it was saved")
	errClosed = errors.New("the cluster was closed")
)

// A place is how far a cluster has come.
type place struct {
	uid  string
	head int64
}

// replace puts another instance in the place of the present one, whose streams
// end. If the new one cannot be saved where the old one is, the old one stays.
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
		if err := c.claim(next, old); err != nil {
			return err
		}
		return next.open(0)
	})
	if err != nil {
		return err
	}
	why := errUndone
	if next.header.UID != old.header.UID {
		why, c.last = errReset, old.place()
	}
	c.current.Store(next)
	next.run()
	return old.stop(why)
}

// claim decides which cluster an instance is that was made of a snapshot, while old commits
// nothing. If the cluster that the snapshot was taken of has committed nothing since, it is
// that one, brought back: whoever knows a revision of it can go on from there. Else there are
// revisions that mean something else now, so it is a cluster of its own.
func (c *Cluster) claim(next, old *instance) error {
	if !next.saved {
		return nil
	}
	if at := next.place(); at == old.place() || at == c.last {
		return nil
	}
	var err error
	next.header, err = persist.NewHeader(c.options.Rand)
	return err
}

// replacer is what the acts of the ControlPlane do to the cluster as a whole.
type replacer struct{ cluster *Cluster }

// Reset begins a new cluster, whose randomness is seeded, if that is not nil.
func (r replacer) Reset(seeded io.Reader) error {
	c := r.cluster
	if seeded == nil {
		seeded = c.options.Rand
	}
	return c.replace(func() (*instance, error) { return c.fresh(seeded) })
}

// Load reads a snapshot, and returns what puts it in the place of the cluster.
func (r replacer) Load(snapshot io.Reader) (replace func() error, err error) {
	next, err := r.cluster.readmit(snapshot)
	if err != nil {
		return nil, err
	}
	return func() error {
		return r.cluster.replace(func() (*instance, error) { return next, nil })
	}, nil
}
