package registry

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// The finalizers for propagation policies.
const (
	finalizerOrphan     = "orphan"
	finalizerForeground = "foregroundDeletion"
)

// DeleteOptions are the meta/v1 options of a deletion.
type DeleteOptions struct {
	WriteOptions
	// GracePeriodSeconds overrides the object's own grace period.
	GracePeriodSeconds *int64
	// UID and ResourceVersion are preconditions; nil: none.
	UID, ResourceVersion *string
	// PropagationPolicy is Orphan, Background, Foreground, or empty for the
	// default of the type.
	PropagationPolicy string
	// Still reports whether the objects of a collection may be deleted; it is called when they have been listed. Each of
	// them is deleted only if it is the object that was listed, and not another one of its name. nil: all that are found.
	Still func() bool

	collection bool // of a collection: the request names no object
}

// Delete removes an object, or marks it for deletion if it has finalizers or a grace period. It
// returns the object's bytes after that, and whether the object is gone.
func (r *Registry) Delete(ctx context.Context, t Target, o DeleteOptions) (value []byte, gone bool, err error) {
	o.warnOfOrphans(t)
	if lasting := kinds.Of(t.Resource).Lasting; lasting != nil {
		if why := lasting(t.Name); why != "" {
			return nil, false, status.NewForbidden(t.GroupResource(), t.Name, why)
		}
	}
	r.begin(ctx, &o.WriteOptions)
	value, gone, err = r.delete(ctx, t, o)
	if err := r.settle(ctx, o.WriteOptions, err); err != nil {
		return nil, false, err
	}
	return value, gone, nil
}

// warnOfOrphans warns a client that sets no propagation policy.
func (o DeleteOptions) warnOfOrphans(t Target) {
	if text := kinds.Of(t.Resource).OrphanWarning; text != "" && o.PropagationPolicy == "" && o.Warn != nil {
		o.Warn(text)
	}
}

// delete is Delete without waiting for durability.
func (r *Registry) delete(ctx context.Context, t Target, o DeleteOptions) (value []byte, gone bool, err error) {
	for {
		v := r.Store.Latest(t.bucket(), t.key(t.Name))
		if v == nil {
			return nil, false, status.NewNotFound(t.GroupResource(), t.Name)
		}
		value, gone, err = r.deleteOnce(ctx, t, v, o)
		var conflict *mvcc.ConflictError
		if !errors.As(err, &conflict) {
			return value, gone, err
		}
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
	}
}

// ending returns the options of a write that is a step of a deletion.
func (o DeleteOptions) ending() WriteOptions {
	o.frees = true
	return o.WriteOptions
}

// complete adds the object that is deleted to the attributes of its deletion.
func (o DeleteOptions) complete(a *admission.Attributes, t Target, old map[string]any) {
	a.Old = old
	a.GracePeriod, _ = gracePeriod(t, old, DeleteOptions{})
	if o.collection {
		a.Name = ""
	}
}

func (r *Registry) deleteOnce(ctx context.Context, t Target, v *mvcc.Version, o DeleteOptions) ([]byte, bool, error) {
	a := newAttributes(t, admission.Delete, nil, nil, o.WriteOptions)
	if err := r.Admission.Precheck(ctx, a); err != nil {
		return nil, false, err
	}
	obj, err := decodeAs(ctx, t.Resource, v.Value)
	if err != nil {
		return nil, false, err
	}
	if err := checkPreconditions(t, obj, o); err != nil {
		return nil, false, err
	}
	if heldBySpec(t, obj) && object.DeletionTimestamp(obj) != "" { // no plugin is asked a second time, nothing changes
		value, err := r.read(ctx, t.Resource, v.Value)
		return value, false, err
	}
	old := object.DeepCopy(obj)
	o.complete(a, t, old)
	if err := r.mutate(ctx, t, a); err != nil {
		return nil, false, err
	}
	if err := r.admit(ctx, a); err != nil {
		return nil, false, err
	}
	grace, pending := gracePeriod(t, obj, o)
	if pending {
		value, err := r.read(ctx, t.Resource, v.Value)
		return value, false, err
	}
	if mark := kinds.Of(t.Resource).MarkDeleted; mark != nil && object.DeletionTimestamp(obj) == "" {
		mark(r.kindContext(o.WriteOptions), obj)
		value, _, err := r.put(ctx, t, obj, v, o.ending())
		return value, false, err
	}
	propagate(t, obj, o)
	held := len(object.Finalizers(obj)) > 0 || heldBySpec(t, obj)
	if !t.Graceful && !held {
		value, err := r.remove(ctx, t, v.Revision, old, o.WriteOptions)
		return value, true, err
	}
	r.markDeleted(t, obj, grace)
	var value []byte
	marked := v.Revision
	if object.Equal(obj, old) {
		value, err = r.read(ctx, t.Resource, v.Value)
	} else {
		value, marked, err = r.put(ctx, t, obj, v, o.ending())
	}
	if err != nil {
		return nil, false, err
	}
	if held || grace > 0 {
		return value, false, nil
	}
	if o.DryRun { // it would be gone, and the answer shows it as it was marked
		return value, true, nil
	}
	value, err = r.removeMarked(ctx, t, marked, obj, o)
	return value, true, err
}

// removeMarked removes an object that a deletion without a grace period has marked, at a revision, by the same request.
// Other clients see the mark and may write before: what is stored under the name then is removed if the request still
// allows it, as in the real server. Is nothing stored, one of them has ended the deletion; this is no error, and the
// answer is the marked object without a resourceVersion.
func (r *Registry) removeMarked(ctx context.Context, t Target, rev int64, obj map[string]any, o DeleteOptions) ([]byte,
	error) {
	if o.ResourceVersion != nil {
		marked := strconv.FormatInt(rev, 10)
		o.ResourceVersion = &marked
	}
	last := obj
	for {
		value, err := r.remove(ctx, t, rev, last, o.WriteOptions)
		if conflict := new(mvcc.ConflictError); !errors.As(err, &conflict) {
			return value, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		v := r.Store.Latest(t.bucket(), t.key(t.Name))
		if v == nil {
			o.written.last = nil // the answer depends on the write that has removed it
			delete(object.Meta(obj), "resourceVersion")
			return object.Encode(nil, obj, t.Type()), nil
		}
		if last, err = decodeAs(ctx, t.Resource, v.Value); err != nil {
			return nil, err
		}
		for _, c := range o.preconditions(last) {
			if c.want != nil && *c.want != c.have {
				return nil, preconditionFailed(t, o.WriteOptions, c.what, *c.want, c.have)
			}
		}
		a := newAttributes(t, admission.Delete, nil, nil, o.WriteOptions)
		o.complete(a, t, last)
		if err := r.admit(ctx, a); err != nil {
			return nil, err
		}
		rev = v.Revision
	}
}

// remove deletes an object at a revision from the store; its last state is obj. It returns what
// watchers get: that state, at the deletion's own revision.
func (r *Registry) remove(ctx context.Context, t Target, rev int64, obj map[string]any, o WriteOptions) ([]byte,
	error) {
	if o.DryRun {
		value := object.Encode(nil, obj, t.Type())
		return value, r.writer(ctx, o).Check(t.bucket(), t.key(t.Name), value, true, true)
	}
	if err := r.writable(); err != nil {
		return nil, err
	}
	if err := r.between(ctx); err != nil {
		return nil, err
	}
	r.keepWithin(ctx)
	last := object.DeepCopy(obj)
	build, err := r.build(ctx, t, last, nil)
	if err != nil {
		return nil, err
	}
	e, err := r.writer(ctx, o).Delete(t.bucket(), t.key(t.Name), rev, build)
	if err != nil {
		return nil, r.refused(err)
	}
	o.note(e)
	r.unclaim(ctx, r.addressesOf(t, obj), o)
	return r.read(ctx, t.Resource, e.Value)
}

// gracePeriod returns the grace period of a deletion, in seconds. pending reports whether the
// object is being deleted already and the request does not shorten the period.
func gracePeriod(t Target, obj map[string]any, o DeleteOptions) (seconds int64, pending bool) {
	if !t.Graceful {
		return 0, false
	}
	asked := o.GracePeriodSeconds
	if asked != nil && *asked < 0 {
		one := int64(1)
		asked = &one
	}
	if object.DeletionTimestamp(obj) != "" {
		left, _ := object.GetInt(obj, "metadata", "deletionGracePeriodSeconds")
		if left == 0 || asked == nil || *asked >= left {
			return left, left > 0
		}
		return *asked, false
	}
	if asked != nil {
		seconds = *asked
	} else if own, ok := object.GetInt(obj, "spec", "terminationGracePeriodSeconds"); ok {
		seconds = own
	}
	phase := object.GetString(obj, "status", "phase")
	if object.GetString(obj, "spec", "nodeName") == "" || phase == "Succeeded" || phase == "Failed" {
		seconds = 0
	}
	return seconds, false
}

// markDeleted sets the deletion timestamp and grace period of an object.
func (r *Registry) markDeleted(t Target, obj map[string]any, grace int64) {
	meta := object.Meta(obj)
	now := r.Clock.Now()
	if marked := object.DeletionTimestamp(obj); marked == "" {
		meta["deletionTimestamp"] = timestamp(now.Add(time.Duration(grace) * time.Second))
		if g := object.Generation(obj); g > 0 {
			meta["generation"] = g + 1
		}
	} else if left, _ := object.GetInt(obj, "metadata", "deletionGracePeriodSeconds"); grace < left {
		if at, err := time.Parse(time.RFC3339, marked); err == nil {
			at = at.Add(time.Duration(grace-left) * time.Second)
			if at.Before(now) { // others may still have to finish their work
				at, grace = now, min(grace, 1)
			}
			meta["deletionTimestamp"] = timestamp(at)
		}
	}
	if t.IsNamespace() {
		object.SetNested(obj, "Terminating", "status", "phase")
		return
	}
	meta["deletionGracePeriodSeconds"] = grace
}

// propagate sets the finalizers that make the garbage collector handle the dependents as the policy
// says.
func propagate(t Target, obj map[string]any, o DeleteOptions) {
	before := object.Finalizers(obj)
	policy := o.PropagationPolicy
	if policy == "" && t.OrphanByDefault && !slices.Contains(before, finalizerForeground) {
		policy = "Orphan"
	}
	if kinds.Of(t.Resource).Leaf {
		policy = "Background"
	}
	finalizers := slices.Clone(before)
	if policy != "" {
		finalizers = slices.DeleteFunc(finalizers,
			func(f string) bool { return f == finalizerOrphan || f == finalizerForeground })
	}
	switch policy {
	case "Orphan":
		finalizers = append(finalizers, finalizerOrphan)
	case "Foreground":
		finalizers = append(finalizers, finalizerForeground)
	}
	// Existing ones keep their order, and what is there twice stays so.
	lacks := func(some, other []string) bool {
		return slices.ContainsFunc(some, func(f string) bool { return !slices.Contains(other, f) })
	}
	if lacks(before, finalizers) || lacks(finalizers, before) {
		object.SetFinalizers(obj, finalizers)
	}
}

// released reports whether nothing delays the deletion of an object any more that was marked for
// it.
func released(t Target, obj map[string]any) bool {
	left, _ := object.GetInt(obj, "metadata", "deletionGracePeriodSeconds")
	return object.DeletionTimestamp(obj) != "" && left == 0 && len(object.Finalizers(obj)) == 0 && !heldBySpec(t, obj)
}

// heldBySpec reports whether an object has finalizers in its spec, as namespaces do.
func heldBySpec(t Target, obj map[string]any) bool {
	return t.IsNamespace() && len(object.GetList(obj, "spec", "finalizers")) > 0
}

// deletePage is how many objects of a collection are listed at once to be deleted. It is a limit as any other: with a
// resourceVersion the list is of exactly that version.
const deletePage = 10000

// listToDelete lists a collection in pages, unless the client has a limit.
func (r *Registry) listToDelete(ctx context.Context, t Target, l ListOptions) (*List, error) {
	limited := l.Limit > 0
	if l.Limit == 0 {
		l.Limit = deletePage
	}
	list, err := r.Through(nil).List(ctx, t, l)
	for page := list; err == nil && !limited && page.Continue != ""; {
		l.Continue, l.ResourceVersion, l.ResourceVersionMatch = page.Continue, "", ""
		if page, err = r.Through(nil).List(ctx, t, l); err == nil {
			list.Items = append(list.Items, page.Items...)
		}
	}
	return list, err
}

// DeleteCollection deletes the objects of a list and returns the list, with the objects as they
// were before.
func (r *Registry) DeleteCollection(ctx context.Context, t Target, l ListOptions, o DeleteOptions) (*List, error) {
	list, err := r.listToDelete(ctx, t, l)
	if err != nil {
		return nil, err
	}
	if o.Still != nil && !o.Still() {
		return &List{}, nil
	}
	o.collection = true
	o.warnOfOrphans(t)
	r.begin(ctx, &o.WriteOptions)
	for _, value := range list.Items {
		if err = r.Pause(ctx); err != nil {
			break
		}
		obj := decode(t.Type(), value)
		one := t
		one.Name, one.Namespace = object.Name(obj), object.Namespace(obj)
		if o.Still != nil {
			uid := object.UID(obj)
			o.UID = &uid
		}
		_, _, err = r.delete(ctx, one, o)
		if status.Is(err, status.NotFound) || o.Still != nil && status.Is(err, status.Conflict) {
			err = nil
		}
		if err != nil {
			break
		}
	}
	if err := r.settle(ctx, o.WriteOptions, err); err != nil {
		return nil, err
	}
	return list, nil
}
