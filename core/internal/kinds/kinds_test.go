package kinds_test

import (
	"context"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// completing are the admission plugins that complete the objects of a real server, in a cluster that
// has no classes.
var completing = func() admission.Chain {
	store, table := mvcc.New(func() time.Time { return time.Time{} }), schema.Builtin()
	return admission.Chain{plugins.NodeTaint{}, &plugins.Priority{Store: store, Table: table},
		plugins.DefaultTolerations{}, plugins.StorageProtection{}, plugins.RuntimeClass{Store: store, Table: table}}
}()

// newWrite returns the attributes of a write, for the plugins.
func newWrite(operation string, res *schema.Resource, obj, old map[string]any) *admission.Attributes {
	return &admission.Attributes{Resource: res, Namespace: object.Namespace(obj), Name: object.Name(obj),
		Operation: operation, Object: obj, Old: old}
}

// refusal returns the error of a plugin as a violation.
func refusal(err error) field.ErrorList {
	if err == nil {
		return nil
	}
	return field.ErrorList{field.Forbidden("", err.Error())}
}

// createAll applies the plugins and the strategy to a new object, in the order of a request.
func createAll(r *strategy.Strategy, c *strategy.Context, res *schema.Resource, obj map[string]any) field.ErrorList {
	return createAs(r, c, newWrite(admission.Create, res, obj, nil))
}

// createAs is createAll for the attributes of a write.
func createAs(r *strategy.Strategy, c *strategy.Context, a *admission.Attributes) field.ErrorList {
	r.Fill(a.Object)
	if err := completing.Mutate(context.Background(), a); err != nil {
		return refusal(err)
	}
	if errs := r.Create(c, a.Resource, a.Object); len(errs) > 0 {
		return errs
	}
	return refusal(completing.Validate(context.Background(), a))
}

// updateAll is createAll for a changed object, or for a subresource of it.
func updateAll(r *strategy.Strategy,
	c *strategy.Context, res *schema.Resource, subresource string, obj, old map[string]any) field.ErrorList {
	r.Fill(obj)
	a := newWrite(admission.Update, res, obj, old)
	a.Subresource = subresource
	if err := completing.Mutate(context.Background(), a); err != nil {
		return refusal(err)
	}
	if errs := r.UpdateSubresource(c, res, subresource, obj, old); len(errs) > 0 {
		return errs
	}
	return refusal(completing.Validate(context.Background(), a))
}
