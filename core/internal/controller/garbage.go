package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// The propagation policies of a deletion.
const (
	background = "Background"
	foreground = "Foreground"
	orphaning  = "Orphan"
)

// conflictTries is how often in a row an object is processed when others write it meanwhile.
const conflictTries = 5

// collect deletes the objects whose owners are gone, and carries out the propagation policies of
// owners that are being deleted. It follows the garbage collector in kube-controller-manager, but
// makes no Event OwnerRefInvalidNamespace, which would take an index of all uids.
func collect(r *registry.Registry) plan {
	c := &collector{client: client{r}}
	return plan{
		buckets:   c.buckets,
		begin:     func() { c.graph = graph{nodes: map[string]*node{}} },
		notice:    c.notice,
		reconcile: c.reconcile,
	}
}

type collector struct {
	client
	graph graph
}

// collectable reports whether the garbage collector handles a resource type: all that can be
// watched and deleted, except for Events, as in a real cluster.
func collectable(row *schema.Resource) bool {
	events := row.Plural == "events" && (row.Group == "" || row.Group == "events.k8s.io")
	return !events && !row.Virtual && row.HasVerb("delete") && row.HasVerb("list") && row.HasVerb("watch")
}

func (c *collector) buckets() (buckets []string) {
	for _, row := range c.registry.Table.Resources() {
		if bucket := row.Bucket(); collectable(row) && !slices.Contains(buckets, bucket) {
			buckets = append(buckets, bucket)
		}
	}
	return buckets
}

func (c *collector) notice(e *mvcc.Event, add add) {
	// The last events of a type may arrive when it is not served any more.
	if row := c.registry.ResourceOf(e.Bucket); row == nil || collectable(row) {
		c.graph.take(e, add)
	}
}

// reconcile processes the object with a uid.
func (c *collector) reconcile(ctx context.Context, uid string) (time.Duration, error) {
	n := c.graph.nodes[uid]
	if n == nil || n.key == "" {
		return 0, nil
	}
	switch {
	case n.waits == orphan:
		return 0, c.orphan(ctx, n)
	case n.waits == foregroundDeletion && n.blocking > 0:
		return 0, nil // the removal of the last one makes the owner due again
	case n.waits == foregroundDeletion:
		return 0, c.release(ctx, n)
	}
	err := c.attemptDelete(ctx, n)
	for try := 1; try < conflictTries && status.Is(err, status.Conflict) && ctx.Err() == nil; try++ {
		err = c.attemptDelete(ctx, n)
	}
	return 0, err
}

// orphan removes the owner references of an object's dependents, and then its finalizer.
func (c *collector) orphan(ctx context.Context, n *node) error {
	for _, d := range n.inOrder() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.removeOwners(ctx, d, []string{n.uid}); err != nil {
			return err
		}
	}
	return c.release(ctx, n)
}

// release removes the finalizer of its propagation policy from an object.
func (c *collector) release(ctx context.Context, n *node) error {
	return c.edit(ctx, n, func(obj map[string]any) {
		object.SetFinalizers(obj, slices.DeleteFunc(object.Finalizers(obj), func(f string) bool { return f == n.waits }))
	})
}

// removeOwners removes references to owners from an object.
func (c *collector) removeOwners(ctx context.Context, n *node, owners []string) error {
	return c.edit(ctx, n, func(obj map[string]any) {
		left := slices.DeleteFunc(object.GetList(obj, "metadata", "ownerReferences"), func(ref any) bool {
			return slices.Contains(owners, referenceOf(ref).uid)
		})
		if object.Meta(obj)["ownerReferences"] = left; len(left) == 0 {
			delete(object.Meta(obj), "ownerReferences")
		}
	})
}

// unblock clears blockOwnerDeletion in an object's references.
func (c *collector) unblock(ctx context.Context, n *node) error {
	return c.edit(ctx, n, func(obj map[string]any) {
		for _, ref := range object.GetList(obj, "metadata", "ownerReferences") {
			if referenceOf(ref).blocks {
				ref.(map[string]any)["blockOwnerDeletion"] = false
			}
		}
	})
}

// edit changes the object of a node if it still exists.
func (c *collector) edit(ctx context.Context, n *node, edit func(obj map[string]any)) error {
	t, ok := c.registry.TargetOf(n.bucket, n.key)
	if !ok {
		return nil
	}
	return c.change(ctx, t, n.uid, func(obj map[string]any) (map[string]any, error) {
		edit(obj)
		return obj, nil
	})
}

// attemptDelete deletes an object if no owner remains, and otherwise removes the references to owners that
// do not. The error is a Conflict if the object was written meanwhile.
func (c *collector) attemptDelete(ctx context.Context, n *node) error {
	t, ok := c.registry.TargetOf(n.bucket, n.key)
	if !ok {
		return nil
	}
	obj, err := c.get(ctx, t)
	if obj == nil || err != nil || object.UID(obj) != n.uid || object.DeletionTimestamp(obj) != "" {
		return err
	}
	refs := object.GetList(obj, "metadata", "ownerReferences")
	if len(refs) == 0 {
		return nil
	}
	var solid, waiting bool
	var leaving []string // those that are gone or wait for their dependents to go
	for _, ref := range refs {
		ref := referenceOf(ref)
		switch state, err := c.owner(t, ref); {
		case err != nil:
			return err
		case state == unclear:
			return nil
		case state == gone:
			leaving = append(leaving, ref.uid)
		case state == going:
			leaving, waiting = append(leaving, ref.uid), true
		default:
			solid = true
		}
	}
	switch {
	case solid && len(leaving) > 0:
		return c.removeOwners(ctx, n, leaving)
	case solid:
		return nil
	}
	policy := background
	if finalizers := object.Finalizers(obj); waiting && len(n.dependents) > 0 {
		policy = foreground
		if n.inCycle() && slices.ContainsFunc(refs, func(ref any) bool { return referenceOf(ref).blocks }) {
			if err := c.unblock(ctx, n); err != nil {
				return err
			}
			return c.attemptDelete(ctx, n) // in its present state
		}
	} else if slices.Contains(finalizers, orphan) {
		policy = orphaning
	} else if slices.Contains(finalizers, foregroundDeletion) {
		policy = foreground
	}
	return c.delete(ctx, t, obj, policy)
}

// inCycle reports whether the node may wait for an owner that waits for the node: one of its
// dependents waits for dependents.
func (n *node) inCycle() bool {
	for d := range n.dependents {
		if d.waits == foregroundDeletion {
			return true
		}
	}
	return false
}

// delete deletes an object if it is unchanged since it was read.
func (c *collector) delete(ctx context.Context, t registry.Target, obj map[string]any, policy string) error {
	uid, version := object.UID(obj), object.ResourceVersion(obj)
	o := deletion(policy)
	o.UID, o.ResourceVersion = &uid, &version
	o.Tree["preconditions"] = map[string]any{"uid": uid, "resourceVersion": version}
	_, _, err := c.registry.Delete(ctx, t, o)
	if status.Is(err, status.NotFound) {
		return nil
	}
	return err
}

// ownerState is the state of an owner, as far as its dependents are concerned.
type ownerState int

const (
	there   ownerState = iota
	gone               // there is no such object, or it has another uid
	going              // it waits for its dependents to go
	unclear            // it cannot be determined at present
)

// errUnknownKind is the reason for leaving an object alone whose owner has a kind that is not
// served. It may be served later.
var errUnknownKind = errors.New("controller: the kind of an owner is not served")

// owner looks up an owner of the object t. A namespaced owner cannot have dependents outside of its
// namespace; objects with such a reference are left alone.
func (c *collector) owner(t registry.Target, ref reference) (ownerState, error) {
	group, version, grouped := strings.Cut(ref.apiVersion, "/")
	if !grouped {
		group, version = "", ref.apiVersion
	}
	row := c.registry.Table.ByKind(group, version, ref.kind)
	if row == nil || row.Virtual {
		return unclear, fmt.Errorf("%w: %s %s", errUnknownKind, ref.apiVersion, ref.kind)
	}
	at := registry.Target{Resource: row, Name: ref.name}
	switch {
	case row.Namespaced && !t.Namespaced:
		return unclear, nil
	case row.Namespaced:
		at.Namespace = t.Namespace
	}
	uid, links, err := c.registry.Links(at)
	switch known := c.graph.nodes[uid]; {
	case err != nil:
		return unclear, err
	case uid != ref.uid:
		return gone, nil
	case waitsFor(links) != foregroundDeletion:
		return there, nil
	case known == nil || known.waits != foregroundDeletion:
		return unclear, nil // the event has not arrived yet
	}
	return going, nil
}

// reference is an entry of ownerReferences.
type reference struct {
	apiVersion, kind, name, uid string
	blocks                      bool
}

func referenceOf(entry any) reference {
	ref, _ := entry.(map[string]any)
	return reference{
		apiVersion: object.GetString(ref, "apiVersion"), kind: object.GetString(ref, "kind"),
		name: object.GetString(ref, "name"), uid: object.GetString(ref, "uid"),
		blocks: object.GetBool(ref, "blockOwnerDeletion"),
	}
}
