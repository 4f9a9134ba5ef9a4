package registry

import (
	"context"
	"fmt"

	"github.com/tabernetes/tabernetes/core/internal/managedfields"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

const scale = "scale"

// write describes a write to the target for field management.
func (r *Registry) write(ctx context.Context, t Target, o WriteOptions) managedfields.Write {
	return managedfields.Write{Context: ctx, Resource: t.Resource, Subresource: t.Subresource, Manager: o.Manager,
		Now: r.Clock.Now(), Given: o.Given}
}

// manage records the manager of the fields that a write has changed: old is the stored object, nil
// for a new one.
func (r *Registry) manage(ctx context.Context, t Target, old, obj map[string]any, o WriteOptions) {
	w := r.write(ctx, t, o)
	switch {
	case o.managed:
	case t.Subresource == scale:
		was, is := ScaleOf(t.Resource, old), ScaleOf(t.Resource, obj)
		w.ToScale(was, old)
		w.Update(was, is)
		w.FromScale(obj, old, is)
	default:
		w.Update(old, obj)
	}
}

// Own makes the manager of a write the owner of the fields of a new object that is not stored, such as a TokenRequest.
func (r *Registry) Own(t Target, obj map[string]any, o WriteOptions) {
	r.write(context.Background(), t, o).Update(nil, obj)
}

// A Configuration is the configuration that a field manager applies.
type Configuration struct {
	// Object has to be of the target's kind, or a Scale.
	Object map[string]any
	// Force takes over fields that other managers own, which otherwise is a Conflict.
	Force bool
	// Check, if set, may refuse the configuration once it is valid.
	Check func() error
}

// Apply merges a configuration into an object, or creates the object of it, and
// returns its bytes.
func (r *Registry) Apply(ctx context.Context, t Target, c Configuration, o WriteOptions) (value []byte, created bool,
	err error) {
	w := r.write(ctx, t, o)
	o.managed = true
	change := func(old map[string]any) (map[string]any, error) {
		if t.Subresource == scale {
			return applyScale(t, w, old, c)
		}
		obj, err := w.Apply(old, c.Object, c.Force)
		if err != nil {
			return nil, err
		}
		if err := object.CheckTree(obj); err != nil { // others may have applied as much
			return nil, status.NewTooLarge(err.Error())
		}
		if err := c.check(); err != nil {
			return nil, err
		}
		if uid := object.UID(obj); old == nil && uid != "" {
			return nil, status.NewConflict(t.GroupResource(), t.Name, fmt.Sprintf(
				"uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
		}
		if err := MatchNamespace(t, obj); err != nil {
			return nil, err
		}
		return obj, MatchName(t, obj)
	}
	o.mayCreate = t.Subresource == ""
	return r.Update(ctx, t, change, false, o)
}

func (c Configuration) check() error {
	if c.Check == nil {
		return nil
	}
	return c.Check()
}

// applyScale returns the change of an apply to the scale subresource.
func applyScale(t Target, w managedfields.Write, old map[string]any, c Configuration) (map[string]any, error) {
	was := ScaleOf(t.Resource, old)
	w.ToScale(was, old)
	is, err := w.Apply(was, c.Object, c.Force)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := MatchNamespace(t, is); err != nil {
		return nil, err
	}
	if err := MatchName(t, is); err != nil {
		return nil, err
	}
	obj, err := SetScale(t.Resource, old, is)
	if err != nil {
		return nil, err
	}
	w.FromScale(obj, old, is)
	return obj, nil
}

// MatchName checks that an object's name is the request's.
func MatchName(t Target, obj map[string]any) error {
	switch name := object.Name(obj); name {
	case t.Name:
		return nil
	case "":
		return status.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: "+
			"name must be provided", t.Name))
	default:
		return status.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", name,
			t.Name))
	}
}
