package registry

import (
	"context"
	"maps"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// The operations that admission tells apart.
const (
	OperationCreate = "CREATE"
	OperationUpdate = "UPDATE"
	OperationDelete = "DELETE"
	// OperationConnect is a request that is handed on: the object is its parameters.
	OperationConnect = "CONNECT"
)

// A Review is one write on its way to the storage, as admission sees it. The
// user who makes it is in the context: see package auth.
type Review struct {
	// Target has the name that the request gave, which may be empty for a create.
	Target
	Operation string
	// Object is what is to be stored, as the subresource shows it; nil for a
	// deletion. Mutating plugins change it in place.
	Object map[string]any
	// Old is what is stored, shown likewise; nil for a creation. It must not be
	// changed.
	Old map[string]any
	// Options are the meta/v1 options of the verb as a tree, with apiVersion and
	// kind, as the client sent them; nil if it is the server that writes.
	// SentOptions is what a webhook is told of them.
	Options map[string]any
	DryRun  bool
	// Warn takes a text for a Warning header; never nil.
	Warn func(string)

	manager string
}

// An Admission plugin may change a write, and refuse it with the error that is
// the answer. A write passes the Mutate of all plugins, in order, before it is
// defaulted again and validated, and the Validate of all just before it is
// stored: the two phases of the real server's chain. Both may be called more than
// once for one request, when the object was written meanwhile.
type Admission interface {
	Mutate(context.Context, *Review) error
	Validate(context.Context, *Review) error
}

// review begins a Review. The object's own name counts where the request has
// none.
func review(t Target, operation string, obj, old map[string]any, o WriteOptions) *Review {
	if t.Name == "" && obj != nil {
		t.Name = object.Name(obj)
	}
	warn := o.Warn
	if warn == nil {
		warn = func(string) {}
	}
	return &Review{
		Target: t, Operation: operation, Object: obj, Old: old,
		Options: o.Tree, DryRun: o.DryRun, Warn: warn, manager: o.Manager,
	}
}

// Exchanged is the type of the objects of a review: that of the subresource, or
// the resource's own.
func (v *Review) Exchanged() (group, version, kind string, t *schema.Type) {
	if v.Subresource != "" {
		if sub := v.Resource.Subresource(v.Subresource); sub != nil {
			return sub.Group, sub.Version, sub.Kind, sub.Type()
		}
	}
	return v.Group, v.Version, v.Kind, v.Type()
}

// optionsKinds are the kinds of the options of operations.
var optionsKinds = map[string]string{
	OperationCreate: "CreateOptions", OperationUpdate: "UpdateOptions", OperationDelete: "DeleteOptions",
}

// SentOptions are the options in the words of the operation: a patch is an update,
// and a PUT that creates is a creation, so what only they know is left out. The
// grace period of a pod and the uid of a namespace are filled into the options of
// a deletion that lacks them. A CONNECT has none.
func (v *Review) SentOptions() map[string]any {
	if v.Operation == OperationConnect {
		return nil
	}
	options := map[string]any{}
	if v.Options != nil {
		maps.Copy(options, v.Options)
		delete(options, "force")
	} else {
		if v.manager != "" {
			options["fieldManager"] = v.manager
		}
		if v.DryRun {
			options["dryRun"] = []any{"All"}
		}
	}
	if v.Operation == OperationDelete {
		if v.Graceful && options["gracePeriodSeconds"] == nil {
			options["gracePeriodSeconds"], _ = gracePeriod(v.Target, v.Old, DeleteOptions{})
		}
		if v.IsNamespace() && object.GetString(options, "preconditions", "uid") == "" {
			all := map[string]any{"uid": object.UID(v.Old)}
			if given := object.GetString(options, "preconditions", "resourceVersion"); given != "" {
				all["resourceVersion"] = given
			}
			options["preconditions"] = all
		}
	}
	object.SetTypeMeta(options, "meta.k8s.io/v1", optionsKinds[v.Operation])
	return options
}

type admittedKey struct{}

// Admitted returns a context whose writes skip admission: they carry out what has
// been through it in another form, as a Binding has that makes a change of a pod.
func Admitted(ctx context.Context) context.Context {
	return context.WithValue(ctx, admittedKey{}, true)
}

// unseen says whether admission has nothing to do with what a context's writes do.
func (r *Registry) unseen(ctx context.Context) bool {
	return len(r.Admission) == 0 || ctx.Value(admittedKey{}) != nil
}

// AdmitVirtual sends an object that is not stored through both phases of admission,
// as the object of a creation: a Binding, an Eviction, a TokenRequest, a review. It
// is changed in place.
func (r *Registry) AdmitVirtual(ctx context.Context, t Target, obj map[string]any, o WriteOptions) error {
	return r.admitBoth(ctx, review(t, OperationCreate, obj, nil, o))
}

// AdmitConnect does so with the parameters of a CONNECT.
func (r *Registry) AdmitConnect(ctx context.Context, t Target, options map[string]any, warn func(string)) error {
	return r.admitBoth(ctx, review(t, OperationConnect, options, nil, WriteOptions{Warn: warn}))
}

func (r *Registry) admitBoth(ctx context.Context, v *Review) error {
	if r.unseen(ctx) {
		return nil
	}
	if err := r.runMutate(ctx, v); err != nil {
		return err
	}
	return r.runValidate(ctx, v)
}

// mutate sends a write through the first phase of admission. A new object has
// neither uid nor creationTimestamp there; the ones it has are given back to it.
func (r *Registry) mutate(ctx context.Context, v *Review) error {
	if r.unseen(ctx) {
		return nil
	}
	if v.Operation == OperationCreate {
		defer withhold(v.Object, "uid", "creationTimestamp")()
	}
	shown := v.shown()
	if err := r.runMutate(ctx, shown); err != nil || v.Object == nil {
		return err
	}
	if shown != v {
		_, err := SetScale(v.Resource, v.Object, shown.Object)
		return err
	}
	return MatchNamespace(v.Target, v.Object)
}

// admit sends a write through the second phase. A generated name is known by now.
func (r *Registry) admit(ctx context.Context, v *Review) error {
	if r.unseen(ctx) {
		return nil
	}
	shown := *v.shown()
	if shown.Name == "" {
		shown.Name = object.Name(shown.Object)
	}
	return r.runValidate(ctx, &shown)
}

func (r *Registry) runMutate(ctx context.Context, v *Review) error {
	for _, plugin := range r.Admission {
		if err := plugin.Mutate(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

func (r *Registry) runValidate(ctx context.Context, v *Review) error {
	for _, plugin := range r.Admission {
		if err := plugin.Validate(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// shown is the review of a write in the form in which the request's path shows
// the object.
func (v *Review) shown() *Review {
	if v.Subresource != "scale" || v.Object == nil || v.Old == nil {
		return v
	}
	scale := *v
	scale.Object, scale.Old = ScaleOf(v.Resource, v.Object), ScaleOf(v.Resource, v.Old)
	return &scale
}

// withhold takes fields out of an object's metadata, and returns what puts them
// back in the place of what is there by then.
func withhold(obj map[string]any, names ...string) func() {
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
