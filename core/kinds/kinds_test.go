package kinds_test

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/schema"
)

// createAll applies the strategy to a new object, in the order of a request.
func createAll(r *strategy.Strategy, c *strategy.Context, res *schema.Resource, obj map[string]any) field.ErrorList {
	r.Fill(obj)
	if errs := r.AdmitNew(c, obj); len(errs) > 0 {
		return errs
	}
	return r.Create(c, res, obj)
}

// updateAll is createAll for a changed object, or for a subresource of it.
func updateAll(r *strategy.Strategy,
	c *strategy.Context, res *schema.Resource, subresource string, obj, old map[string]any) field.ErrorList {
	r.Fill(obj)
	if subresource == "" {
		r.AdmitChanged(c, obj, old)
	}
	return r.UpdateSubresource(c, res, subresource, obj, old)
}
