package managedfields

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

const (
	// maxUpdaters is the maximum number of managers with entries for updates; the oldest are joined
	// under the name ancient.
	maxUpdaters = 10
	ancient     = "ancient-changes"
	// beforeApply is the owner of the existing fields when an object without entries is applied to for
	// the first time.
	beforeApply = "before-first-apply"
	// current stands for the manager of the write that is being processed.
	current = "current-operation"
)

// stripped are the fields that are never owned.
var stripped = paths("apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace",
	"metadata.creationTimestamp",
	"metadata.selfLink", "metadata.uid", "metadata.clusterName", "metadata.generation", "metadata.managedFields",
	"metadata.resourceVersion")

// A Write describes one write to an object of a resource type.
type Write struct {
	// Context is the request's: objects may be converted for their fields in other versions.
	Context  context.Context
	Resource *schema.Resource
	// Subresource is empty for the object's own path. Writes to scale are of Scales, and those to others with their
	// own kind, such as token, of that kind.
	Subresource string
	// Manager is the field manager that the client names, or its program.
	Manager string
	Now     time.Time
	// Given, if set, gets what the result of an Apply does not hold of the merged object.
	Given *object.Given
}

// group is the type, version and owned fields of the write's objects.
type group struct {
	ctx        context.Context
	resource   *schema.Resource // nil for a kind that only a subresource has
	parser     typed.ParseableType
	kind       *schema.Type
	apiVersion string
	name       string // of the kind
	filter     fieldpath.Filter
}

func (w Write) group() group {
	if w.Subresource == scale {
		return scaleGroup()
	}
	r := w.Resource
	if sub := r.Subresource(w.Subresource); sub != nil && sub.Kind != "" && sub.Kind != r.Kind {
		kind := sub.Type()
		return group{parser: Parser(kind), kind: kind, apiVersion: sub.APIVersion(), name: sub.Kind}
	}
	return group{
		ctx: w.Context, resource: r, parser: parserOf(r), kind: r.Type(), apiVersion: r.APIVersion(),
		name: r.Kind, filter: resetOf(r, w.Subresource),
	}
}

// time returns the time for the write's entry.
func (w Write) time() string { return w.Now.UTC().Format(time.RFC3339) }

func (w Write) manager(operation, apiVersion string) manager {
	return manager{cmp.Or(w.Manager, "unknown"), operation, apiVersion, w.Subresource}
}

// Update records in obj what a create, an update or a patch has changed: live is the stored object,
// nil for a create. Entries in obj are used, on the object's own path, if they parse; an empty list
// removes all ownership. An object without entries stays without them until it is applied to.
//
// If objects cannot be compared, the entries are dropped, as in the real server.
func (w Write) Update(live, obj map[string]any) {
	g, meta := w.group(), object.Meta(obj)
	if live == nil && meta["managedFields"] == nil && w.create(g, obj) {
		return
	}
	m := w.given(live, obj)
	delete(meta, "managedFields")
	if len(m.fields) == 0 && (live != nil || w.create(g, obj)) {
		return
	}
	if err := w.update(g, g.live(live), obj, m, w.manager(operationUpdate, g.apiVersion)); err != nil {
		return
	}
	if setEntries(obj, m, g.kind == nil) != nil {
		delete(meta, "managedFields")
	}
}

// given returns the entries before the write.
func (w Write) given(live, obj map[string]any) *managed {
	if w.Subresource == "" {
		entries := object.Meta(obj)["managedFields"]
		if reset(entries) {
			return newManaged()
		}
		if list, _ := entries.([]any); len(list) > 0 {
			if m, err := parse(list); err == nil && len(m.fields) > 0 {
				m.trust(entriesOf(live))
				return m
			}
		}
	}
	if m, err := parse(entriesOf(live)); err == nil {
		return m
	}
	return newManaged()
}

// live returns the object before the write: for a create, an empty one.
func (g group) live(obj map[string]any) map[string]any {
	if obj != nil {
		return obj
	}
	return g.empty()
}

// empties caches empty objects, by *schema.Type.
var empties sync.Map

// empty returns an empty object of the type. It must not be changed.
func (g group) empty() map[string]any {
	if made, ok := empties.Load(g.kind); ok {
		return made.(map[string]any)
	}
	obj := map[string]any{"metadata": map[string]any{}}
	if g.kind == nil {
		return obj
	}
	if full, _, err := object.Normalize(obj, g.kind); err == nil {
		obj = full
	}
	made, _ := empties.LoadOrStore(g.kind, obj)
	return made.(map[string]any)
}

// update changes m to the entries after the manager who has changed live to obj.
func (w Write) update(g group, live, obj map[string]any, m *managed, who manager) error {
	if m.only(g.apiVersion) { // other versions are converted from whole objects
		if live, obj = differing(live, obj); m.stored() && (nothing(live) && nothing(obj) || w.owned(g, live, obj, m, who)) {
			return nil
		}
	}
	return w.compare(g, live, obj, m, who)
}

// compare is the general path of update. Values of no type are compared as texts, as in the real server: another order
// of their fields is a change.
func (w Write) compare(g group, live, obj map[string]any, m *managed, who manager) error {
	was, err := g.typed(object.Texts(live), typed.AllowDuplicates)
	if err != nil {
		return err
	}
	is, err := g.typed(object.Texts(obj), typed.AllowDuplicates)
	if err != nil {
		return err
	}
	if err := g.updater(m.fields).update(was, is, current); err != nil {
		return err
	}
	m.strip(current)
	if changed, ok := m.fields[current]; ok {
		delete(m.fields, current)
		id, set := m.know(who), changed.Set()
		if before, ok := m.fields[id]; ok {
			set = set.Union(before.Set())
		}
		m.fields[id] = fieldpath.NewVersionedSet(set, changed.APIVersion(), changed.Applied())
		m.times[id] = w.time()
	}
	m.cap()
	return nil
}

// nothing reports whether a comparison has no changes except, perhaps, of entries.
func nothing(difference map[string]any) bool {
	meta, ok := difference["metadata"].(map[string]any)
	if _, has := meta["managedFields"]; has {
		return len(difference) == 1 && len(meta) == 1
	}
	return len(difference) == 0 || ok && len(difference) == 1 && len(meta) == 0
}

// stored reports whether all entries are as they were stored.
func (m *managed) stored() bool {
	for _, entry := range m.fields {
		if _, ok := m.texts[entry.Set()]; !ok {
			return false
		}
	}
	return true
}

// only reports whether all entries have one version.
func (m *managed) only(apiVersion string) bool {
	for _, entry := range m.fields {
		if string(entry.APIVersion()) != apiVersion {
			return false
		}
	}
	return true
}

// strip removes fields from an entry that are never owned.
func (m *managed) strip(id string) {
	entry, ok := m.fields[id]
	if !ok {
		return
	}
	if set := entry.Set().Difference(stripped); set.Empty() {
		delete(m.fields, id)
	} else {
		m.fields[id] = fieldpath.NewVersionedSet(set, entry.APIVersion(), entry.Applied())
	}
}

// cap joins the oldest entries of updates, separately for each version, until there are no more
// than maxUpdaters.
func (m *managed) cap() {
	var updaters []string
	for id, entry := range m.fields {
		if !entry.Applied() {
			updaters = append(updaters, id)
		}
	}
	left := len(updaters)
	if left <= maxUpdaters {
		return
	}
	slices.SortFunc(updaters, func(a, b string) int {
		return cmp.Or(cmp.Compare(m.times[a], m.times[b]), cmp.Compare(a, b))
	})
	first := map[string]string{} // of each version
	parts := map[string][]*fieldpath.Set{}
	defer func() {
		for id, sets := range parts {
			m.fields[id] = fieldpath.NewVersionedSet(union(sets), m.fields[id].APIVersion(), false)
		}
	}()
	for _, id := range updaters {
		if left <= maxUpdaters {
			return
		}
		entry := m.fields[id]
		version := string(entry.APIVersion())
		oldest, ok := first[version]
		if !ok {
			first[version] = id
			continue
		}
		joined := m.know(manager{ancient, operationUpdate, version, ""})
		if _, ok := m.fields[joined]; !ok {
			m.fields[joined] = m.fields[oldest]
			delete(m.fields, oldest)
		}
		if parts[joined] == nil {
			parts[joined] = []*fieldpath.Set{m.fields[joined].Set()}
		}
		parts[joined] = append(parts[joined], entry.Set())
		m.times[joined] = m.times[id]
		delete(m.fields, id)
		delete(parts, id)
		left--
	}
}

// typed returns an object in the form for structured-merge-diff, without the entries, which are
// never owned.
func (g group) typed(obj map[string]any, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	if meta := object.GetMap(obj, "metadata"); meta["managedFields"] != nil {
		obj, meta = maps.Clone(obj), maps.Clone(meta)
		delete(meta, "managedFields")
		obj["metadata"] = meta
	}
	obj = object.Unordered(obj)
	v, err := read(obj, g.parser, opts...)
	if err != nil && g.kind != nil {
		// The metadata of a template may have entries too, with fields as text.
		if text := object.EncodeAny(nil, obj); bytes.Contains(text, []byte(`"fieldsV1":`)) {
			if tree, err := object.DecodeAny(text); err == nil {
				return read(tree, g.parser, opts...)
			}
		}
	}
	return v, err
}

func (g group) updater(fields fieldpath.ManagedFields) updater {
	return updater{g, fieldpath.APIVersion(g.apiVersion), fields}
}

// context returns the context of conversions.
func (g group) context() context.Context {
	if g.ctx == nil {
		return context.Background()
	}
	return g.ctx
}

// KeepTimes copies the entries of old to obj, if these and the objects differ in nothing but times:
// such a write changes nothing.
func KeepTimes(obj, old map[string]any) {
	is, was := entriesOf(obj), entriesOf(old)
	if len(is) == 0 || len(is) != len(was) {
		return
	}
	same := true
	for i := range is {
		a, _ := is[i].(map[string]any)
		b, _ := was[i].(map[string]any)
		if !equalBut(a, b, "time") {
			return
		}
		same = same && a["time"] == b["time"]
	}
	if same || !equalBut(obj, old, "metadata") || !equalBut(object.Meta(obj), object.Meta(old), "managedFields") {
		return
	}
	object.Meta(obj)["managedFields"] = object.DeepCopy(was)
}

// equalBut compares two maps except for one key.
func equalBut(a, b map[string]any, but string) bool {
	return within(a, b, but) && within(b, a, but)
}

func within(a, b map[string]any, but string) bool {
	for k, v := range a {
		if w, ok := b[k]; k != but && (!ok || !object.Equal(v, w)) {
			return false
		}
	}
	return true
}
