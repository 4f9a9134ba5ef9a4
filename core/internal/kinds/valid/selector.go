package valid

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// RequiredTerms is the field of the required terms of an affinity.
const RequiredTerms = "requiredDuringSchedulingIgnoredDuringExecution"

// NodeSelector returns the violations of a node selector.
func NodeSelector(s map[string]any, at field.Path) field.ErrorList {
	at = at.Child("nodeSelectorTerms")
	terms := tree.Objects(s, "nodeSelectorTerms")
	if len(terms) == 0 {
		return field.ErrorList{field.Required(at, "must have at least one node selector term")}
	}
	var errs field.ErrorList
	for i, term := range terms {
		errs.Add(NodeSelectorTerm(term, at.Index(i), true)...)
	}
	return errs
}

// NodeSelectorTerm returns the violations of one term of a node selector; strict, also those of its
// values.
func NodeSelectorTerm(term map[string]any, at field.Path, strict bool) field.ErrorList {
	var errs field.ErrorList
	for i, e := range tree.Objects(term, "matchExpressions") {
		at := at.Child("matchExpressions").Index(i)
		switch tree.Text(e, "operator") {
		case "Gt", "Lt":
			if len(tree.Texts(e, "values")) != 1 {
				errs.Add(field.Required(at.Child("values"),
					"must be specified single value when `operator` is 'Lt' or 'Gt'"))
			}
			errs.Add(validateExpressionParts(e, at, strict)...)
		default:
			errs.Add(validateExpression(e, at, strict)...)
		}
	}
	for i, e := range tree.Objects(term, "matchFields") {
		at, values, key := at.Child("matchFields").Index(i), tree.Texts(e, "values"), tree.Text(e, "key")
		switch op := tree.Text(e, "operator"); op {
		case "In", "NotIn":
			if len(values) != 1 {
				errs.Add(field.Required(at.Child("values"),
					"must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
			}
		default:
			errs.Add(field.Invalid(at.Child("operator"), op, "not a valid selector operator"))
		}
		if key != "metadata.name" {
			errs.Add(field.Invalid(at.Child("key"), key, "not a valid field selector key"))
			continue
		}
		for j, v := range values {
			errs.Add(rule.Invalid(at.Child("values").Index(j), v, syntax.Subdomain(v))...)
		}
	}
	return errs
}

// Toleration returns the violations of a toleration.
func Toleration(t map[string]any, at field.Path) field.ErrorList {
	errs := tolerationRules.Check(t, at)
	key, value, effect, op := tree.Text(t, "key"), tree.Text(t, "value"), tree.Text(t, "effect"), tree.Text(t, "operator")
	if key == "" && op != "Exists" {
		errs.Add(field.Invalid(at.Child("operator"), op,
			"operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
	}
	if t["tolerationSeconds"] != nil && effect != "NoExecute" {
		errs.Add(field.Invalid(at.Child("effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
	}
	switch op {
	case "", "Equal":
		if wrong := syntax.LabelValue(value); wrong != nil {
			errs.Add(field.Invalid(at.Child("operator"), value, strings.Join(wrong, ";")))
		}
	case "Exists":
		if value != "" {
			errs.Add(field.Invalid(at.Child("operator"), value, "value must be empty when `operator` is 'Exists'"))
		}
	case "Lt", "Gt":
		errs.Add(field.NotSupported(at.Child("operator"), op, "Equal", "Exists", "Lt", "Gt"))
	default:
		errs.Add(field.NotSupported(at.Child("operator"), op, "Equal", "Exists"))
	}
	if effect != "" {
		errs.Add(rule.RequireOneOf(t, at, "effect", "NoSchedule", "PreferNoSchedule", "NoExecute")...)
	}
	return errs
}

var tolerationRules = rule.Fields{
	{Key: "key", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.LabelKey)}},
}

// PrintSelector formats a label selector as errors of the real server do.
func PrintSelector(s map[string]any) field.Raw {
	return shape.LabelSelector.Print(s)
}

// LabelSelector returns the violations of a label selector.
func LabelSelector(s map[string]any, at field.Path) field.ErrorList {
	errs := metadata.ValidateLabels(tree.Object(s, "matchLabels"), at.Child("matchLabels"))
	for i, e := range tree.Objects(s, "matchExpressions") {
		errs.Add(validateExpression(e, at.Child("matchExpressions").Index(i), true)...)
	}
	return errs
}

// validateExpression returns the violations of one expression of a selector; strict, also
// those of its values.
func validateExpression(e map[string]any, at field.Path, strict bool) field.ErrorList {
	errs := validateOperator(tree.Text(e, "operator"), len(tree.List(e, "values")), at)
	return append(errs, validateExpressionParts(e, at, strict)...)
}

// validateExpressionParts is validateExpression for all but the operator.
func validateExpressionParts(e map[string]any, at field.Path, strict bool) field.ErrorList {
	errs := expressionRules.Check(e, at)
	if strict {
		for j, v := range tree.Texts(e, "values") {
			errs.Add(rule.Invalid(at.Child("values").Index(j), v, syntax.LabelValue(v))...)
		}
	}
	return errs
}

var expressionRules = rule.Fields{
	{Key: "key", Is: rule.Form(syntax.LabelKey)},
}

// validateOperator returns the violation of an expression with more or fewer values than its
// operator needs.
func validateOperator(op string, values int, at field.Path) field.ErrorList {
	switch op {
	case "In", "NotIn":
		if values == 0 {
			return field.ErrorList{field.Required(at.Child("values"), "must be specified when `operator` is 'In' or 'NotIn'")}
		}
	case "Exists", "DoesNotExist":
		if values > 0 {
			return field.ErrorList{field.Forbidden(at.Child("values"),
				"may not be specified when `operator` is 'Exists' or 'DoesNotExist'")}
		}
	default:
		return field.ErrorList{field.Invalid(at.Child("operator"), op, "not a valid selector operator")}
	}
	return nil
}
