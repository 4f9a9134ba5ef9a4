package network

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
)

// validateKindReference checks a reference to an object of any kind.
func validateKindReference(ref map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if group, ok := ref["apiGroup"].(string); ok {
		errs.Add(rule.Invalid(at.Child("apiGroup"), group, syntax.Subdomain(group))...)
	}
	return append(errs, kindReferenceRules.Check(ref, at)...)
}

var kindReferenceRules = rule.Fields{
	{Key: "kind", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
}
