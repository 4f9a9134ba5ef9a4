package kinds

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/cel"
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
)

// Expressions of the Common Expression Language in objects: their syntax is checked,
// and that the names in them exist; their types are not.

// compiled checks an expression in which some variables can be used.
func compiled(expression string, at field.Path, variables []string) field.ErrorList {
	if err := cel.Check(expression, variables...); err != nil {
		return field.ErrorList{field.Invalid(at, expression, "compilation failed: "+err.Error())}
	}
	return nil
}

// expression checks the expression under a key, which must be there.
func expression(m map[string]any, at field.Path, key, missing string, variables []string) field.ErrorList {
	text := str(m, key)
	if strings.TrimSpace(text) == "" {
		return field.ErrorList{field.Required(at.Child(key), missing)}
	}
	return compiled(text, at.Child(key), variables)
}

const noExpression = "expression is not specified"

// admissionVariables are what expressions of webhooks and policies are about.
func admissionVariables(spec map[string]any, more ...string) []string {
	all := append([]string{"object", "oldObject", "namespaceObject", "request"}, more...)
	if spec["paramKind"] != nil {
		all = append(all, "params")
	}
	if len(entries(spec, "variables")) > 0 {
		all = append(all, "variables")
	}
	return all
}

func validateMatchConditions(m map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	at = at.Child("matchConditions")
	conditions := entries(m, "matchConditions")
	if len(conditions) > 64 {
		errs.Add(field.TooMany(at, len(conditions), 64))
	}
	variables := admissionVariables(map[string]any{"paramKind": m["paramKind"]}, "authorizer")
	var names []string
	for i, condition := range conditions {
		at, name := at.Index(i), str(condition, "name")
		errs.Add(expression(map[string]any{"expression": strings.TrimSpace(str(condition, "expression"))}, at, "expression", "", variables)...)
		if name == "" {
			errs.Add(field.Required(at.Child("name"), ""))
			continue
		}
		errs.Add(invalid(at.Child("name"), name, syntax.LabelKey(name))...)
		if slices.Contains(names, name) {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
		names = append(names, name)
	}
	return errs
}

// validatePolicy checks what all admission policies have.
func validatePolicy(spec map[string]any) field.ErrorList {
	errs := validateMatchConditions(spec, "spec")
	variables := admissionVariables(spec, "authorizer")
	for i, v := range entries(spec, "variables") {
		at := field.Path("spec.variables").Index(i)
		if strings.TrimSpace(str(v, "name")) == "" {
			errs.Add(field.Required(at.Child("name"), "name is not specified"))
		}
		errs.Add(expression(v, at, "expression", noExpression, variables)...)
	}
	return errs
}

func validateValidatingPolicy(obj map[string]any) field.ErrorList {
	spec := dict(obj, "spec")
	errs := validatePolicy(spec)
	variables := admissionVariables(spec, "authorizer")
	validations, annotations := entries(spec, "validations"), entries(spec, "auditAnnotations")
	if len(validations) == 0 && len(annotations) == 0 {
		const none = "validations or auditAnnotations must contain at least one item"
		errs.Add(field.Required("spec.validations", none), field.Required("spec.auditAnnotations", none))
	}
	for i, v := range validations {
		at := field.Path("spec.validations").Index(i)
		errs.Add(expression(v, at, "expression", noExpression, variables)...)
		if text := str(v, "messageExpression"); text != "" && strings.TrimSpace(text) == "" {
			errs.Add(field.Invalid(at.Child("messageExpression"), text, "must be non-empty if specified"))
		} else if text != "" {
			errs.Add(compiled(text, at.Child("messageExpression"), admissionVariables(spec))...)
		}
		message := str(v, "message")
		if message != "" && strings.TrimSpace(message) == "" {
			errs.Add(field.Invalid(at.Child("message"), message, "must be non-empty if specified"))
		} else if strings.ContainsAny(strings.TrimSpace(message), "\r\n") {
			errs.Add(field.Invalid(at.Child("message"), message, "must not contain line breaks"))
		}
		if v["reason"] != nil {
			errs.Add(oneOf(v, at, "reason", "Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized")...)
		}
	}
	for i, a := range annotations {
		at := field.Path("spec.auditAnnotations").Index(i)
		errs.Add(expression(a, at, "valueExpression", "valueExpression is not specified", variables)...)
	}
	return errs
}

// mutationExpression checks how a policy changes objects.
func mutationExpression(spec, m map[string]any, at field.Path) field.ErrorList {
	for _, way := range [][2]string{{"ApplyConfiguration", "applyConfiguration"}, {"JSONPatch", "jsonPatch"}} {
		if str(m, "patchType") != way[0] {
			continue
		}
		if m[way[1]] == nil {
			return field.ErrorList{field.Required(at.Child(way[1]), "must be specified when patchType is "+way[0])}
		}
		text := strings.TrimSpace(str(dict(m, way[1]), "expression"))
		return expression(map[string]any{"expression": text}, at.Child(way[1]), "expression", "", admissionVariables(spec, "authorizer", "variables"))
	}
	return nil
}
