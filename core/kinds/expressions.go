package kinds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/cel"
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/object"
)

// Expressions of the Common Expression Language in objects: their syntax is checked,
// and that the names in them exist; their types are not.

// compiled checks an expression in which some variables can be used. Its type, if it
// is known, must be one of some; "" is any.
func compiled(expression string, at field.Path, variables []string, of ...string) field.ErrorList {
	if err := cel.Check(expression, variables...); err != nil {
		return field.ErrorList{field.Invalid(at, expression, "compilation failed: "+err.Error())}
	}
	got := cel.TypeOf(expression)
	if got == "" || slices.Contains(of, got) || slices.Contains(of, "") {
		return nil
	}
	wrong := "must evaluate to " + of[0] + " but got " + got
	if len(of) > 1 {
		wrong = fmt.Sprintf("must evaluate to one of %v but got %s", of, got)
	}
	return field.ErrorList{field.Invalid(at, expression, wrong)}
}

// expression checks the expression under a key, which must be there.
func expression(m map[string]any, at field.Path, key, missing string, variables []string, of ...string) field.ErrorList {
	text := str(m, key)
	if strings.TrimSpace(text) == "" {
		return field.ErrorList{field.Required(at.Child(key), missing)}
	}
	return compiled(text, at.Child(key), variables, of...)
}

const noExpression = "expression is not specified"

// admissionVariables are what expressions of webhooks and policies are about.
func admissionVariables(spec map[string]any, more ...string) []string {
	all := append([]string{"object", "oldObject", "namespaceObject", "request"}, more...)
	if spec["paramKind"] != nil {
		all = append(all, "params")
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
	var names rule.Seen[string]
	for i, condition := range conditions {
		at, name := at.Index(i), str(condition, "name")
		errs.Add(expression(map[string]any{"expression": strings.TrimSpace(str(condition, "expression"))}, at, "expression", "", variables, "bool")...)
		if name == "" {
			errs.Add(field.Required(at.Child("name"), ""))
			continue
		}
		errs.Add(rule.Invalid(at.Child("name"), name, syntax.LabelKey(name))...)
		if names.Again(name) {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
	}
	return errs
}

// reservedNames are those that variables cannot have.
const reservedNames = "true false null in as break const continue else for function if import let loop package namespace return var void while"

// policyVariables checks the variables of a policy. Each knows those before it; what
// knows them all knows the names that are returned.
func policyVariables(spec map[string]any) (errs field.ErrorList, names []string) {
	for i, v := range entries(spec, "variables") {
		at, name := field.Path("spec.variables").Index(i), str(v, "name")
		if strings.TrimSpace(name) == "" {
			errs.Add(field.Required(at.Child("name"), "name is not specified"))
		} else if syntax.Identifier(name) != nil || slices.Contains(strings.Fields(reservedNames), name) {
			errs.Add(field.Invalid(at.Child("name"), name, "must be a valid CEL identifier"))
		}
		names = append(names, "variables")
		wrong := expression(v, at, "expression", noExpression, admissionVariables(spec, append(names, "authorizer")...), "")
		errs.Add(wrong...)
		if wrong == nil {
			names = append(names, "variables."+name)
		}
	}
	return errs, names
}

func validateValidatingPolicy(obj map[string]any) field.ErrorList {
	spec := dict(obj, "spec")
	errs := policyRules.Check(spec, "spec")
	errs.Add(validateMatchConditions(spec, "spec")...)
	wrong, names := policyVariables(spec)
	errs.Add(wrong...)
	variables := admissionVariables(spec, append(names, "authorizer")...)
	validations, annotations := entries(spec, "validations"), entries(spec, "auditAnnotations")
	if len(validations) == 0 && len(annotations) == 0 {
		const none = "validations or auditAnnotations must contain at least one item"
		errs.Add(field.Required("spec.validations", none), field.Required("spec.auditAnnotations", none))
	}
	for i, v := range validations {
		at := field.Path("spec.validations").Index(i)
		errs.Add(expression(v, at, "expression", noExpression, variables, "bool")...)
		if text := str(v, "messageExpression"); text != "" && strings.TrimSpace(text) == "" {
			errs.Add(field.Invalid(at.Child("messageExpression"), text, "must be non-empty if specified"))
		} else if text != "" {
			errs.Add(compiled(text, at.Child("messageExpression"), admissionVariables(spec, names...), "string")...)
		}
		message := str(v, "message")
		if message != "" && strings.TrimSpace(message) == "" {
			errs.Add(field.Invalid(at.Child("message"), message, "must be non-empty if specified"))
		} else if strings.ContainsAny(strings.TrimSpace(message), "\r\n") {
			errs.Add(field.Invalid(at.Child("message"), message, "must not contain line breaks"))
		}
		errs.Add(rule.Fields{
			{Key: "reason", Is: rule.All{rule.IfSet{}, rule.OneOf{"Forbidden", "Invalid", "RequestEntityTooLarge"}}},
		}.Check(v, at)...)
	}
	var keys rule.Seen[string]
	for i, a := range annotations {
		at := field.Path("spec.auditAnnotations").Index(i)
		key := str(a, "key")
		errs.Add(rule.Check(object.Name(obj)+"/"+key, at.Child("key"), rule.Form(syntax.LabelKey))...)
		errs.Add(expression(a, at, "valueExpression", "valueExpression is not specified", variables, "string", "null_type")...)
		if keys.Again(key) {
			errs.Add(field.Duplicate(at.Child("key"), key))
		}
	}
	return errs
}

// mutationExpression checks how a policy changes objects.
func mutationExpression(spec, m map[string]any, names []string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	kind := str(m, "patchType")
	types := map[string]string{"ApplyConfiguration": "Object", "JSONPatch": "list(JSONPatch)"}
	ways := map[string]string{"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}
	if ways[kind] == "" {
		return nil
	}
	key := ways[kind]
	if m[key] == nil {
		errs.Add(field.Required(at.Child(key), "must be specified when patchType is "+kind))
	} else {
		text := strings.TrimSpace(str(dict(m, key), "expression"))
		errs.Add(expression(map[string]any{"expression": text}, at.Child(key), "expression", "", admissionVariables(spec, append(names, "authorizer", "variables")...), types[kind])...)
	}
	for way, other := range ways {
		if way != kind && m[other] != nil {
			errs.Add(field.Invalid(at.Child(other), "{"+other+"}", "must not be specified when patchType is "+kind))
		}
	}
	return errs
}
