package customresource

import (
	"maps"

	"github.com/tabernetes/tabernetes/core/schema"
)

// Fork gives a tracker without definitions those of another one. They have their own rows, which share the schemas
// and what is derived of them. Callers make sure that the other one observes nothing meanwhile.
func (t *Tracker) Fork(from *Tracker) {
	from.mu.Lock()
	t.mu.Lock()
	t.all = from.all
	maps.Copy(t.took, from.took)
	t.mu.Unlock()
	from.mu.Unlock()
	var rows []*schema.Resource
	for name, d := range from.known {
		next := d.fork()
		if t.Link != nil {
			t.Link(next.crd, next.all)
		}
		t.known[name] = next
		rows = append(rows, next.Served...)
	}
	if rows != nil {
		t.table.Swap(nil, rows)
	}
}

// fork returns the same definition, which ends by itself.
func (d *Definition) fork() *Definition {
	f := &Definition{crd: d.crd, revision: d.revision, gone: make(chan struct{})}
	f.terminating.Store(d.terminating.Load())
	rows := map[*schema.Resource]*schema.Resource{}
	for _, row := range d.all {
		rows[row] = row.ForkCustom(&f.terminating, f.gone)
		f.all = append(f.all, rows[row])
	}
	for _, row := range d.Served {
		f.Served = append(f.Served, rows[row])
	}
	f.Stored = rows[d.Stored]
	schema.LinkVersions(f.Stored, f.all)
	return f
}
