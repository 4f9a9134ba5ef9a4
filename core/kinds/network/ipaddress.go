package network

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/shape"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// IPAddress is the strategy of IPAddresses.
var IPAddress = strategy.Strategy{
	Validate: func(obj map[string]any) field.ErrorList { return ipAddress.Check(obj, "") },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs, parent := ipAddress.Check(obj, ""), tree.At(obj, "spec.parentRef")
		switch {
		case object.Equal(parent, tree.At(old, "spec.parentRef")):
		case parent == nil:
			errs.Add(field.Invalid("spec.parentRef", nil, rule.FieldImmutable))
		default:
			printed := shape.ParentReference.Print(parent)
			errs.Add(field.Invalid("spec.parentRef", printed, rule.FieldImmutable))
		}
		return errs
	},
}

var ipAddress = rule.Fields{
	{Key: "spec", Is: rule.Fields{
		{Key: "parentRef", Is: rule.All{rule.Required{}, rule.Fields{
			{Key: "group", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
			{Key: "resource", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
			{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
			{Key: "namespace", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.PathSegment)}},
		}}},
	}},
}
