package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// A custom resource may have a webhook that converts its objects. As in the real server, whose watch cache has the
// objects of one version of a type, each converted once, lists and watches convert a stored state once and keep the
// result; everything that reads the most recent state of one object converts it again. So reads of one object fail as
// soon as the webhook does, while lists still answer from what is known.
//
// Nothing is converted while the store is locked: what a selector has to see is converted before.

// webhookOf returns what converts stored bytes to the version of t; nil if no webhook has to be called for them.
func webhookOf(t *schema.Resource, value []byte) schema.Converter {
	if t.Custom == nil || t.Custom.Converter == nil || isIn(t, value) {
		return nil
	}
	return t.Custom.Converter
}

// isIn reports whether the stored bytes of a custom resource, whose fields are in alphabetical order, are of the
// version of t.
func isIn(t *schema.Resource, value []byte) bool {
	return bytes.HasPrefix(value, []byte(`{"apiVersion":"`+t.APIVersion()+`"`))
}

// once converts stored bytes to the version of t, once for all callers.
func (r *Registry) once(ctx context.Context, t *schema.Resource, value []byte) (*schema.Converted, error) {
	return t.Custom.Converter.Once(ctx, value, func() (*schema.Converted, error) {
		obj, err := decodeAs(ctx, t, value)
		if err != nil {
			return nil, err
		}
		return &schema.Converted{Object: obj, Value: object.Encode(nil, obj, t.Type())}, nil
	})
}

// readKept returns an object's bytes for a list or a watch.
func (r *Registry) readKept(ctx context.Context, t *schema.Resource, value []byte) ([]byte, error) {
	if webhookOf(t, value) == nil {
		return r.read(ctx, t, value)
	}
	made, err := r.once(ctx, t, value)
	if err != nil {
		return nil, err
	}
	return made.Value, nil
}

// selectable converts what a selector has to see of a version, or nil.
func (r *Registry) selectable(ctx context.Context, t *schema.Resource, v *mvcc.Version) error {
	if v == nil || webhookOf(t, v.Value) == nil {
		return nil
	}
	_, err := r.once(ctx, t, v.Value)
	return err
}

// convertAll converts the objects of a range that a selector is about to see.
func (r *Registry) convertAll(ctx context.Context, t Target, s Selection, q mvcc.Query) (err error) {
	if t.Custom == nil || t.Custom.Converter == nil || s.Empty() {
		return nil
	}
	q.Match, q.Terms, q.Limit, q.ValuesOnly = nil, nil, 0, false
	page, err := r.Store.Range(t.bucket(), q)
	if errors.Is(err, mvcc.ErrCompacted) || errors.Is(err, mvcc.ErrFuture) {
		return nil // the range itself says so
	}
	for _, item := range page.Items {
		if err == nil {
			err = r.selectable(ctx, t.Resource, item.Version)
		}
	}
	return err
}

// listed converts all objects of a type, as the watch cache of its version does when it lists them. The error is that
// of a cache that cannot: it answers nothing, unless etcd does in its place.
func (r Reader) listed(ctx context.Context, t Target) error {
	if r.cache == nil || t.Custom == nil || t.Custom.Converter == nil || t.Storage() == t.Resource {
		return nil
	}
	all, err := r.Store.Range(t.bucket(), mvcc.Query{})
	if err != nil {
		return err
	}
	for _, item := range all.Items {
		if err := r.selectable(ctx, t.Resource, item.Version); err != nil {
			return status.NewTooManyRequests(fmt.Sprintf("%s: failed to list %s, Kind=%s: %v", notListed, t.APIVersion(),
				t.Kind, err), 1)
		}
	}
	return nil
}

// An unconvertible is the error of an object that cannot be converted to the version in which it would be stored.
type unconvertible struct{ error }

func (u *unconvertible) Unwrap() error { return u.error }

// wouldRead returns an object's bytes for the client of a dry run: a custom one as if it had been stored.
func (r *Registry) wouldRead(ctx context.Context, t Target, obj map[string]any) ([]byte, error) {
	if t.Custom == nil || t.Custom.Converter == nil || t.Storage() == t.Resource {
		return object.Encode(nil, obj, t.Type()), nil
	}
	there := object.DeepCopy(obj)
	if err := kinds.Convert(ctx, there, t.Resource, t.Storage()); err != nil {
		return nil, err
	}
	return r.read(ctx, t.Resource, object.Encode(nil, there, nil))
}

// known returns the object to update: as lists and watches know it, if a webhook has converted it for them. Then, as
// the real server does, it is converted back before anything else, which finds out whether the webhook works.
func known(ctx context.Context, t *schema.Resource, value []byte) (map[string]any, error) {
	if webhook := webhookOf(t, value); webhook != nil {
		if made := webhook.Made(value); made != nil {
			if t != t.Storage() {
				if err := kinds.Convert(ctx, object.DeepCopy(made.Object), t, t.Storage()); err != nil {
					return nil, err
				}
			}
			return object.DeepCopy(made.Object), nil
		}
	}
	return decodeAs(ctx, t, value)
}
