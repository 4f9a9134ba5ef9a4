package controller

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

const (
	// terminationDelay is how long a terminating namespace is left alone after it changes, so that
	// objects that are just being created in it are seen.
	terminationDelay = 5 * time.Second
	// remainsDelay is how long it is left alone while something remains in it.
	remainsDelay = 5 * time.Second
	// finalizer is the finalizer of namespaces in spec.finalizers.
	finalizer = "kubernetes"
)

// terminate empties namespaces that are being deleted and removes their finalizer.
func terminate(r *registry.Registry) plan {
	t := terminator{client{r}, registry.Target{Resource: r.Table.Resource("", "v1", "namespaces")}}
	buckets := []string{t.namespaces.Resource.Bucket()}
	return plan{buckets: func() []string { return buckets }, notice: t.notice, reconcile: t.reconcile}
}

type terminator struct {
	client
	namespaces registry.Target
}

func (t terminator) notice(e *mvcc.Event, add add) {
	if _, links := registry.LinksOf(e.Version); links.Deleting && !e.Deleted {
		add(e.Key, terminationDelay)
	}
}

func (t terminator) reconcile(ctx context.Context, name string) (time.Duration, error) {
	at := t.namespaces
	at.Name = name
	namespace, err := t.get(ctx, at)
	if namespace == nil || err != nil || object.DeletionTimestamp(namespace) == "" || !held(namespace) {
		return 0, err
	}
	left := t.empty(ctx, namespace)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	uid := object.UID(namespace)
	status := at
	status.Subresource = "status"
	err = t.change(ctx, status, uid, func(obj map[string]any) (map[string]any, error) {
		setConditions(obj, left.conditions(), t.registry.Clock.Now())
		return obj, nil
	})
	switch {
	case err != nil:
		return 0, err
	case left.any():
		return remainsDelay, nil
	}
	return 0, t.finalize(ctx, at, uid)
}

// held reports whether a namespace has this controller's finalizer.
func held(namespace map[string]any) bool {
	return slices.Contains(object.GetList(namespace, "spec", "finalizers"), any(finalizer))
}

// empty deletes the content of a namespace and returns what remains: pods first, and nothing else
// as long as there are any.
func (t terminator) empty(ctx context.Context, namespace map[string]any) *remains {
	left := &remains{}
	if err := t.discover(ctx, left); err != nil {
		left.failed(err)
	}
	pods := t.registry.Table.Resource("", "v1", "pods")
	if t.purge(ctx, pods, namespace, left); left.count > 0 {
		// The conditions mention pods only when they should be gone.
		left.resources, left.finalizers = nil, nil
		return left
	}
	seen := map[string]bool{}
	for _, row := range t.registry.Table.Resources() {
		stored := row.Group + " " + row.Bucket()
		if row != pods && row.Namespaced && !row.Virtual && row.HasVerb("delete") && row.HasVerb("list") && !seen[stored] {
			seen[stored] = true
			t.purge(ctx, row, namespace, left)
		}
	}
	return left
}

// discover adds to left the group versions that cannot be discovered: those that an APIService
// assigns to another server, which does not exist.
func (t terminator) discover(ctx context.Context, left *remains) error {
	at := registry.Target{Resource: t.registry.Table.Resource("apiregistration.k8s.io", "v1", "apiservices")}
	list, err := t.registry.List(ctx, at, registry.ListOptions{})
	if err != nil {
		return err
	}
	for _, value := range list.Items {
		obj, err := decode(at, value)
		if err != nil {
			return err
		}
		if object.GetMap(obj, "spec", "service") != nil {
			name := object.GetString(obj, "spec", "group") + "/" + object.GetString(obj, "spec", "version")
			left.undiscovered = append(left.undiscovered, fmt.Sprintf("%s: stale GroupVersion discovery: %s", name, name))
		}
	}
	return nil
}

// purge deletes the objects of a resource type in a namespace and adds to left what remains of
// them.
func (t terminator) purge(ctx context.Context, row *schema.Resource, namespace map[string]any, left *remains) {
	at := registry.Target{Resource: row, Namespace: object.Name(namespace)}
	owner := t.namespaces
	owner.Name = at.Namespace
	if err := t.deleteAll(ctx, at, owner, object.UID(namespace)); err != nil {
		left.failed(err)
		return
	}
	list, err := t.registry.List(ctx, at, registry.ListOptions{})
	if err != nil {
		left.failed(err)
		return
	}
	finalizers, grace := 0, int64(0)
	for _, value := range list.Items {
		obj, err := decode(at, value)
		if err != nil {
			left.failed(err)
			return
		}
		left.add(row, obj)
		finalizers += len(object.Finalizers(obj))
		seconds, _ := object.GetInt(obj, "metadata", "deletionGracePeriodSeconds")
		grace = max(grace, seconds)
	}
	if len(list.Items) > 0 && finalizers == 0 && !t.within(grace, namespace) {
		left.failed(fmt.Errorf("unexpected items still remain in namespace: %s for gvr: %s/%s, Resource=%s",
			at.Namespace, row.Group, row.Version, row.Plural))
	}
}

// deleteAll deletes the objects of a resource type that an owner, their namespace or definition, has as long as its uid
// is that one. One that is purged, and created again, keeps what is created in it.
func (c client) deleteAll(ctx context.Context, at, owner registry.Target, uid string) error {
	page, o := registry.ListOptions{Limit: pageSize}, deletion(background)
	o.Still = func() bool {
		obj, err := c.get(ctx, owner)
		return err == nil && object.UID(obj) == uid
	}
	for ctx.Err() == nil {
		list, err := c.registry.DeleteCollection(ctx, at, page, o)
		if err != nil || list.Continue == "" {
			return err
		}
		page.Continue = list.Continue
	}
	return context.Cause(ctx)
}

// within reports whether a grace period that began with a namespace's deletion is not over yet.
func (t terminator) within(seconds int64, namespace map[string]any) bool {
	from, err := time.Parse(time.RFC3339, object.DeletionTimestamp(namespace))
	return err == nil && t.registry.Clock.Now().Sub(from) < time.Duration(seconds)*time.Second
}

// finalize removes the finalizer of a namespace, as a PUT of its finalize subresource does.
func (t terminator) finalize(ctx context.Context, at registry.Target, uid string) error {
	at.Subresource = "finalize"
	return t.change(ctx, at, uid, func(obj map[string]any) (map[string]any, error) {
		others := slices.DeleteFunc(object.GetList(obj, "spec", "finalizers"), func(f any) bool { return f == finalizer })
		object.SetNested(obj, others, "spec", "finalizers")
		if len(others) == 0 {
			object.RemoveNested(obj, "spec", "finalizers")
		}
		return obj, nil
	})
}
