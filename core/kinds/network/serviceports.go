package network

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
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
		n, _ := tree.Int(port, "port")
		errs.Add(rule.Invalid(at.Child("port"), n, syntax.PortNumber(n))...)
		errs.Add(rule.RequireOneOf(port, at, "protocol", "SCTP", "TCP", "UDP")...)
		errs.Add(valid.PortNumOrName(port["targetPort"], at.Child("targetPort"))...)
		if protocol := tree.Text(port, "appProtocol"); port["appProtocol"] != nil {
			errs.Add(rule.Invalid(at.Child("appProtocol"), protocol, syntax.LabelKey(protocol))...)
		}
	}
	return errs
}

// validatePortNumbers finds ports that are there twice.
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
			errs.Add(field.Duplicate(at.Index(i), tree.GoStruct(twice, `Name=""`, "Protocol", "AppProtocol", "Port", "TargetPort=0", "NodePort=0")))
		}
		seen[k] = true
	}
	return errs
}
