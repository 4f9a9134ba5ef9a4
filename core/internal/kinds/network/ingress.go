package network

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// Ingress is the strategy of Ingresses.
var Ingress = strategy.Strategy{
	PrepareCreate: warnIngressClass,
	Validate: func(obj map[string]any) field.ErrorList {
		errs := ingressSpec.Check(tree.Object(obj, "spec"), "spec")
		class, both := tree.Object(obj, "spec")["ingressClassName"]
		if v, old := tree.Object(object.Meta(obj), "annotations")[oldIngressClass]; old && both && v != class {
			errs.Add(field.Invalid(field.Path("annotations").Child(oldIngressClass), v,
				"must match `ingressClassName` when both are specified"))
		}
		return errs
	},
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList {
		return ingressSpec.Check(tree.Object(obj, "spec"), "spec")
	},
	ValidateStatus: validateLoadBalancerStatus,
}

const oldIngressClass = "kubernetes.io/ingress.class"

var ingressSpec = rule.Fields{
	{Is: rule.Object(func(spec map[string]any, at field.Path) field.ErrorList {
		if len(tree.List(spec, "rules")) == 0 && spec["defaultBackend"] == nil {
			const detail = "either `defaultBackend` or `rules` must be specified"
			return field.ErrorList{field.Invalid(at, spec["rules"], detail)}
		}
		return nil
	})},
	{Key: "defaultBackend", Is: rule.All{rule.IfSet{}, rule.Object(validateBackend)}},
	{Key: "rules", Is: rule.Each{Is: rule.Fields{
		{Key: "host", Is: rule.All{rule.IfNotEmpty{}, rule.Form(notAddress), rule.Form(ingressHost)}},
		{Key: "http", Is: rule.All{rule.IfSet{}, rule.Fields{
			{Key: "paths", Is: rule.All{rule.Required{}, rule.Each{Is: rule.Object(validateIngressPath)}}},
		}}},
	}}},
	{Key: "tls", Is: rule.Each{Is: rule.Fields{
		{Key: "hosts", Is: rule.Each{Is: rule.Form(ingressHost)}},
		{Key: "secretName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
	}}},
	{Key: "ingressClassName", Is: rule.All{rule.IfSet{}, rule.Form(syntax.Subdomain)}},
}

// ingressHost is the form of hosts, which may begin with a wildcard.
func ingressHost(host string) []string {
	if strings.Contains(host, "*") {
		return syntax.WildcardSubdomain(host)
	}
	return syntax.Subdomain(host)
}

func validateIngressPath(path map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	text := tree.Text(path, "path")
	switch kind := tree.Text(path, "pathType"); {
	case path["pathType"] == nil:
		return field.ErrorList{field.Required(at.Child("pathType"), "pathType must be specified")}
	case kind == "Exact", kind == "Prefix":
		if !strings.HasPrefix(text, "/") {
			errs.Add(field.Invalid(at.Child("path"), text, "must be an absolute path"))
		}
		for _, part := range []string{"//", "/./", "/../", "%2f", "%2F"} {
			if strings.Contains(text, part) {
				errs.Add(field.Invalid(at.Child("path"), text, "must not contain '"+part+"'"))
			}
		}
		for _, end := range []string{"/..", "/."} {
			if strings.HasSuffix(text, end) {
				errs.Add(field.Invalid(at.Child("path"), text, "cannot end with '"+end+"'"))
			}
		}
	case kind == "ImplementationSpecific":
		if text != "" && !strings.HasPrefix(text, "/") {
			errs.Add(field.Invalid(at.Child("path"), text, "must be an absolute path"))
		}
	default:
		errs.Add(field.NotSupported(at.Child("pathType"), kind, "Exact", "ImplementationSpecific", "Prefix"))
	}
	return append(errs, validateBackend(tree.Object(path, "backend"), at.Child("backend"))...)
}

func validateBackend(backend map[string]any, at field.Path) field.ErrorList {
	service, resource := tree.Object(backend, "service"), tree.Object(backend, "resource")
	switch {
	case service != nil && resource != nil:
		return field.ErrorList{field.Invalid(at, "", "cannot set both resource and service backends")}
	case resource != nil:
		return objectReference.Check(resource, at.Child("resource"))
	case service == nil:
		return field.ErrorList{field.Invalid(at, "", "resource or service backend is required")}
	}
	errs := backendService.Check(service, at.Child("service"))
	port, portName := tree.Object(service, "port"), tree.Text(tree.Object(service, "port"), "name")
	n, _ := tree.Int(port, "number")
	switch path := at.Child("service", "port"); {
	case portName != "" && n != 0:
		errs.Add(field.Invalid(at, "", "cannot set both port name & port number"))
	case portName != "":
		errs.Add(rule.Invalid(path.Child("name"), portName, syntax.PortName(portName))...)
	case n == 0:
		errs.Add(field.Required(at, "port name or number is required"))
	default:
		errs.Add(rule.Invalid(path.Child("number"), n, syntax.PortNumber(n))...)
	}
	return errs
}

var backendService = rule.Fields{
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
}

func warnIngressClass(c *strategy.Context, obj map[string]any) {
	if _, old := tree.Object(object.Meta(obj), "annotations")[oldIngressClass]; old &&
		tree.Object(obj, "spec")["ingressClassName"] == nil {
		c.Warn(`annotation "` + oldIngressClass + `" is deprecated, please use 'spec.ingressClassName' instead`)
	}
}
