package registry

import (
	"context"

	"github.com/tabernetes/tabernetes/core/status"
)

// Lookup returns the stored object of the core group, or nil. It is for reads by the
// server itself.
func (r *Registry) Lookup(resource, namespace, name string) map[string]any {
	t := Target{Resource: r.Table.Resource("", "v1", resource), Namespace: namespace, Name: name}
	obj, err := r.stored(context.Background(), t)
	if err != nil {
		return nil
	}
	return obj
}

// StoredValue returns the bytes of the target's stored object, or nil. They must not be
// changed.
func (r *Registry) StoredValue(t Target) []byte {
	v, _, err := r.Store.Get(t.bucket(), t.key(t.Name), 0)
	if err != nil || v == nil {
		return nil
	}
	return v.Value
}

// stored returns the target's stored object, or a 404.
func (r *Registry) stored(ctx context.Context, t Target) (map[string]any, error) {
	v, _, err := r.Store.Get(t.bucket(), t.key(t.Name), 0)
	switch {
	case err != nil:
		return nil, err
	case v == nil:
		return nil, status.NewNotFound(t.GroupResource(), t.Name)
	}
	return decodeAs(ctx, t.Resource, v.Value)
}

// NamespacePhase returns the phase of a namespace, and whether it exists.
func (r *Registry) NamespacePhase(name string) (phase string, found bool, err error) {
	v, _, err := r.Store.Get(r.Table.Resource("", "v1", "namespaces").Bucket(), name, 0)
	if v == nil || err != nil {
		return "", false, err
	}
	return v.Attrs.(*attrs).field(name, "status.phase"), true, nil
}
