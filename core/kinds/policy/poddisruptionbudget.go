package policy

import (
	"encoding/json"
	"maps"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
)

// PodDisruptionBudget is the strategy of PodDisruptionBudgets.
var PodDisruptionBudget = strategy.Strategy{
	Validate:       func(obj map[string]any) field.ErrorList { return validateBudget(tree.Object(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateBudget(tree.Object(obj, "spec")) },
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		status := tree.Object(obj, "status")
		errs := valid.Conditions(tree.List(status, "conditions"), "status.conditions", valid.ConditionRules)
		return append(errs, rule.NotNegative(status, "status", "disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")...)
	},
}

func validateBudget(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	if spec["minAvailable"] != nil && spec["maxUnavailable"] != nil {
		printed := maps.Clone(spec)
		if s := tree.Object(spec, "selector"); s != nil {
			printed["selector"] = json.RawMessage(valid.PrintSelector(s))
		}
		errs.Add(field.Invalid(p, tree.GoStruct(printed, "MinAvailable", "Selector", "MaxUnavailable", "UnhealthyPodEvictionPolicy"),
			"minAvailable and maxUnavailable cannot be both set"))
	}
	for _, name := range []string{"minAvailable", "maxUnavailable"} {
		if v := spec[name]; v != nil {
			errs.Add(valid.CountOrPercent(v, p.Child(name))...)
			errs.Add(valid.AtMostAll(v, p.Child(name))...)
		}
	}
	errs.Add(valid.LabelSelector(tree.Object(spec, "selector"), p.Child("selector"))...)
	if spec["unhealthyPodEvictionPolicy"] != nil {
		errs.Add(rule.RequireOneOf(spec, p, "unhealthyPodEvictionPolicy", "AlwaysAllow", "IfHealthyBudget")...)
	}
	return errs
}
