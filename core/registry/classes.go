package registry

import (
	"bytes"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// Classes are objects that others refer to by name. A kind may have a default class, for objects
// that name none.

// defaultClass caches the default class, nil for none, as of the revision at which its type last
// changed.
type defaultClass struct {
	changed int64
	class   map[string]any
}

// priorityClass returns a PriorityClass; for the empty name, the default one. The class must not be
// changed.
func (r *Registry) priorityClass(name string) (class map[string]any, ok bool) {
	if name != "" {
		return r.class("scheduling.k8s.io", "priorityclasses", name)
	}
	t := Target{Resource: r.Table.Resource("scheduling.k8s.io", "v1", "priorityclasses")}
	changed := r.Store.Changed(t.bucket())
	known := r.defaultPriority.Load()
	if known == nil || known.changed != changed {
		known = &defaultClass{changed: changed}
		page, err := r.Store.Range(t.bucket(), mvcc.Query{Limit: 1, Match: func(_ string, v *mvcc.Version) bool {
			return bytes.Contains(v.Value, []byte(`"globalDefault":true`))
		}})
		if err != nil {
			return nil, false
		}
		if len(page.Items) > 0 {
			known.class = decode(t.Type(), page.Items[0].Value)
		}
		r.defaultPriority.Store(known)
	}
	return known.class, known.class != nil
}

func (r *Registry) runtimeClass(name string) (class map[string]any, ok bool) {
	return r.class("node.k8s.io", "runtimeclasses", name)
}

// class returns the class of a name.
func (r *Registry) class(group, plural, name string) (class map[string]any, ok bool) {
	t := r.Table.Resource(group, "v1", plural)
	v, _, err := r.Store.Get(t.Bucket(), name, 0)
	if err != nil || v == nil {
		return nil, false
	}
	return decodeAs(t, v.Value), true
}
