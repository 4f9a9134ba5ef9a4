package registry

import (
	"context"
	"errors"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// Some writes may go beyond the store's quota, since they are needed to free space: deletions with
// all their steps, and updates that make an object smaller, such as the removal of a finalizer or
// of an owner reference.
//
// Only the steps of a deletion that the server makes itself may make an object larger: a deletion adds
// its time, an eviction its condition. What a client sends never does. So an object that is being
// deleted loses a finalizer beyond the quota without an entry about that in managedFields: see lean.
//
// Beyond the quota history is compacted first, as far as needed: the store is then at most one version
// beyond the larger of its quota and what is present.

// store commits an object over the version that the key is expected to have, nil for none. If the
// quota does not allow it, and no history is left that could be compacted, it goes beyond that if it
// may.
func (r *Registry) store(ctx context.Context, t Target, obj map[string]any, over *mvcc.Version,
	o WriteOptions) (*mvcc.Event, error) {
	size := 0
	made, err := r.build(ctx, t, obj, over)
	if err != nil {
		return nil, err
	}
	build := func(rev int64) (value []byte, attrs any) {
		value, attrs = made(rev)
		size = len(value)
		return value, attrs
	}
	w, expect := r.writer(ctx, o), int64(0)
	if over != nil {
		expect = over.Revision
	}
	e, err := r.reclaiming(ctx, func() (*mvcc.Event, error) {
		return w.Put(t.bucket(), t.key(object.Name(obj)), expect, build)
	})
	if ofQuota(err) && (o.frees || over != nil && size < len(over.Value)) {
		e, err = r.reclaiming(ctx, func() (*mvcc.Event, error) {
			return w.PutBeyondQuota(t.bucket(), t.key(object.Name(obj)), expect, build)
		})
	}
	return e, err
}

// reclaiming makes a write, for which it compacts history as long as there is no space.
func (r *Registry) reclaiming(ctx context.Context, write func() (*mvcc.Event, error)) (*mvcc.Event, error) {
	e, err := write()
	for errors.Is(err, mvcc.ErrNoSpace) && r.Reclaim != nil && r.Reclaim(ctx) {
		e, err = write()
	}
	return e, err
}

// lean returns an object that is being deleted and loses a finalizer as it can be stored without space:
// with the managedFields that it had. It is nil for any other object.
func lean(ctx context.Context, t Target, obj map[string]any, over *mvcc.Version) map[string]any {
	if over == nil || object.DeletionTimestamp(obj) == "" {
		return nil
	}
	old, err := decodeAs(ctx, t.Resource, over.Value)
	if err != nil || finalizers(obj) >= finalizers(old) {
		return nil
	}
	obj = object.DeepCopy(obj)
	delete(object.Meta(obj), "managedFields")
	if had, ok := object.Meta(old)["managedFields"]; ok {
		object.Meta(obj)["managedFields"] = had
	}
	return obj
}

// finalizers returns how many finalizers an object has, with those of a namespace's spec.
func finalizers(obj map[string]any) int {
	return len(object.Finalizers(obj)) + len(object.GetList(obj, "spec", "finalizers"))
}

// keepWithin compacts history if writes beyond the quota exceed it: a deletion leaves the last state of
// the object in the history.
func (r *Registry) keepWithin(ctx context.Context) {
	for r.Reclaim != nil && r.Store.Left() < 0 && r.Reclaim(ctx) {
		continue
	}
}

// ofQuota reports whether the store has refused a write that it may accept beyond the quota.
func ofQuota(err error) bool {
	if err == nil {
		return false
	}
	var said *status.Error
	return errors.Is(err, mvcc.ErrNoSpace) || errors.As(err, &said)
}

// wouldRefuse returns the error with which the store's guard would refuse what a dry run does not write.
func (r *Registry) wouldRefuse(ctx context.Context, t Target, obj map[string]any, over *mvcc.Version,
	o WriteOptions) error {
	if !r.Store.Guarded() {
		return nil
	}
	err := r.check(ctx, t, obj, o)
	if ofQuota(err) {
		if lean := lean(ctx, t, obj, over); lean != nil {
			return r.check(ctx, t, lean, o)
		}
	}
	return err
}

// check returns the error with which the store's guard would refuse an object.
func (r *Registry) check(ctx context.Context, t Target, obj map[string]any, o WriteOptions) error {
	key, stored := t.key(object.Name(obj)), t.Storage()
	if stored != t.Resource {
		obj = object.DeepCopy(obj)
		if err := kinds.Convert(ctx, obj, t.Resource, stored); err != nil {
			return err
		}
	}
	return r.writer(ctx, o).Check(t.bucket(), key, object.Encode(nil, obj, stored.Type()), false, o.frees)
}
