package network

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// IPAddress is the strategy of IPAddresses.
var IPAddress = strategy.Strategy{
	Name: func(_ map[string]any, name string, _ []string) []string {
		var wrong []string
		for _, e := range valid.IP(name, "", true) {
			wrong = append(wrong, e.Detail)
		}
		return wrong
	},
	Updates:  []strategy.Check{strategy.CheckNew, strategy.CheckMeta, strategy.CheckChange},
	Validate: func(obj map[string]any) field.ErrorList { return ipAddress.Check(obj, "") },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		parent := tree.At(obj, "spec.parentRef")
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
	// An IPAddress takes an address, also if a client writes it. That of a Service has it already.
	Allocate: func(c *strategy.Context, obj, _ map[string]any) (func(), field.ErrorList) {
		if c.ClusterIPs == nil || c.ClusterIPs.Take(object.Name(obj)) != nil {
			return func() {}, nil
		}
		return func() { c.ClusterIPs.Free(object.Name(obj)) }, nil
	},
	Release: func(c *strategy.Context, obj, old map[string]any) {
		if obj == nil {
			free(c.ClusterIPs, []string{object.Name(old)})
		}
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
