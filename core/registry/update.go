package registry

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/managedfields"
	"github.com/tabernetes/tabernetes/core/internal/traces"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

const modified = "the object has been modified; please apply your changes to the latest version and try again"

// A Change makes the object to be stored from the current one. old is nil if none exists; it may
// be changed, unless the options say that it is replaced. A Change may be called again if the
// object was written meanwhile.
type Change func(old map[string]any) (map[string]any, error)

// Replace returns the Change of a PUT. Its uid, if any, is a precondition.
func Replace(t Target, obj map[string]any, o WriteOptions) Change {
	return func(old map[string]any) (map[string]any, error) {
		want := object.UID(obj)
		if have := object.UID(old); want != "" && want != have {
			return nil, preconditionFailed(t, o, "UID", want, have)
		}
		return object.DeepCopy(obj), nil
	}
}

// Update changes an object, or its status if the target says so, and returns its bytes. Types that
// allow it are created by an update of an object that does not exist, but not by a patch
// (mayCreate).
func (r *Registry) Update(ctx context.Context, t Target, change Change, mayCreate bool, o WriteOptions) (value []byte,
	created bool, err error) {
	r.begin(ctx, &o)
	value, created, err = r.update(ctx, t, change, mayCreate, o)
	if err := r.settle(ctx, o, err); err != nil {
		return nil, false, err
	}
	return value, created, nil
}

// update is Update without waiting for durability.
func (r *Registry) update(ctx context.Context, t Target, change Change, mayCreate bool, o WriteOptions) (value []byte,
	created bool, err error) {
	for {
		v := r.Store.Latest(t.bucket(), t.key(t.Name))
		if v == nil {
			if !o.mayCreate && (!mayCreate || !t.CreateOnUpdate || t.Subresource != "") {
				return nil, false, status.NewNotFound(t.GroupResource(), t.Name)
			}
			value, err = r.createByUpdate(ctx, t, change, o)
			if status.Is(err, status.AlreadyExists) && ctx.Err() == nil {
				continue // it was created meanwhile: there is an object to change now
			}
			return value, true, err
		}
		value, err = r.updateOnce(ctx, t, v, change, o)
		var conflict *mvcc.ConflictError
		switch {
		case err == nil:
			return value, false, nil
		case !errors.As(err, &conflict):
			return nil, false, err
		}
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
	}
}

func (r *Registry) createByUpdate(ctx context.Context, t Target, change Change, o WriteOptions) ([]byte, error) {
	if o.MayCreate != nil {
		if err := o.MayCreate(ctx); err != nil {
			return nil, err
		}
	}
	obj, err := change(nil)
	if err != nil {
		return nil, err
	}
	if _, err := revisionOf(obj); err != nil {
		return nil, err
	}
	o.byUpdate = true
	return r.createIn(ctx, t, obj, o)
}

// updateOnce changes an object whose current version is v.
func (r *Registry) updateOnce(ctx context.Context, t Target, v *mvcc.Version, change Change, o WriteOptions) ([]byte,
	error) {
	old, err := known(ctx, t.Resource, v.Value)
	if err != nil {
		return nil, err
	}
	if err := r.Pause(ctx); err != nil {
		return nil, err
	}
	given := old
	if !o.Replaces {
		given = object.DeepCopy(old)
	}
	obj, err := change(given)
	if err != nil {
		return nil, err
	}
	if err := r.Pause(ctx); err != nil {
		return nil, err
	}
	if !o.DryRun {
		delete(object.Meta(obj), "selfLink")
	}
	if err := MatchNamespace(t, obj); err != nil {
		return nil, err
	}
	strat, c := kinds.Of(t.Resource), r.kindContext(o)
	c.Traces = traces.Of(ctx)
	if strat.Authorize != nil {
		c.Rights = r.rights(ctx)
	}
	r.strip(t, obj)
	o.Given.Put(obj)
	strat.Fill(obj)
	o.Given.Take(obj)
	r.manage(ctx, t, old, obj, o)
	if err := r.Pause(ctx); err != nil {
		return nil, err
	}
	a := newAttributes(t, admission.Update, obj, old, o)
	if err := r.mutate(ctx, t, a); err != nil {
		return nil, err
	}
	rev, err := revisionOf(obj)
	switch {
	case err != nil:
		return nil, err
	case rev == 0 && !t.UnconditionalUpdate:
		return nil, status.NewInvalid(status.GroupKind{Group: t.Group, Kind: t.Plural}, t.Name, field.ErrorList{
			field.Invalid("metadata.resourceVersion", int64(0), "must be specified for an update")})
	case rev == 0:
		setRevision(obj, v.Revision)
	case rev != v.Revision:
		return nil, status.NewConflict(t.GroupResource(), t.Name, modified)
	}
	o.Given.Put(obj)
	violations := strat.UpdateSubresource(c, t.Resource, t.Subresource, obj, old)
	o.Given.Take(obj)
	o.refill(strat, obj)
	if t.Subresource == "" {
		violations = r.validate(ctx, t, obj, violations)
	}
	if len(violations) > 0 {
		return nil, status.NewInvalid(t.GroupKind(), object.Name(obj), violations)
	}
	warn(c.Warnings, o)
	if err := r.admit(ctx, a); err != nil {
		return nil, err
	}
	if err := r.Pause(ctx); err != nil {
		return nil, err
	}
	managedfields.KeepTimes(obj, old)
	if released(t, obj) {
		// The answer is the object as the request left it, at the previous version; watchers get the stored
		// one, at the deletion's revision.
		value := object.Encode(nil, obj, t.Type())
		_, err := r.remove(ctx, t, v.Revision, old, o)
		return value, err
	}
	if object.Equal(obj, old) && (t.Custom == nil || isIn(t.Storage(), v.Value)) {
		return r.read(ctx, t.Resource, v.Value)
	}
	undo, violations := strat.Alloc(c, obj, old)
	if len(violations) > 0 {
		return nil, status.NewInvalid(t.GroupKind(), object.Name(obj), violations)
	}
	claimed, err := r.claim(ctx, t, c, obj, old, o)
	var value []byte
	if err == nil {
		value, _, err = r.put(ctx, t, obj, v, o)
	}
	switch {
	case err != nil:
		r.unclaim(ctx, claimed, o)
		undo()
	case !o.DryRun:
		r.unclaim(ctx, without(r.addressesOf(t, old), r.addressesOf(t, obj)), o)
	}
	return value, err
}

// without returns the texts that are not among others.
func without(texts, others []string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return slices.Contains(others, text) })
}

// revisionOf parses the resourceVersion of an object from a client; 0 if it has none.
func revisionOf(obj map[string]any) (int64, error) {
	text := object.ResourceVersion(obj)
	if text == "" || text == "0" {
		return 0, nil
	}
	rev, err := strconv.ParseUint(text, 10, 64)
	return int64(min(rev, 1<<62)), err
}
