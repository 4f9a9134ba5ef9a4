package controller

import (
	"context"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// client is the registry as controllers use it.
type client struct{ registry *registry.Registry }

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

// change changes an object, or the part of it that the target's subresource is.
// An object that is gone, or has been made anew, is left alone.
func (c client) change(ctx context.Context, t registry.Target, uid string, change registry.Change) error {
	same := func(old map[string]any) (map[string]any, error) {
		if object.UID(old) != uid {
			return old, nil
		}
		return change(old)
	}
	_, _, err := c.registry.Update(ctx, t, same, false, registry.WriteOptions{})
	if status.Is(err, status.NotFound) {
		return nil
	}
	return err
}

func decode(t registry.Target, value []byte) (map[string]any, error) {
	obj, _, err := object.Decode(value, t.Type())
	return obj, err
}
