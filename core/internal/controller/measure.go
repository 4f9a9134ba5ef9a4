package controller

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds/quota"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// remeasure is how often quotas are measured without a reason that can be seen.
const remeasure = 5 * time.Minute

// measure sets the status of ResourceQuotas: what they limit, and what of it is in use. It does so when a quota's
// limits change, and when objects that count in it are deleted or count less. What is created is charged by admission.
// What counts by its content is decoded each time, the rest only counted. Each new or deleted object of the cluster
// costs a lookup of its namespace's quotas.
func measure(r *registry.Registry) plan {
	m := &measurer{client: client{r}, quotas: registry.Target{
		Resource: r.Table.Resource("", "v1", "resourcequotas"), Subresource: "status",
	}}
	buckets := []string{m.quotas.Bucket()}
	return plan{
		buckets: func() []string { return buckets }, all: true,
		begin:  func() { m.wrote = map[string]measured{} },
		notice: m.notice, reconcile: m.reconcile,
	}
}

type measurer struct {
	client
	quotas registry.Target
	// wrote has the last write of each quota, by its key.
	wrote map[string]measured
}

// measured is a write of a quota: the revision of the objects that it counts, and its own.
type measured struct{ from, to int64 }

func (m *measurer) notice(e *mvcc.Event, add add) {
	namespace, _, namespaced := strings.Cut(e.Key, "/")
	row := m.registry.ResourceOf(e.Bucket)
	if row == nil || !namespaced || quota.Ignored(row) {
		return
	}
	if e.Bucket == m.quotas.Bucket() && !e.Deleted &&
		(e.Prev == nil || !quota.Same(hardOf(m.decode(row, e.Value)), hardOf(m.decode(row, e.Prev.Value)))) {
		add(e.Key, 0)
	}
	if e.Prev != nil && !e.Deleted && !quota.ByContent(row) {
		return
	}
	query := mvcc.Query{Group: namespace + "/", Revision: e.Revision}
	page, err := m.registry.Store.Range(m.quotas.Bucket(), query)
	if err != nil { // compacted
		query.Revision = 0
		page, _ = m.registry.Store.Range(m.quotas.Bucket(), query)
	}
	for _, item := range page.Items {
		q := m.decode(m.quotas.Resource, item.Value)
		if len(quota.Tracked(row, hardOf(q))) > 0 && m.affects(e, row, q, item) {
			add(item.Key, 0)
		}
	}
}

// affects reports whether a quota has to be measured because of an event. A new object was charged to it before, unless
// it was measured after that, but without the object.
func (m *measurer) affects(e *mvcc.Event, row *schema.Resource, q map[string]any, at mvcc.Item) bool {
	switch {
	case e.Deleted:
		return true
	case e.Prev == nil:
		last := m.wrote[at.Key]
		return at.Revision <= last.to && e.Revision > last.from
	}
	return !quota.Same(m.counts(q, row, e.Value), m.counts(q, row, e.Prev.Value))
}

func hardOf(q map[string]any) map[string]any { return tree.At(q, "spec.hard") }

func (m *measurer) decode(row *schema.Resource, value []byte) map[string]any {
	obj, _, err := object.Decode(value, row.Type())
	if err != nil {
		return nil // not so: it was stored
	}
	return obj
}

// counts returns what an object counts in a quota.
func (m *measurer) counts(q map[string]any, row *schema.Resource, value []byte) map[string]any {
	if obj := m.decode(row, value); quota.Selects(q, row, obj) {
		return quota.Usage(row, obj, m.registry.Clock.Now())
	}
	return nil
}

func (m *measurer) reconcile(ctx context.Context, key string) (time.Duration, error) {
	at := m.quotas
	at.Namespace, at.Name, _ = strings.Cut(key, "/")
	wrote, last := false, measured{}
	value, _, err := m.registry.Update(ctx, at, func(q map[string]any) (map[string]any, error) {
		last.from, _ = m.registry.Store.Bounds()
		hard, was := hardOf(q), tree.Object(q, "status")
		used, err := m.used(q, hard, tree.Object(was, "used"))
		wrote = err == nil && !(quota.Same(hard, tree.Object(was, "hard")) && quota.Same(used, tree.Object(was, "used")))
		if wrote {
			q["status"] = map[string]any{"hard": hard, "used": used}
		}
		return q, err
	}, false, options("UpdateOptions"))
	switch {
	case status.Is(err, status.NotFound):
		delete(m.wrote, key)
		return 0, nil
	case wrote && err == nil:
		last.to, _ = strconv.ParseInt(object.ResourceVersion(m.decode(at.Resource, value)), 10, 64)
		m.wrote[key] = last
	}
	return remeasure, err
}

// used returns what of a quota's resources is in use. What nothing counts in stays as it was.
func (m *measurer) used(q, hard, was map[string]any) (map[string]any, error) {
	used, seen := map[string]any{}, map[string]bool{}
	for name := range hard {
		if v := was[name]; v != nil {
			used[name] = v
		}
	}
	for _, row := range m.registry.Table.Resources() {
		names := quota.Tracked(row, hard)
		if len(names) == 0 || seen[row.Bucket()] || quota.Ignored(row) || !row.HasVerb("create") || !row.HasVerb("watch") {
			continue
		}
		seen[row.Bucket()] = true
		total, err := m.total(q, row)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			used[name] = "0"
			if v := total[name]; v != nil {
				used[name] = v
			}
		}
	}
	return used, nil
}

// total returns what all objects of a type count in a quota.
func (m *measurer) total(q map[string]any, row *schema.Resource) (map[string]any, error) {
	query, total := mvcc.Query{Group: object.Namespace(q) + "/", ValuesOnly: true}, map[string]any{}
	if !quota.ByContent(row) {
		query.ValuesOnly, query.Limit = false, 1
	}
	page, err := m.registry.Store.Range(row.Bucket(), query)
	if err != nil {
		return nil, err
	}
	for _, value := range page.Values {
		quota.Add(total, m.counts(q, row, value))
	}
	if len(page.Items) > 0 { // each counts as much as the first
		for name := range m.counts(q, row, page.Items[0].Value) {
			total[name] = strconv.Itoa(1 + page.Remaining)
		}
	}
	return total, nil
}
