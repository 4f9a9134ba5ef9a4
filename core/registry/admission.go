package registry

import (
	"context"
	"maps"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/managedfields"
	"github.com/tabernetes/tabernetes/core/object"
)

// newAttributes returns the attributes of a write. The object's own name is used if the request has
// none.
func newAttributes(t Target, operation string, obj, old map[string]any, o WriteOptions) *admission.Attributes {
	if t.Name == "" && obj != nil {
		t.Name = object.Name(obj)
	}
	warn := o.Warn
	if warn == nil {
		warn = func(string) {}
	}
	return &admission.Attributes{
		Resource: t.Resource, Namespace: t.Namespace, Name: t.Name, Subresource: t.Subresource,
		Operation: operation, Object: obj, Old: old, Given: o.Given,
		Options: o.Tree, DryRun: o.DryRun, Warn: warn, FieldManager: o.Manager,
	}
}

type admittedKey struct{}

// Admitted returns a context whose writes skip admission: they carry out a virtual object that has
// passed it, such as a Binding that changes a pod, or create the initial objects.
func Admitted(ctx context.Context) context.Context {
	return context.WithValue(ctx, admittedKey{}, true)
}

// skipsAdmission reports whether the writes of a context skip admission.
func (r *Registry) skipsAdmission(ctx context.Context) bool {
	return len(r.Admission) == 0 || ctx.Value(admittedKey{}) != nil
}

// Precheck runs the first phase of admission for a virtual object, for which AdmitVirtual is called
// later.
func (r *Registry) Precheck(ctx context.Context, t Target, obj map[string]any) error {
	return r.Admission.Precheck(ctx, newAttributes(t, admission.Create, obj, nil, WriteOptions{}))
}

// AdmitVirtual runs the later phases of admission for an object that is not stored, as for a
// creation: a Binding, an Eviction, a TokenRequest, a review. It is changed in place.
func (r *Registry) AdmitVirtual(ctx context.Context, t Target, obj map[string]any, o WriteOptions) error {
	return r.admitBoth(ctx, newAttributes(t, admission.Create, obj, nil, o))
}

// AdmitConnect does so for the parameters of a CONNECT.
func (r *Registry) AdmitConnect(ctx context.Context, t Target, options map[string]any, warn func(string)) error {
	return r.admitBoth(ctx, newAttributes(t, admission.Connect, options, nil, WriteOptions{Warn: warn}))
}

func (r *Registry) admitBoth(ctx context.Context, a *admission.Attributes) error {
	if r.skipsAdmission(ctx) {
		return nil
	}
	if err := r.Admission.Mutate(ctx, a); err != nil {
		return err
	}
	return r.Admission.Validate(ctx, a)
}

// mutate runs the mutating phase of admission for a write to a target. A new object has neither uid
// nor creationTimestamp there; its own are restored afterwards.
func (r *Registry) mutate(ctx context.Context, t Target, a *admission.Attributes) error {
	if r.skipsAdmission(ctx) {
		return nil
	}
	if a.Operation == admission.Create {
		defer takeFields(a.Object, "uid", "creationTimestamp")()
	}
	shown := shown(a)
	entries := object.GetList(a.Object, "metadata", "managedFields")
	if err := r.Admission.Mutate(ctx, shown); err != nil || a.Object == nil {
		return err
	}
	keepEntries(a, entries)
	if shown != a {
		_, err := SetScale(a.Resource, a.Object, shown.Object)
		return err
	}
	UniqueOwners(a.Object, " after mutating admission happens", a.Warn)
	return MatchNamespace(t, a.Object)
}

// admit runs the validating phase. A generated name is known by now.
func (r *Registry) admit(ctx context.Context, a *admission.Attributes) error {
	if r.skipsAdmission(ctx) {
		return nil
	}
	shown := shown(a)
	if shown.Name == "" {
		named := *shown
		named.Name = object.Name(shown.Object)
		shown = &named
	}
	return r.Admission.Validate(ctx, shown)
}

// shown returns the attributes of a write with the object in the form of the request's path.
func shown(a *admission.Attributes) *admission.Attributes {
	if a.Subresource != "scale" || a.Object == nil || a.Old == nil {
		return a
	}
	scale := *a
	scale.Object, scale.Old = ScaleOf(a.Resource, a.Object), ScaleOf(a.Resource, a.Old)
	return &scale
}

// takeFields removes fields from an object's metadata, and returns a function that restores them,
// replacing any new values.
func takeFields(obj map[string]any, names ...string) func() {
	meta := object.Meta(obj)
	kept := map[string]any{}
	for _, name := range names {
		if value, ok := meta[name]; ok {
			kept[name] = value
			delete(meta, name)
		}
	}
	return func() { maps.Copy(object.Meta(obj), kept) }
}

// keepEntries gives an object back the entries that it had before admission, if what admission has made of them
// cannot be read.
func keepEntries(a *admission.Attributes, before []any) {
	meta := object.GetMap(a.Object, "metadata")
	after := object.GetList(meta, "managedFields")
	if len(after) == 0 || len(after) == len(before) && &after[0] == &before[0] {
		return
	}
	if err := managedfields.Check(after); err != nil {
		if meta["managedFields"] = before; before == nil {
			delete(meta, "managedFields")
		}
		a.Warn(".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated " +
			"mutating admission controller; please fix your requests: " + err.Error())
	}
}
