package workload

import (
	"fmt"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// requireOneOf is rule.RequireOneOf with the values in the detail of a missing one.
func requireOneOf(m map[string]any, at field.Path, key string, values ...string) field.ErrorList {
	if tree.Text(m, key) == "" {
		return field.ErrorList{field.Required(at.Child(key), fmt.Sprintf("valid values: %q", values))}
	}
	return rule.RequireOneOf(m, at, key, values...)
}

// validateFailurePolicy returns the violations of a podFailurePolicy.
func validateFailurePolicy(spec, policy map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	rules := tree.Objects(policy, "rules")
	if len(rules) > 20 {
		errs.Add(field.TooMany(at, len(rules), 20))
	}
	pod := tree.At(spec, "template.spec")
	for i, r := range rules {
		at := at.Index(i)
		errs.Add(requireOneOf(r, at, "action", "Count", "FailIndex", "FailJob", "Ignore")...)
		if action := tree.Text(r, "action"); action == "FailIndex" && spec["backoffLimitPerIndex"] == nil {
			errs.Add(field.Invalid(at.Child("action"), action, "requires the backoffLimitPerIndex to be set"))
		}
		codes, conditions := tree.Object(r, "onExitCodes"), tree.Objects(r, "onPodConditions")
		if codes != nil {
			errs.Add(validateExitCodes(codes, at.Child("onExitCodes"), pod)...)
		}
		if len(conditions) > 20 {
			errs.Add(field.TooMany(at.Child("onPodConditions"), len(conditions), 20))
		}
		for j, condition := range conditions {
			at := at.Child("onPodConditions").Index(j)
			errs.Add(podConditionRules.Check(condition, at)...)
			errs.Add(requireOneOf(condition, at, "status", "False", "True", "Unknown")...)
		}
		if codes != nil && len(conditions) > 0 {
			errs.Add(field.Invalid(at, field.Omitted, "specifying both OnExitCodes and OnPodConditions is not supported"))
		}
		if codes == nil && len(conditions) == 0 {
			errs.Add(field.Invalid(at, field.Omitted, "specifying one of OnExitCodes and OnPodConditions is required"))
		}
	}
	return errs
}

var podConditionRules = rule.Fields{
	{Key: "type", Is: rule.Form(syntax.LabelKey)},
}

// validateExitCodes returns the violations of a requirement of exit codes of a pod.
func validateExitCodes(codes map[string]any, at field.Path, pod map[string]any) field.ErrorList {
	errs := requireOneOf(codes, at, "operator", "In", "NotIn")
	name, ok := codes["containerName"].(string)
	if ok && !tree.Has(tree.Objects(pod, "containers"), "name", name) &&
		!tree.Has(tree.Objects(pod, "initContainers"), "name", name) {
		errs.Add(field.Invalid(at.Child("containerName"), name,
			"must be one of the container or initContainer names in the pod template"))
	}
	values, in := tree.List(codes, "values"), tree.Text(codes, "operator") == "In"
	at = at.Child("values")
	if len(values) == 0 {
		errs.Add(field.Invalid(at, codes["values"], "at least one value is required"))
	} else if len(values) > 255 {
		errs.Add(field.TooMany(at, len(values), 255))
	}
	ordered := true
	var seen rule.Seen[any]
	for i, v := range values {
		n, _ := v.(int64)
		if in && n == 0 {
			errs.Add(field.Invalid(at.Index(i), n, "must not be 0 for the In operator"))
		}
		if seen.Again(v) {
			errs.Add(field.Duplicate(at.Index(i), n))
		}
		if i > 0 {
			previous, _ := values[i-1].(int64)
			ordered = ordered && previous <= n
		}
	}
	if !ordered {
		errs.Add(field.Invalid(at, values, "must be ordered"))
	}
	return errs
}

// validateSuccessPolicy returns the violations of a successPolicy.
func validateSuccessPolicy(spec, policy map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	rules := tree.Objects(policy, "rules")
	if tree.Text(spec, "completionMode") != "Indexed" {
		return field.ErrorList{field.Invalid(at, shape.SuccessPolicy.Print(policy), "requires indexed completion mode")}
	}
	at = at.Child("rules")
	if len(rules) == 0 {
		errs.Add(field.Required(at, "at least one rules must be specified when the successPolicy is specified"))
	}
	if len(rules) > 20 {
		errs.Add(field.TooMany(at, len(rules), 20))
	}
	completions, _ := tree.Int(spec, "completions")
	for i, one := range rules {
		at := at.Index(i)
		count, counted := tree.Int(one, "succeededCount")
		indexes, indexed := one["succeededIndexes"].(string)
		if !counted && !indexed {
			errs.Add(field.Required(at, "at least one of succeededCount or succeededIndexes must be specified"))
		}
		if len(indexes) > 64<<10 {
			errs.Add(field.TooLong(at.Child("succeededIndexes"), 64<<10))
		}
		total, err := countIndexes(indexes, completions)
		if err != nil {
			errs.Add(field.Invalid(at.Child("succeededIndexes"), indexes, "error parsing succeededIndexes: "+err.Error()))
		}
		errs.Add(rule.NotNegative(one, at, "succeededCount")...)
		if counted && count > completions {
			errs.Add(field.Invalid(at.Child("succeededCount"), count, fmt.Sprintf(
				"must be less than or equal to %d (the number of specified completions)", completions)))
		}
		if counted && indexed && count > total {
			errs.Add(field.Invalid(at.Child("succeededCount"), count, fmt.Sprintf("must be less than or equal to %d "+
				"(the number of indexes in the specified succeededIndexes field)", total)))
		}
	}
	return errs
}
