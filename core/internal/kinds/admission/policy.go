package admission

import (
	"slices"
	"strings"

	expression "github.com/tabernetes/tabernetes/core/expression/syntax"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

func defaultPolicy(obj map[string]any) {
	spec := tree.Make(obj, "spec")
	tree.DefaultNil(spec, "failurePolicy", "Fail")
	defaultMatchResources(tree.Object(spec, "matchConstraints"))
}

// policySpec is the beginning of the spec of any policy.
var policySpec = rule.Fields{
	{Key: "failurePolicy", Is: rule.All{rule.Present{}, failurePolicies}},
	{Key: "paramKind", Is: rule.All{rule.IfSet{}, rule.Func(validateParamKind)}},
	{Key: "matchConstraints", Is: rule.All{rule.Present{}, rule.Fields{
		{Is: matchResources},
		{Key: "resourceRules", Is: rule.Required{}},
	}}},
}

func validateParamKind(v any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	add := func(key, value, words string, wrong []string) {
		if wrong != nil {
			errs.Add(field.Invalid(at.Child(key), value, words+strings.Join(wrong, ",")))
		}
	}
	apiVersion, kind := tree.Text(tree.Map(v), "apiVersion"), tree.Text(tree.Map(v), "kind")
	group, version, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		group, version = "", apiVersion
	}
	switch {
	case apiVersion == "":
		errs.Add(field.Required(at.Child("apiVersion"), ""))
	case strings.Contains(version, "/"):
		add("apiVersion", apiVersion, "", []string{"unexpected GroupVersion string: " + apiVersion})
	default:
		if group != "" {
			add("apiVersion", group, "", syntax.Subdomain(group))
		}
		if version == "" {
			add("apiVersion", apiVersion, "", []string{"version must be specified"})
		} else {
			add("apiVersion", version, "", syntax.Label1035(version))
		}
	}
	if kind == "" {
		return append(errs, field.Required(at.Child("kind"), ""))
	}
	add("kind", kind, "may have mixed case, but should otherwise match: ", syntax.Label1035(strings.ToLower(kind)))
	return errs
}

// validateVariables checks the variables of a policy. Each may use those before it; expressions
// after them may use the names that are returned.
func validateVariables(spec map[string]any) (errs field.ErrorList, scope expression.Scope) {
	scope = scopeOf(spec, "authorizer")
	for i, v := range tree.Objects(spec, "variables") {
		at, name := field.Path("spec.variables").Index(i), tree.Text(v, "name")
		if strings.TrimSpace(name) == "" {
			errs.Add(field.Required(at.Child("name"), "name is not specified"))
		} else if syntax.Identifier(name) != nil || slices.Contains(strings.Fields(reservedNames), name) {
			errs.Add(field.Invalid(at.Child("name"), name, "must be a valid CEL identifier"))
		}
		scope["variables"] = true
		errs.Add(valid.Expression(v, at, "expression", valid.NoExpression, scope, "")...)
		if strings.TrimSpace(tree.Text(v, "expression")) != "" { // one that is wrong is of any type
			scope["variables."+name] = true
		}
	}
	return errs, scope
}

// reservedNames are names that variables cannot have.
const reservedNames = "true false null in as break const continue else for function if import let loop package " +
	"namespace return var void while"
