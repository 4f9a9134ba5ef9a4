package registry

import (
	"context"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
)

// Beyond the store's quota go the writes without which nobody could get out of a full
// store: deletions with all their steps, and updates that leave less than there was. Who
// removes a finalizer, or the reference to an owner, writes such an update.

// endingGrowth is how much an object may grow by an update while it is being deleted, in
// bytes: who removes a finalizer may say in the status what was done, and becomes the
// manager of some fields.
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

// keepWithin forgets history if writes beyond the quota amount to more than it
// allows: a deletion leaves the last state of what it deletes there.
func (r *Registry) keepWithin(ctx context.Context) {
	if r.Reclaim != nil && r.Store.Room() < 0 {
		r.Reclaim(ctx)
	}
}
