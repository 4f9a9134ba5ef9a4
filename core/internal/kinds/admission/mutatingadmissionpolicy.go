package admission

import (
	"strings"

	expression "github.com/tabernetes/tabernetes/core/expression/syntax"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// MutatingAdmissionPolicy is the strategy of MutatingAdmissionPolicies.
var MutatingAdmissionPolicy = strategy.Strategy{
	Default:  defaultPolicy,
	Validate: validateMutatingPolicy,
}

func validateMutatingPolicy(obj map[string]any) field.ErrorList {
	const at = field.Path("spec")
	spec := tree.Object(obj, "spec")
	errs := policySpec.Check(spec, at)
	errs.Add(validateMutated(tree.Object(spec, "matchConstraints"), at.Child("matchConstraints"))...)
	errs.Add(validateMatchConditions(spec, "spec")...)
	wrong, scope := validateVariables(spec)
	errs.Add(wrong...)
	scope["variables"] = true
	if len(tree.List(spec, "mutations")) == 0 {
		errs.Add(field.Required(at.Child("mutations"), "mutations must contain at least one item"))
	}
	for i, m := range tree.Objects(spec, "mutations") {
		at := at.Child("mutations").Index(i)
		errs.Add(rule.RequireOneOf(m, at, "patchType", enum.PatchType...)...)
		errs.Add(validateMutation(m, scope, at)...)
	}
	return append(errs, reinvocation.Check(spec, at)...)
}

var reinvocation = rule.Fields{
	{Key: "reinvocationPolicy", Is: rule.All{rule.Required{}, reinvocationPolicies}},
}

// validateMutation checks how a policy changes objects.
func validateMutation(m map[string]any, scope expression.Scope, at field.Path) field.ErrorList {
	var errs field.ErrorList
	kind := tree.Text(m, "patchType")
	types := map[string]string{"ApplyConfiguration": "Object", "JSONPatch": "list(JSONPatch)"}
	ways := map[string]string{"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}
	if ways[kind] == "" {
		return nil
	}
	key := ways[kind]
	if m[key] == nil {
		errs.Add(field.Required(at.Child(key), "must be specified when patchType is "+kind))
	} else {
		text := strings.TrimSpace(tree.Text(tree.Object(m, key), "expression"))
		errs.Add(valid.Expression(map[string]any{"expression": text}, at.Child(key), "expression", "",
			scope, types[kind])...)
	}
	for way, other := range ways {
		if way != kind && m[other] != nil {
			errs.Add(field.Invalid(at.Child(other), "{"+other+"}", "must not be specified when patchType is "+kind))
		}
	}
	return errs
}
