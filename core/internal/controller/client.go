package controller

import (
	"context"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// manager is the field manager of the controllers.
const manager = "kube-controller-manager"

// client is the registry as controllers use it.
type client struct{ registry *registry.Registry }

// options returns those of a write; kind is the API's name of the options.
func options(kind string) registry.WriteOptions {
	return registry.WriteOptions{Manager: manager, Tree: map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": kind}}
}

// get returns an object; nil if it does not exist.
func (c client) get(ctx context.Context, t registry.Target) (map[string]any, error) {
	value, err := c.registry.Get(ctx, t)
	if status.Is(err, status.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return decode(t, value)
}

// create creates an object with the target's name and type.
func (c client) create(ctx context.Context, t registry.Target, obj map[string]any) error {
	object.SetTypeMeta(obj, t.APIVersion(), t.Kind)
	object.SetNested(obj, t.Name, "metadata", "name")
	_, err := c.registry.Create(ctx, t, obj, options("CreateOptions"))
	return err
}

// change changes an object, or the part of it that the target's subresource is. An object that was
// deleted, or recreated, is left alone.
func (c client) change(ctx context.Context, t registry.Target, uid string, change registry.Change) error {
	return c.changeWith(ctx, t, uid, change, options("UpdateOptions"))
}

// changeWith is change with other options.
func (c client) changeWith(ctx context.Context, t registry.Target, uid string, change registry.Change,
	o registry.WriteOptions) error {
	same := func(old map[string]any) (map[string]any, error) {
		if object.UID(old) != uid {
			return old, nil
		}
		return change(old)
	}
	_, _, err := c.registry.Update(ctx, t, same, false, o)
	if status.Is(err, status.NotFound) {
		return nil
	}
	return err
}

// deletion returns the options of a deletion with a policy.
func deletion(policy string) registry.DeleteOptions {
	o := registry.DeleteOptions{WriteOptions: options("DeleteOptions"), PropagationPolicy: policy}
	o.Tree["propagationPolicy"] = policy
	return o
}

func decode(t registry.Target, value []byte) (map[string]any, error) {
	obj, _, err := object.Decode(value, t.Type())
	return obj, err
}
