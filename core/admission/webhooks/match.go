package webhooks

import (
	"context"
	"sync"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/internal/traces"
	"github.com/tabernetes/tabernetes/core/status"
)

// A meeting is a webhook, and the request in the version in which it sees it.
type meeting struct {
	*hook
	form *match.Form
}

// meet returns how a webhook sees a request; nil if it does not. It looks at the object in its present state, which
// earlier webhooks may have changed.
func (w *Plugin) meet(ctx context.Context, r *match.Request, h *hook) (*meeting, error) {
	resource, err := r.Match(h.criteria)
	if err != nil && h.criteria.Invalid != nil {
		err = status.NewInternal(err)
	}
	step := traces.Of(ctx).Begin(h.kind, h.configuration)
	if step != nil {
		step.Binding = h.name
	}
	if err != nil {
		step.End(traces.Refused, err.Error())
		return nil, err
	}
	if resource == nil {
		if step != nil {
			step.Skip(r.Mismatch(h.criteria))
		}
		return nil, nil
	}
	form, err := match.FormOf(ctx, resource, r.Attributes)
	if err != nil {
		return nil, err
	}
	m := &meeting{h, form}
	if h.conditions == nil {
		step.End(traces.Called, "")
		return m, nil
	}
	wanted, err := w.holds(ctx, m, r.Attributes, step)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && !h.ignore:
		step.End(traces.Refused, err.Error())
		return nil, status.NewForbidden(r.GroupResource(), r.Attributes.Name, err.Error())
	case err != nil:
		step.End(traces.Ignored, err.Error())
		return nil, nil
	case !wanted:
		step.Skip("matchConditions")
		return nil, nil
	}
	step.End(traces.Called, "")
	return m, nil
}

// conditions are the match conditions of a webhook.
type conditions struct {
	unit expression.Unit

	mu       sync.Mutex // held while they are compiled
	compiled expression.Compiled
}

func newConditions(tree map[string]any) *conditions {
	all := match.Conditions(tree)
	if len(all) == 0 {
		return nil
	}
	return &conditions{unit: expression.Unit{Expressions: all, Authorizer: true}}
}

// holds reports whether the match conditions of a webhook are all true.
func (w *Plugin) holds(
	ctx context.Context, m *meeting, a *admission.Attributes, step *traces.Step,
) (bool, error) {
	c := m.conditions
	compiled, err := c.compile(ctx, w.CEL)
	if err != nil {
		return false, err
	}
	in := m.form.Input(ctx, a)
	in.Authorize, in.Trace = w.Access.Asker(ctx), step != nil
	which := make([]int, len(c.unit.Expressions))
	for i := range which {
		which[i] = i
	}
	results, left, err := compiled.Evaluate(ctx, which, in, expression.ConditionsBudget)
	if err != nil {
		return false, err
	}
	for i, r := range results {
		for _, made := range r.Traces {
			made.Use = traces.MatchCondition
			made.Field = string(field.Path("webhooks").Index(m.place).Child("matchConditions").Index(i).Child("expression"))
			step.Add(made)
		}
	}
	return match.Decide(results, left)
}

// compile compiles the conditions when they are first needed.
func (c *conditions) compile(ctx context.Context, evaluator expression.Evaluator) (expression.Compiled, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.compiled == nil {
		if evaluator == nil {
			return nil, expression.ErrUnavailable
		}
		compiled, _, err := evaluator.CompileUnit(ctx, &c.unit)
		if err != nil {
			return nil, err
		}
		c.compiled = compiled
	}
	return c.compiled, nil
}
