package registry

import (
	"context"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
)

// Some writes may go beyond the store's quota, since they are needed to free space: deletions with
// all their steps, and updates that make an object smaller, such as the removal of a finalizer or
// of an owner reference.

// endingGrowth is the maximum growth of an object by an update while it is being deleted, in bytes:
// removing a finalizer may come with a status, and with an entry in managedFields.
const endingGrowth = 1 << 10

// makesRoom reports whether an update, which leaves size bytes, may go beyond the quota.
func makesRoom(obj map[string]any, size int, over *mvcc.Version) bool {
	switch {
	case over == nil:
		return false
	case object.DeletionTimestamp(obj) != "":
		return size <= len(over.Value)+endingGrowth
	}
	return size < len(over.Value)
}

// keepWithin compacts history if writes beyond the quota exceed it by more than allowed: a deletion
// leaves the last state of the object in the history.
func (r *Registry) keepWithin(ctx context.Context) {
	if r.Reclaim != nil && r.Store.Room() < 0 {
		r.Reclaim(ctx)
	}
}
