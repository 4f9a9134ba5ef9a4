package schema

import "sync/atomic"

// ForkCustom returns the row of a custom resource for another cluster, which shares its schema, the compiled rules and
// what is derived of them. It has no Converter, and LinkVersions has not been called for it.
func (r *Resource) ForkCustom(terminating *atomic.Bool, gone chan struct{}) *Resource {
	f := *r
	f.storage, f.forms = nil, nil
	f.Custom = &Custom{
		Schema: r.Custom.Schema, Rules: r.Custom.Rules, Scale: r.Custom.Scale, Selectable: r.Custom.Selectable,
		Terminating: terminating, Revision: r.Custom.Revision, Gone: gone,
	}
	r.Custom.Derived.Range(func(key, value any) bool {
		f.Custom.Derived.Store(key, value)
		return true
	})
	return &f
}
