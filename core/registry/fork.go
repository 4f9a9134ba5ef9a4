package registry

import "github.com/tabernetes/tabernetes/core/schema"

// Fork makes the API servers those of another cluster, of which the store becomes a copy: their caches are where the
// others are, and remember the same. Callers hold the other store's lock.
func (r *Replicas) Fork(from *Replicas) {
	for i, c := range r.caches {
		c.fork(from.caches[i], r.table)
	}
	r.count.Store(from.count.Load())
	r.turn.Store(from.turn.Load())
	r.last.Store(from.last.Load())
}

// fork makes caches those of another API server.
func (c *Cache) fork(from *Cache, table *schema.Table) {
	state := *from.state.Load()
	state.over = make(chan struct{})
	c.state.Store(&state)
	c.types.fork(&from.types, table)
}

func (t *typeCaches) fork(from *typeCaches, table *schema.Table) {
	from.mu.Lock()
	defer from.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limits, t.progress, t.ticked = from.limits, from.progress, from.ticked
	t.since, t.why, t.begun, t.known = from.since, from.why, from.begun, from.known
	t.compacted, t.cleared, t.noticed = from.compacted, from.cleared, from.noticed
	t.types = make(map[string]*typeCache, len(from.types))
	for bucket, c := range from.types {
		same := *c
		if row := ResourceOf(table, bucket); row != nil && row.Custom != nil {
			same.gone = row.Custom.Gone
		}
		t.types[bucket] = &same
	}
}
