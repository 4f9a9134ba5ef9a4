package network

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

var IPAddress = strategy.Strategy{
	Validate: validateIPAddress,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs, parent := validateIPAddress(obj), tree.At(obj, "spec.parentRef")
		switch {
		case object.Equal(parent, tree.At(old, "spec.parentRef")):
		case parent == nil:
			errs.Add(field.Invalid("spec.parentRef", nil, rule.FieldImmutable))
		default:
			errs.Add(field.Invalid("spec.parentRef", tree.GoStruct(parent, `Group=""`, `Resource=""`, `Namespace=""`, `Name=""`), rule.FieldImmutable))
		}
		return errs
	},
}

func validateIPAddress(obj map[string]any) field.ErrorList {
	parent := tree.At(obj, "spec.parentRef")
	if parent == nil {
		return field.ErrorList{field.Required("spec.parentRef", "")}
	}
	return ipAddressRules.Check(parent, "spec.parentRef")
}

var ipAddressRules = rule.Fields{
	{Key: "group", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
	{Key: "resource", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
	{Key: "namespace", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.PathSegment)}},
}
