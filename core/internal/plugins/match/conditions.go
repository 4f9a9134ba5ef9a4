package match

import (
	"errors"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/object"
)

// Conditions are the expressions of match conditions.
func Conditions(tree map[string]any) (all []expression.Expression) {
	for _, entry := range object.GetList(tree, "matchConditions") {
		if tree, ok := entry.(map[string]any); ok {
			all = append(all, expression.Expression{Text: object.GetString(tree, "expression"), Returns: expression.Bool})
		}
	}
	return all
}

// ErrBudget is the error of expressions that cost too much together.
var ErrBudget = errors.New("validation failed due to running out of cost budget, " +
	"no further validation rules will be run")

// Decide returns what evaluated match conditions say: one that is false decides, also if others could not be
// evaluated. left is what they left of their budget.
func Decide(results []expression.Result, left int64) (bool, error) {
	if left < 0 {
		return false, ErrBudget
	}
	var wrong []string
	for _, r := range results {
		if r.Error == "" && r.Value == false {
			return false, nil
		}
		if r.Error != "" && !slices.Contains(wrong, r.Error) {
			wrong = append(wrong, r.Error)
		}
	}
	switch len(wrong) {
	case 0:
		return true, nil
	case 1:
		return false, errors.New(wrong[0])
	}
	return false, errors.New("[" + strings.Join(wrong, ", ") + "]")
}
