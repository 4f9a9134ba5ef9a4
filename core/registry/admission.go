package registry

import (
	"context"

	"github.com/tabernetes/tabernetes/core/object"
)

// The operations that admission tells apart.
const (
	OperationCreate = "CREATE"
	OperationUpdate = "UPDATE"
	OperationDelete = "DELETE"
)

// A Review is one write on its way to the storage, as admission sees it. The
// user who makes it is in the context: see package auth.
type Review struct {
	// Target has the name that the request gave, which may be empty for a create.
	Target
	Operation string
	// Object is what is to be stored; nil for a deletion. Mutating plugins change
	// it in place.
	Object map[string]any
	// Old is what is stored; nil for a creation. It must not be changed.
	Old map[string]any
	// Options are the meta/v1 options of the verb as a tree, with apiVersion and
	// kind.
	Options map[string]any
	DryRun  bool
	// Warn takes a text for a Warning header; never nil.
	Warn func(string)
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
	return &Review{Target: t, Operation: operation, Object: obj, Old: old, Options: o.Tree, DryRun: o.DryRun, Warn: warn}
}

// mutate sends a write through the first phase of admission.
func (r *Registry) mutate(ctx context.Context, v *Review) error {
	for _, plugin := range r.Admission {
		if err := plugin.Mutate(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// admit sends a write through the second phase.
func (r *Registry) admit(ctx context.Context, v *Review) error {
	for _, plugin := range r.Admission {
		if err := plugin.Validate(ctx, v); err != nil {
			return err
		}
	}
	return nil
}
