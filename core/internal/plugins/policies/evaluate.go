package policies

import (
	"context"
	"errors"
	"maps"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/object"
)

// An evaluation is of the expressions of one policy, for one request and one parameter.
type evaluation struct {
	*policy
	compiled expression.Compiled
	in       *expression.Input
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
	results, left, err := e.compiled.Evaluate(ctx, e.conditions, &in, expression.ConditionsBudget)
	if err != nil {
		return false, err
	}
	return match.Decide(results, left)
}

// evaluate evaluates some expressions; it fails if they cost too much together.
func (e *evaluation) evaluate(
	ctx context.Context, which []int, in *expression.Input, budget int64,
) ([]expression.Result, int64, error) {
	if len(which) == 0 {
		return nil, budget, nil
	}
	results, left, err := e.compiled.Evaluate(ctx, which, in, budget)
	if err == nil && left < 0 {
		err = match.ErrBudget
	}
	if err == nil && len(results) != len(which) {
		err = errors.New("the evaluator gave no result")
	}
	return results, left, err
}
