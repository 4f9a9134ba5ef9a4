package registry

import (
	"context"
	"errors"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
)

// Purge removes namespaces and everything in them from the store, like someone who deletes the keys
// in etcd by their prefix: finalizers, grace periods and admission are ignored. Each object gets
// its own deletion event. A namespace is deleted before its content, so that nothing is created
// in it meanwhile. Missing namespaces are skipped.
func (r *Registry) Purge(ctx context.Context, namespaces []string, o WriteOptions) error {
	if o.DryRun {
		return nil
	}
	r.begin(ctx, &o)
	bucket := r.Table.Resource("", "v1", "namespaces").Bucket()
	var err error
	for _, name := range namespaces {
		if err = r.erase(ctx, mvcc.Location{Bucket: bucket, Key: name}, o); err == nil {
			err = r.eraseGroup(ctx, name+"/", o)
		}
		if err != nil {
			break
		}
	}
	return r.settle(ctx, o, err)
}

// eraseGroup removes the content of a namespace, including objects whose creation was pending while
// it still existed.
func (r *Registry) eraseGroup(ctx context.Context, group string, o WriteOptions) error {
	for {
		discards := r.Store.Discards()
		places := r.Store.Group(group)
		for _, p := range places {
			r.MaybeYield()
			if err := r.erase(ctx, p, o); err != nil {
				return err
			}
		}
		if len(places) == 0 {
			return nil
		}
		if err := r.Store.Settle(ctx, discards); err != nil { // from now on nobody sees the namespace
			return err
		}
	}
}

// erase deletes the key at a location, if it exists.
func (r *Registry) erase(ctx context.Context, p mvcc.Location, o WriteOptions) error {
	for {
		v := r.Store.Latest(p.Bucket, p.Key)
		if v == nil {
			return nil
		}
		if err := r.writable(); err != nil {
			return err
		}
		if err := r.between(ctx); err != nil {
			return err
		}
		r.keepWithin(ctx)
		e, err := r.writer(ctx, o).Delete(p.Bucket, p.Key, v.Revision, r.last(p, v))
		var conflict *mvcc.ConflictError
		switch {
		case err == nil:
			o.note(e)
			if row := r.ResourceOf(p.Bucket); row != nil && kinds.Of(row).Addresses != nil {
				r.unclaim(ctx, r.addressesOf(Target{Resource: row}, decodeBuiltin(row, v.Value)), o)
			}
			return nil
		case !errors.As(err, &conflict):
			return r.refused(err)
		}
	}
}

// last returns the last state of an object, at the deletion's own revision.
func (r *Registry) last(p mvcc.Location, v *mvcc.Version) mvcc.Build {
	row := r.ResourceOf(p.Bucket)
	if row == nil { // of a definition that is gone: no watch can see it
		return func(int64) ([]byte, any) { return v.Value, v.Attrs }
	}
	obj := verbatim(row.Storage(), decode(row.Storage().Type(), v.Value))
	return func(rev int64) ([]byte, any) {
		setRevision(obj, rev)
		return object.Encode(nil, obj, row.Storage().Type()), v.Attrs
	}
}

// Erase removes objects from the store as Purge does, in their order. Those that are gone are skipped. It
// returns how many were removed; in a dry run, how many would be.
func (r *Registry) Erase(ctx context.Context, places []mvcc.Location, o WriteOptions) (removed int, err error) {
	r.begin(ctx, &o)
	for _, p := range places {
		v := r.Store.Latest(p.Bucket, p.Key)
		if v == nil {
			continue
		}
		r.MaybeYield()
		if !o.DryRun {
			if err = r.erase(ctx, p, o); err != nil {
				break
			}
		}
		removed++
	}
	return removed, r.settle(ctx, o, err)
}
