package relay

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A Copy applies the lines of a stream to a cluster that has no other writes. Set its fields before
// use.
type Copy struct {
	Registry *registry.Registry
	Clock    *clock.Adjustable
	// Define is given the definitions of custom resources that the member may not read; a nil value
	// means that one was deleted.
	Define func(name string, value []byte)
}

// Apply applies a line between the HELLO and the END. Commits that the copy has already are left
// out.
func (c *Copy) Apply(l *Line) error {
	store := c.Registry.Store
	switch l.Type {
	case Commit:
		if l.Revision > store.Status().Head || store.Status().Head == 1 {
			return c.commit(l)
		}
	case Hidden:
		if l.Revision > store.Status().Head {
			return store.Skip(l.Revision, timeOf(l))
		}
	case Define:
		c.Define(l.Key, l.Object)
	case Synced:
		if err := store.Position(l.Revision, l.Compacted); err != nil {
			return err
		}
		c.Registry.Replicas.Begin(0)
	case Compacted:
		if err := store.Compact(l.Compacted); err != nil && !errors.Is(err, mvcc.ErrCompacted) {
			return err
		}
	case Caches:
		now := registry.Forgotten{Compacted: l.Compacted, Due: timeOf(l)}
		for _, s := range l.Servers {
			now.Begun = append(now.Begun, registry.Begin{Revision: s.Since, Why: s.Why})
		}
		c.Registry.Replicas.Follow(now)
	case Clock:
		return l.Clock.Restore(c.Clock)
	}
	return nil // a Beat, or what a later version sends
}

func (c *Copy) commit(l *Line) error {
	if len(l.Object) == 0 || l.Bucket == "" || l.Key == "" {
		return fmt.Errorf("revision %d has no object", l.Revision)
	}
	row := c.Registry.ResourceOf(l.Bucket)
	if row == nil && !schema.IsCustomBucket(l.Bucket) { // of a later version
		return c.Registry.Store.Skip(l.Revision, timeOf(l))
	}
	attrs, err := registry.Load(row, l.Object)
	if err != nil {
		return fmt.Errorf("revision %d, %s %s: %w", l.Revision, l.Bucket, l.Key, err)
	}
	var author *mvcc.Author
	if a := (mvcc.Author{User: l.User, Manager: l.Manager, Request: l.Request}); a != (mvcc.Author{}) {
		author = &a
	}
	return c.Registry.Store.Follow(mvcc.Record{
		Bucket: l.Bucket, Key: l.Key, Revision: l.Revision, Created: l.Created, Deleted: l.Deleted, Time: timeOf(l),
		Value: bytes.Clone(l.Object), Author: author,
	}, attrs)
}

func timeOf(l *Line) time.Time {
	if l.Time == nil {
		return time.Time{}
	}
	return *l.Time
}
