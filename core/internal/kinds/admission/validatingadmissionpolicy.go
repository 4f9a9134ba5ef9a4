package admission

import (
	"maps"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// ValidatingAdmissionPolicy is the strategy of ValidatingAdmissionPolicies.
var ValidatingAdmissionPolicy = strategy.Strategy{
	Default:  defaultPolicy,
	Validate: validateValidatingPolicy,
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		status := tree.Object(obj, "status")
		errs := policyStatus.Check(status, "status")
		return append(errs, valid.Conditions(tree.List(status, "conditions"), "status.conditions", valid.ConditionRules)...)
	},
}

func validateValidatingPolicy(obj map[string]any) field.ErrorList {
	spec := tree.Object(obj, "spec")
	errs := policySpec.Check(spec, "spec")
	errs.Add(validateMatchConditions(spec, "spec")...)
	wrong, scope := validateVariables(spec)
	errs.Add(wrong...)
	inMessages := maps.Clone(scope)
	delete(inMessages, "authorizer")
	validations, annotations := tree.Objects(spec, "validations"), tree.Objects(spec, "auditAnnotations")
	if len(validations) == 0 && len(annotations) == 0 {
		const none = "validations or auditAnnotations must contain at least one item"
		errs.Add(field.Required("spec.validations", none), field.Required("spec.auditAnnotations", none))
	}
	for i, v := range validations {
		at := field.Path("spec.validations").Index(i)
		errs.Add(valid.Expression(v, at, "expression", valid.NoExpression, scope, "bool")...)
		if text := tree.Text(v, "messageExpression"); text != "" && strings.TrimSpace(text) == "" {
			errs.Add(field.Invalid(at.Child("messageExpression"), text, "must be non-empty if specified"))
		} else if text != "" {
			errs.Add(valid.Compiled(text, at.Child("messageExpression"), inMessages, "string")...)
		}
		message := tree.Text(v, "message")
		if message != "" && strings.TrimSpace(message) == "" {
			errs.Add(field.Invalid(at.Child("message"), message, "must be non-empty if specified"))
		} else if strings.ContainsAny(strings.TrimSpace(message), "\r\n") {
			errs.Add(field.Invalid(at.Child("message"), message, "must not contain line breaks"))
		}
		errs.Add(validationReason.Check(v, at)...)
	}
	var keys rule.Seen[string]
	for i, a := range annotations {
		at := field.Path("spec.auditAnnotations").Index(i)
		key := tree.Text(a, "key")
		if name := object.Name(obj); name == "" {
			errs.Add(field.Invalid(at.Child("key"), key, "requires metadata.name be non-empty"))
		} else {
			errs.Add(rule.Check(name+"/"+key, at.Child("key"), rule.Form(syntax.LabelKey))...)
		}
		errs.Add(valid.Expression(a, at, "valueExpression", "valueExpression is not specified", scope, "string",
			"null_type")...)
		if keys.Again(key) {
			errs.Add(field.Duplicate(at.Child("key"), key))
		}
	}
	return errs
}

var validationReason = rule.Fields{
	{Key: "reason", Is: rule.All{rule.IfSet{}, rule.OneOf{"Forbidden", "Invalid", "RequestEntityTooLarge"}}},
}

var policyStatus = rule.Fields{
	{Key: "typeChecking", Is: rule.Fields{
		{Key: "expressionWarnings", Is: rule.Each{Is: rule.Fields{
			{Key: "warning", Is: rule.Required{}},
			{Key: "fieldRef", Is: rule.Required{}},
		}}},
	}},
}
