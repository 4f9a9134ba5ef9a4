package policies

import (
	"context"
	"errors"
	"maps"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/internal/traces"
	"github.com/tabernetes/tabernetes/core/object"
)

// An evaluation is of the expressions of one policy, for one request and one parameter.
type evaluation struct {
	*policy
	compiled expression.Compiled
	in       *expression.Input
	step     *traces.Step // or nil
}

// namespaceOf returns what expressions see of a request's namespace; nil for a cluster-scoped object. Mutations see
// all of its metadata.
func namespaceOf(r *match.Request, whole bool) (map[string]any, error) {
	found, err := r.Namespace()
	if found == nil || err != nil {
		return nil, err
	}
	found = maps.Clone(found)
	delete(found, "kind")
	delete(found, "apiVersion")
	if !whole {
		meta := maps.Clone(object.GetMap(found, "metadata"))
		delete(meta, "managedFields")
		delete(meta, "ownerReferences")
		found["metadata"] = meta
	}
	return found, nil
}

// matches reports whether the match conditions are all true. They do not see the namespace.
func (e *evaluation) matches(ctx context.Context) (bool, error) {
	if len(e.conditions) == 0 {
		return true, nil
	}
	in := *e.in
	in.NamespaceObject = nil
	results, left, err := e.run(ctx, e.conditions, &in, expression.ConditionsBudget)
	if err != nil {
		return false, err
	}
	ok, err := match.Decide(results, left)
	if !ok && err == nil {
		e.step.Skip("matchConditions")
	}
	return ok, err
}

// run evaluates some expressions, and notes what they came to if someone asks.
func (e *evaluation) run(
	ctx context.Context, which []int, in *expression.Input, budget int64,
) ([]expression.Result, int64, error) {
	if e.step == nil {
		return e.compiled.Evaluate(ctx, which, in, budget)
	}
	traced := *in
	traced.Trace = true
	results, left, err := e.compiled.Evaluate(ctx, which, &traced, budget)
	for i, r := range results {
		for _, made := range r.Traces {
			e.step.Add(e.placed(which[i], made))
		}
	}
	return results, left, err
}

// evaluate evaluates some expressions; it fails if they cost too much together.
func (e *evaluation) evaluate(
	ctx context.Context, which []int, in *expression.Input, budget int64,
) ([]expression.Result, int64, error) {
	if len(which) == 0 {
		return nil, budget, nil
	}
	results, left, err := e.run(ctx, which, in, budget)
	if err == nil && left < 0 {
		err = match.ErrBudget
	}
	if err == nil && len(results) != len(which) {
		err = errors.New("the evaluator gave no result")
	}
	return results, left, err
}
