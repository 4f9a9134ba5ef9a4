package network

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// IngressClass is the strategy of IngressClasses.
var IngressClass = strategy.Strategy{
	Default: func(obj map[string]any) {
		if parameters := tree.At(obj, "spec.parameters"); parameters != nil {
			tree.DefaultNil(parameters, "scope", "Cluster")
		}
	},
	Updates:  []strategy.Check{strategy.CheckMeta, strategy.CheckChange, strategy.CheckNew},
	Validate: validateIngressClass,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		if c := tree.Text(tree.Object(obj, "spec"), "controller"); c != tree.Text(tree.Object(old, "spec"), "controller") {
			errs.Add(field.Invalid("spec.controller", c, rule.FieldImmutable))
		}
		return errs
	},
}

func validateIngressClass(obj map[string]any) field.ErrorList {
	spec, p := tree.Object(obj, "spec"), field.Path("spec")
	controller, at := tree.Text(spec, "controller"), p.Child("controller")
	var errs field.ErrorList
	if len(controller) > 250 {
		errs.Add(field.TooLong(at, 250))
	}
	errs.Add(syntax.PrefixedPath(controller, at)...)
	ref, at := tree.Object(spec, "parameters"), p.Child("parameters")
	if ref == nil {
		return errs
	}
	errs.Add(objectReference.Check(ref, at)...)
	namespace, namespaced := ref["namespace"].(string)
	at = at.Child("namespace")
	switch tree.Text(ref, "scope") {
	case "Cluster":
		if namespaced {
			errs.Add(field.Forbidden(at, "`parameters.scope` is set to 'Cluster'"))
		}
	case "Namespace":
		if !namespaced {
			errs.Add(field.Required(at, "`parameters.scope` is set to 'Namespace'"))
		} else {
			errs.Add(rule.Invalid(at, namespace, syntax.Label(namespace))...)
		}
	default:
		errs.Add(parametersScope.Check(ref, p.Child("parameters"))...)
	}
	return errs
}

var parametersScope = rule.Fields{
	{Key: "scope", Is: rule.All{rule.IfSet{}, rule.OneOf{"Cluster", "Namespace"}}},
}
