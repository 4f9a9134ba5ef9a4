package managedfields

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A Scale has its object's replicas under another path. The owner of one owns the other: these
// functions copy entries from the object to its Scale and back.

const (
	scale        = "scale"
	scaleVersion = "autoscaling/v1"
)

// replicas is the path in all built-in types that have a Scale, and in the Scale.
var replicas = pathOf("spec.replicas")

// replicasOf returns the path in the write's own type.
func (w Write) replicasOf() fieldpath.Path {
	if c := w.Resource.Custom; c != nil && c.Scale != nil {
		return pathOf(strings.Join(c.Scale.Spec, "."))
	}
	return replicas
}

func scaleGroup() group {
	kind := schema.TypeOf("autoscaling", "v1", "Scale")
	return group{parser: Parser(kind), kind: kind, apiVersion: scaleVersion, name: "Scale"}
}

// ToScale sets the entries of a Scale from those of its object: the entries that own the replicas.
func (w Write) ToScale(view, obj map[string]any) {
	own := w.replicasOf()
	managed, err := parse(entriesOf(obj))
	if err != nil {
		return
	}
	m := newManaged()
	for id, entry := range managed.fields {
		if entry.Set().Has(own) {
			m.move(managed, id, fieldpath.NewVersionedSet(fieldpath.NewSet(replicas), scaleVersion, entry.Applied()))
		}
	}
	_ = setEntries(view, m, false)
}

// FromScale sets the entries of obj after a write to its Scale: those of live, changed as those of
// the Scale were.
func (w Write) FromScale(obj, live, view map[string]any) {
	was, err := parse(entriesOf(live))
	if err != nil {
		was = newManaged()
	}
	is, err := parse(entriesOf(view))
	if err != nil {
		is = newManaged()
	}
	m, own := newManaged(), w.replicasOf()
	for id, entry := range was.fields {
		if _, owns := is.fields[id]; owns || !entry.Set().Has(own) {
			delete(is.fields, id)
			m.move(was, id, entry)
		} else if rest := entry.Set().Difference(fieldpath.NewSet(own)); !rest.Empty() {
			m.move(was, id, fieldpath.NewVersionedSet(rest, entry.APIVersion(), entry.Applied()))
		}
	}
	for id, entry := range is.fields {
		if entry.Set().Has(replicas) {
			m.fields[id] = fieldpath.NewVersionedSet(fieldpath.NewSet(own), fieldpath.APIVersion(w.Resource.APIVersion()),
				entry.Applied())
			m.managers[id] = is.managers[id]
			if at, ok := was.times[id]; ok {
				m.times[id] = at // the Scale's own times do not count
			}
		}
	}
	if setEntries(obj, m, w.Resource.Type() == nil) != nil {
		delete(object.Meta(obj), "managedFields")
	}
}

// move moves an entry from another object.
func (m *managed) move(from *managed, id string, entry fieldpath.VersionedSet) {
	m.fields[id], m.managers[id] = entry, from.managers[id]
	if at, ok := from.times[id]; ok {
		m.times[id] = at
	}
}
