package controlplane

import (
	"time"

	"github.com/tabernetes/tabernetes/core/internal/faults"
	"github.com/tabernetes/tabernetes/core/object"
)

// strip removes what complete adds, which is not stored.
func strip(obj map[string]any) { delete(obj, "status") }

// complete adds the status: the current state of the cluster.
func (p *ControlPlane) complete(obj map[string]any) {
	at := p.Registry.Store.Status()
	var caches []any
	for _, rev := range p.Registry.Replicas.Revisions() {
		caches = append(caches, rev)
	}
	obj["status"] = map[string]any{
		"revision":          at.Head,
		"cacheRevisions":    caches,
		"compactedRevision": at.Compacted,
		"clock": map[string]any{
			"now":           p.Clock.Now().UTC().Format(time.RFC3339Nano),
			"offsetSeconds": int64(p.Clock.Offset() / time.Second),
		},
		"storage": p.Storage.Status(),
	}
	if p.Header.Recording != nil {
		object.SetNested(obj, any(p.Header.Recording), "status", "recording")
	}
	if chaos := p.Chaos.Status(); chaos != nil {
		object.SetNested(obj, chaos, "status", "chaos")
	}
	if rows := p.Faults(); rows != nil {
		object.SetNested(obj, appliedOf(rows), "status", "faults")
	}
}

// appliedOf returns status.faults: how often each row was applied.
func appliedOf(rows *faults.Set) []any {
	var list []any
	for _, n := range rows.Applied() {
		list = append(list, map[string]any{"applied": n})
	}
	return list
}
