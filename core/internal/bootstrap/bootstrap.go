// Package bootstrap has the initial objects of a cluster, and creates those that are missing: in a
// new cluster, and in one that is restored. In one that takes another's place it puts the objects that last.
//
// They are written by the server itself: webhooks do not see them.
package bootstrap

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// Create creates the initial objects of every cluster that are missing: those that the real server creates, except for
// what it writes about itself. services is the range of the addresses of Services.
func Create(ctx context.Context, r *registry.Registry, services netip.Prefix) error {
	if err := place(ctx, r, services); err != nil {
		return err
	}
	return Ensure(ctx, r, service(services), "")
}

// Ensure creates an object if it does not exist; then obj has its uid, which is derived from after, the uid of another
// object, or is drawn if that is empty.
func Ensure(ctx context.Context, r *registry.Registry, obj map[string]any, after string) error {
	group, version := object.SplitGroupVersion(object.APIVersion(obj))
	t := registry.Target{
		Resource:  r.Table.ByKind(group, version, object.Kind(obj)),
		Namespace: object.Namespace(obj), Name: object.Name(obj),
	}
	_, err := r.Get(ctx, t)
	if status.Is(err, status.NotFound) {
		t.Name = ""
		err = r.Bootstrap(t, obj, after)
	}
	if err != nil && !status.Is(err, status.AlreadyExists) {
		return fmt.Errorf("core: %s %s: %w", t.Plural, object.Name(obj), err)
	}
	return nil
}

// TakeOver gives a registry exactly the objects of a cluster-scoped type that another one has, with their names
// and specs.
func TakeOver(ctx context.Context, r, from *registry.Registry, row *schema.Resource) error {
	t := registry.Target{Resource: row}
	theirs, err := from.List(ctx, t, registry.ListOptions{})
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, value := range theirs.Items {
		kept[string(value)] = true
	}
	mine, err := r.List(ctx, t, registry.ListOptions{})
	if err != nil {
		return err
	}
	for _, value := range mine.Items {
		obj, _, err := object.Decode(value, row.Type())
		if err != nil {
			return err
		}
		if kept[string(value)] {
			continue
		}
		t.Name = object.Name(obj)
		if _, _, err := r.Delete(ctx, t, registry.DeleteOptions{}); err != nil {
			return err
		}
	}
	for _, value := range theirs.Items {
		obj, _, err := object.Decode(value, row.Type())
		if err != nil {
			return err
		}
		err = Ensure(ctx, r, map[string]any{
			"apiVersion": row.APIVersion(), "kind": row.Kind, "metadata": map[string]any{"name": object.Name(obj)},
			"spec": obj["spec"],
		}, "")
		if err != nil {
			return err
		}
	}
	return nil
}

// manager is the field manager of what the server itself writes.
const manager = "kube-apiserver"

// TakeOverSpec gives an object sections of its spec as another registry has them.
func TakeOverSpec(ctx context.Context, r, from *registry.Registry, t registry.Target, sections []string) error {
	if len(sections) == 0 {
		return nil
	}
	theirs, err := from.Get(ctx, t)
	if err != nil {
		return err
	}
	kept, _, err := object.Decode(theirs, t.Type())
	if err != nil {
		return err
	}
	_, _, err = r.Update(registry.Admitted(ctx), t, func(obj map[string]any) (map[string]any, error) {
		for _, section := range sections {
			object.SetNested(obj, object.GetMap(kept, "spec", section), "spec", section)
		}
		return obj, nil
	}, false, registry.WriteOptions{Manager: manager})
	return err
}
