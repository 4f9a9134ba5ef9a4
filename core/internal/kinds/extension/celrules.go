package extension

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/internal/traces"
	"github.com/tabernetes/tabernetes/core/schema"
)

// evaluateRules adds the CEL rules of a custom resource's schema to its strategy. They are
// evaluated last, and not if there is a violation that they depend on.
func evaluateRules(r *strategy.Strategy, res *schema.Resource) {
	if res.Custom.Rules == nil {
		return
	}
	evaluate := func(c *strategy.Context, errs field.ErrorList, obj, old map[string]any) field.ErrorList {
		step := c.Traces.Begin("CustomResourceDefinition", res.Plural+"."+res.Group)
		if blocked := structural.Blocked(errs); blocked != nil {
			step.Skip("schema")
			return append(errs, blocked...)
		}
		broken, warnings := res.Custom.Rules.Validate(obj, old, step)
		if step != nil {
			step.Version, step.Outcome = res.Version, outcomeOf(step, broken)
		}
		c.Warnings = append(c.Warnings, warnings...)
		return append(errs, broken...)
	}
	var c *strategy.Context // for this request's strategy
	prepareCreate, prepareUpdate := r.PrepareCreate, r.PrepareUpdate
	r.PrepareCreate = func(now *strategy.Context, obj map[string]any) { c = now; prepareCreate(now, obj) }
	r.PrepareUpdate = func(now *strategy.Context, obj, old map[string]any) { c = now; prepareUpdate(now, obj, old) }
	create, update := r.Validate, r.ValidateUpdate
	r.Validate = func(obj map[string]any) field.ErrorList { return evaluate(c, create(obj), obj, nil) }
	r.ValidateUpdate = func(obj, old map[string]any) field.ErrorList { return evaluate(c, update(obj, old), obj, old) }
	if status, ok := r.Subresources["status"]; ok {
		r.Subresources["status"] = func(c *strategy.Context, obj, old map[string]any) field.ErrorList {
			return evaluate(c, status(c, obj, old), obj, old)
		}
	}
}

// outcomeOf returns what rules came to.
func outcomeOf(step *traces.Step, broken field.ErrorList) string {
	switch {
	case len(broken) > 0:
		return traces.Refused
	case slices.ContainsFunc(step.Evaluations, func(e traces.Evaluation) bool { return e.Tolerated }):
		return traces.Tolerated
	}
	return traces.Allowed
}
