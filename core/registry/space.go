package registry

import (
	"context"
	"errors"

	"github.com/tabernetes/tabernetes/core/kinds"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// Some writes may go beyond the store's quota, since they are needed to free space: deletions with
// all their steps, and updates that make an object smaller, such as the removal of a finalizer or
// of an owner reference.

// endingGrowth is the maximum growth of an object that is being deleted by an update that removes a
// finalizer, in bytes: it may come with a status, and with an entry in managedFields.
const endingGrowth = 1 << 10

// freesSpace reports whether an update, which leaves size bytes, may go beyond the quota.
func freesSpace(obj map[string]any, t Target, size int, over *mvcc.Version) bool {
	switch {
	case over == nil:
		return false
	case size < len(over.Value):
		return true
	}
	return object.DeletionTimestamp(obj) != "" && size <= len(over.Value)+endingGrowth &&
		finalizers(obj) < finalizers(decodeAs(t.Resource, over.Value))
}

// finalizers returns how many finalizers an object has, with those of a namespace's spec.
func finalizers(obj map[string]any) int {
	return len(object.Finalizers(obj)) + len(object.GetList(obj, "spec", "finalizers"))
}

// keepWithin compacts history if writes beyond the quota exceed it by more than allowed: a deletion
// leaves the last state of the object in the history.
func (r *Registry) keepWithin(ctx context.Context) {
	if r.Reclaim != nil && r.Store.Left() < 0 {
		r.Reclaim(ctx)
	}
}

// ofQuota reports whether the store has refused a write that it may accept beyond the quota.
func ofQuota(err error) bool {
	var said *status.Error
	return errors.Is(err, mvcc.ErrNoSpace) || errors.As(err, &said)
}

// wouldRefuse returns the error with which the store's guard would refuse what a dry run does not write.
func (r *Registry) wouldRefuse(ctx context.Context, t Target, key string, obj map[string]any, over *mvcc.Version,
	o WriteOptions) error {
	if !r.Store.Guarded() {
		return nil
	}
	stored := t.Storage()
	if stored != t.Resource {
		obj = object.DeepCopy(obj)
		kinds.Convert(obj, t.Resource, stored)
	}
	value := object.Encode(nil, obj, stored.Type())
	frees := o.frees || freesSpace(obj, t, len(value), over)
	return r.writer(ctx, o).Check(t.bucket(), key, value, false, frees)
}
