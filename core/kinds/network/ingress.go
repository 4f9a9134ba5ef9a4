package network

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

var Ingress = strategy.Strategy{
	PrepareCreate: warnIngressClass,
	Validate: func(obj map[string]any) field.ErrorList {
		errs := validateIngress(tree.Object(obj, "spec"))
		class, both := tree.Object(obj, "spec")["ingressClassName"]
		if v, old := tree.Object(object.Meta(obj), "annotations")[oldIngressClass]; old && both && v != class {
			errs.Add(field.Invalid(field.Path("annotations").Child(oldIngressClass), v, "must match `ingressClassName` when both are specified"))
		}
		return errs
	},
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateIngress(tree.Object(obj, "spec")) },
	ValidateStatus: validateBalanced,
}

const oldIngressClass = "kubernetes.io/ingress.class"

func validateIngress(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	if len(tree.List(spec, "rules")) == 0 && spec["defaultBackend"] == nil {
		errs.Add(field.Invalid(p, tree.List(spec, "rules"), "either `defaultBackend` or `rules` must be specified"))
	}
	if backend := tree.Object(spec, "defaultBackend"); backend != nil {
		errs.Add(validateBackend(backend, p.Child("defaultBackend"))...)
	}
	for i, rule := range tree.Objects(spec, "rules") {
		at, host := p.Child("rules").Index(i), tree.Text(rule, "host")
		if host != "" {
			errs.Add(validateIngressHost(host, at.Child("host"))...)
		}
		if http := tree.Object(rule, "http"); http != nil {
			if len(tree.List(http, "paths")) == 0 {
				errs.Add(field.Required(at.Child("http", "paths"), ""))
			}
			for j, path := range tree.Objects(http, "paths") {
				errs.Add(validateIngressPath(path, at.Child("http", "paths").Index(j))...)
			}
		}
	}
	for i, tls := range tree.Objects(spec, "tls") {
		for j, host := range tree.Texts(tls, "hosts") {
			errs.Add(rule.Invalid(p.Child("tls").Index(i).Child("hosts").Index(j), host, hostForm(host)(host))...)
		}
		errs.Add(ingressRules.Check(tls, p.Child("tls").Index(i))...)
	}
	if class, ok := spec["ingressClassName"].(string); ok {
		errs.Add(rule.Invalid(p.Child("ingressClassName"), class, syntax.Subdomain(class))...)
	}
	return errs
}

var ingressRules = rule.Fields{
	{Key: "secretName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
}

func hostForm(host string) func(string) []string {
	if strings.Contains(host, "*") {
		return syntax.WildcardSubdomain
	}
	return syntax.Subdomain
}

func validateIngressHost(host string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if _, ok := valid.ParseIP(host); ok {
		errs.Add(field.Invalid(at, host, notAddress))
	}
	return append(errs, rule.Invalid(at, host, hostForm(host)(host))...)
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
		return validateKindReference(resource, at.Child("resource"))
	case service == nil:
		return field.ErrorList{field.Invalid(at, "", "resource or service backend is required")}
	}
	errs := backendRules.Check(service, at.Child("service"))
	port, portName := tree.Object(service, "port"), tree.Text(tree.Object(service, "port"), "name")
	n, _ := tree.Int(port, "number")
	switch of := at.Child("service", "port"); {
	case portName != "" && n != 0:
		errs.Add(field.Invalid(at, "", "cannot set both port name & port number"))
	case portName != "":
		errs.Add(rule.Invalid(of.Child("name"), portName, syntax.PortName(portName))...)
	case n == 0:
		errs.Add(field.Required(at, "port name or number is required"))
	default:
		errs.Add(rule.Invalid(of.Child("number"), n, syntax.PortNumber(n))...)
	}
	return errs
}

var backendRules = rule.Fields{
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
}

func warnIngressClass(c *strategy.Context, obj map[string]any) {
	if _, old := tree.Object(object.Meta(obj), "annotations")[oldIngressClass]; old && tree.Object(obj, "spec")["ingressClassName"] == nil {
		c.Warn(`annotation "` + oldIngressClass + `" is deprecated, please use 'spec.ingressClassName' instead`)
	}
}
