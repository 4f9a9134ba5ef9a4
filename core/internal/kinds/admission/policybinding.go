package admission

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// AdmissionPolicyBinding is the strategy of AdmissionPolicyBindings.
var AdmissionPolicyBinding = strategy.Strategy{
	Default:  func(obj map[string]any) { defaultMatchResources(tree.At(obj, "spec.matchResources")) },
	Validate: validatePolicyBinding,
}

func validatePolicyBinding(obj map[string]any) field.ErrorList {
	spec, p := tree.Object(obj, "spec"), field.Path("spec")
	errs := bindingSpec.Check(spec, p)
	if tree.Text(obj, "kind") != "ValidatingAdmissionPolicyBinding" {
		return append(errs, validateMutated(tree.Object(spec, "matchResources"), p.Child("matchResources"))...)
	}
	at, actions := p.Child("validationActions"), tree.Texts(spec, "validationActions")
	if len(actions) == 0 {
		return append(errs, field.Required(at, "at least one validation action is required"))
	}
	for i, action := range actions {
		errs.Add(rule.Check(action, at.Index(i), validationActions)...)
		if slices.Contains(actions[:i], action) {
			errs.Add(field.Duplicate(at.Index(i), action))
		}
	}
	if slices.Contains(actions, "Deny") && slices.Contains(actions, "Warn") {
		errs.Add(field.Invalid(at, actions,
			"must not contain both Deny and Warn (repeating the same validation failure information in the API response and "+
				"headers serves no purpose)"))
	}
	return errs
}

var bindingSpec = rule.Fields{
	{Key: "policyName", Is: rule.All{rule.Required{}, rule.Form(syntax.Subdomain)}},
	{Key: "paramRef", Is: rule.All{rule.IfSet{}, rule.Object(func(ref map[string]any, at field.Path) field.ErrorList {
		const both = "name and selector are mutually exclusive"
		selector, named := tree.Object(ref, "selector"), tree.Text(ref, "name") != ""
		errs := rule.Check(tree.Text(ref, "name"), at.Child("name"), rule.Form(syntax.PathSegment))
		if named && selector != nil {
			errs.Add(field.Forbidden(at.Child("name"), both))
		}
		errs.Add(valid.LabelSelector(selector, at.Child("selector"))...)
		if named && selector != nil {
			errs.Add(field.Forbidden(at.Child("selector"), both))
		}
		if !named && selector == nil {
			errs.Add(field.Required(at, "one of name or selector must be specified"))
		}
		return append(errs, notFoundAction.Check(ref, at)...)
	})}},
	{Key: "matchResources", Is: rule.All{rule.IfSet{}, matchResources}},
}

var notFoundAction = rule.Fields{
	{Key: "parameterNotFoundAction", Is: rule.All{rule.Required{}, rule.OneOf{"Deny", "Allow"}}},
}
