package policy

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// PodDisruptionBudget is the strategy of PodDisruptionBudgets.
var PodDisruptionBudget = strategy.Strategy{
	Validate: func(obj map[string]any) field.ErrorList { return budget.Check(obj, "") },
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		status := tree.Object(obj, "status")
		errs := valid.Conditions(tree.List(status, "conditions"), "status.conditions", valid.ConditionRules)
		return append(errs,
			rule.NotNegative(status, "status", "disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")...)
	},
}

var budget = rule.Fields{{Key: "spec", Is: rule.Fields{
	{Is: rule.Object(validateOneBound)},
	{Key: "minAvailable", Is: podsOrPercent},
	{Key: "maxUnavailable", Is: podsOrPercent},
	{Key: "selector", Is: rule.Object(valid.LabelSelector)},
	{Key: "unhealthyPodEvictionPolicy", Is: rule.All{
		rule.IfSet{},
		rule.Enum(enum.UnhealthyPodEvictionPolicyType),
	}},
}}}

var podsOrPercent = rule.All{rule.IfSet{}, rule.Func(valid.CountOrPercent), rule.Func(valid.AtMost100Percent)}

// validateOneBound checks that a budget has one bound and not both.
func validateOneBound(spec map[string]any, at field.Path) field.ErrorList {
	if spec["minAvailable"] == nil || spec["maxUnavailable"] == nil {
		return nil
	}
	value := shape.PodDisruptionBudgetSpec.Print(spec)
	return field.ErrorList{field.Invalid(at, value, "minAvailable and maxUnavailable cannot be both set")}
}
