package admission

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// admissionVariables are what expressions of webhooks and policies are about.
func admissionVariables(spec map[string]any, more ...string) []string {
	all := append([]string{"object", "oldObject", "namespaceObject", "request"}, more...)
	if spec["paramKind"] != nil {
		all = append(all, "params")
	}
	return all
}

func ValidateMatchConditions(m map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	at = at.Child("matchConditions")
	conditions := tree.Objects(m, "matchConditions")
	if len(conditions) > 64 {
		errs.Add(field.TooMany(at, len(conditions), 64))
	}
	variables := admissionVariables(map[string]any{"paramKind": m["paramKind"]}, "authorizer")
	var names rule.Seen[string]
	for i, condition := range conditions {
		at, name := at.Index(i), tree.Text(condition, "name")
		errs.Add(valid.Expression(map[string]any{"expression": strings.TrimSpace(tree.Text(condition, "expression"))}, at, "expression", "", variables, "bool")...)
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
	for i, v := range tree.Objects(spec, "variables") {
		at, name := field.Path("spec.variables").Index(i), tree.Text(v, "name")
		if strings.TrimSpace(name) == "" {
			errs.Add(field.Required(at.Child("name"), "name is not specified"))
		} else if syntax.Identifier(name) != nil || slices.Contains(strings.Fields(reservedNames), name) {
			errs.Add(field.Invalid(at.Child("name"), name, "must be a valid CEL identifier"))
		}
		names = append(names, "variables")
		wrong := valid.Expression(v, at, "expression", valid.NoExpression, admissionVariables(spec, append(names, "authorizer")...), "")
		errs.Add(wrong...)
		if wrong == nil {
			names = append(names, "variables."+name)
		}
	}
	return errs, names
}

func validateValidatingPolicy(obj map[string]any) field.ErrorList {
	spec := tree.Object(obj, "spec")
	errs := policyRules.Check(spec, "spec")
	errs.Add(ValidateMatchConditions(spec, "spec")...)
	wrong, names := policyVariables(spec)
	errs.Add(wrong...)
	variables := admissionVariables(spec, append(names, "authorizer")...)
	validations, annotations := tree.Objects(spec, "validations"), tree.Objects(spec, "auditAnnotations")
	if len(validations) == 0 && len(annotations) == 0 {
		const none = "validations or auditAnnotations must contain at least one item"
		errs.Add(field.Required("spec.validations", none), field.Required("spec.auditAnnotations", none))
	}
	for i, v := range validations {
		at := field.Path("spec.validations").Index(i)
		errs.Add(valid.Expression(v, at, "expression", valid.NoExpression, variables, "bool")...)
		if text := tree.Text(v, "messageExpression"); text != "" && strings.TrimSpace(text) == "" {
			errs.Add(field.Invalid(at.Child("messageExpression"), text, "must be non-empty if specified"))
		} else if text != "" {
			errs.Add(valid.Compiled(text, at.Child("messageExpression"), admissionVariables(spec, names...), "string")...)
		}
		message := tree.Text(v, "message")
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
		key := tree.Text(a, "key")
		errs.Add(rule.Check(object.Name(obj)+"/"+key, at.Child("key"), rule.Form(syntax.LabelKey))...)
		errs.Add(valid.Expression(a, at, "valueExpression", "valueExpression is not specified", variables, "string", "null_type")...)
		if keys.Again(key) {
			errs.Add(field.Duplicate(at.Child("key"), key))
		}
	}
	return errs
}

// mutationExpression checks how a policy changes objects.
func mutationExpression(spec, m map[string]any, names []string, at field.Path) field.ErrorList {
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
		errs.Add(valid.Expression(map[string]any{"expression": text}, at.Child(key), "expression", "", admissionVariables(spec, append(names, "authorizer", "variables")...), types[kind])...)
	}
	for way, other := range ways {
		if way != kind && m[other] != nil {
			errs.Add(field.Invalid(at.Child(other), "{"+other+"}", "must not be specified when patchType is "+kind))
		}
	}
	return errs
}
