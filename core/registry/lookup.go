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

// NamespacePhase returns the phase of a namespace, and whether there is one of that name.
func (r *Registry) NamespacePhase(name string) (phase string, found bool, err error) {
	v, _, err := r.Store.Get(r.Table.Resource("", "v1", "namespaces").Bucket(), name, 0)
	if v == nil || err != nil {
		return "", false, err
	}
	return v.Attrs.(*attrs).field(name, "status.phase"), true, nil
}
