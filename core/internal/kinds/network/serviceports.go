package network

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

func validateServicePorts(ports []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, port := range ports {
		at, name := at.Index(i), tree.Text(port, "name")
		if name == "" && len(ports) > 1 {
			errs.Add(field.Required(at.Child("name"), ""))
		} else if name != "" {
			errs.Add(rule.Invalid(at.Child("name"), name, syntax.Label(name))...)
			if names[name] {
				errs.Add(field.Duplicate(at.Child("name"), name))
			}
			names[name] = true
		}
		errs.Add(servicePort.Check(port, at)...)
	}
	return errs
}

// servicePort is the rule for a port without its name and the fields that must be unique.
var servicePort = rule.Fields{
	{Key: "port", Is: portNumber},
	{Key: "protocol", Is: rule.All{rule.Required{}, protocol}},
	{Key: "targetPort", Is: rule.Func(valid.PortNumOrName)},
	{Key: "appProtocol", Is: rule.All{rule.IfSet{}, rule.Form(syntax.LabelKey)}},
}

// validatePortNumbers returns the violations of duplicate ports.
func validatePortNumbers(ports []map[string]any, kind string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	type key struct {
		protocol string
		number   int64
	}
	seen := map[key]bool{}
	for i, port := range ports {
		n, _ := tree.Int(port, "nodePort")
		if n != 0 && kind == "ClusterIP" {
			errs.Add(field.Forbidden(at.Index(i).Child("nodePort"), "may not be used when `type` is 'ClusterIP'"))
		}
	}
	for i, port := range ports {
		n, _ := tree.Int(port, "nodePort")
		k := key{tree.Text(port, "protocol"), n}
		if n != 0 && seen[k] {
			errs.Add(field.Duplicate(at.Index(i).Child("nodePort"), n))
		}
		seen[k] = true
	}
	clear(seen)
	for i, port := range ports {
		n, _ := tree.Int(port, "port")
		k := key{tree.Text(port, "protocol"), n}
		if seen[k] {
			twice := map[string]any{"protocol": k.protocol, "port": k.number}
			errs.Add(field.Duplicate(at.Index(i), shape.ServicePort.Print(twice)))
		}
		seen[k] = true
	}
	return errs
}
