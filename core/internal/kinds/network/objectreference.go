package network

import (
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
)

// objectReference is a reference to an object of any kind.
var objectReference = rule.Fields{
	{Key: "apiGroup", Is: rule.All{rule.IfSet{}, rule.Form(syntax.Subdomain)}},
	{Key: "kind", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
}
