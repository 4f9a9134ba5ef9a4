package registry

import "github.com/tabernetes/tabernetes/core/status"

// Lookup returns an object of the core group as it is stored now; nil if there is
// none. It is for what the server itself has to know.
func (r *Registry) Lookup(resource, namespace, name string) map[string]any {
	obj, err := r.stored(Target{Resource: r.Table.Resource("", "v1", resource), Namespace: namespace, Name: name})
	if err != nil {
		return nil
	}
	return obj
}

// stored returns the target's object as it is stored now, or the 404.
func (r *Registry) stored(t Target) (map[string]any, error) {
	v, _, err := r.Store.Get(t.bucket(), t.key(t.Name), 0)
	switch {
	case err != nil:
		return nil, err
	case v == nil:
		return nil, status.NewNotFound(t.GroupResource(), t.Name)
	}
	return decodeAs(t.Resource, v.Value), nil
}

// TakesContent is the admission plugin NamespaceLifecycle for what is created in a
// namespace and not stored.
func (r *Registry) TakesContent(t Target, obj map[string]any) error { return r.admitCreate(t, obj) }
