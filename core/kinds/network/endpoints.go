package network

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

var Endpoints = strategy.Strategy{
	Default: func(obj map[string]any) {
		for _, subset := range tree.Objects(obj, "subsets") {
			for _, port := range tree.Objects(subset, "ports") {
				tree.Default(port, "protocol", "TCP")
			}
		}
	},
	Validate: func(obj map[string]any) field.ErrorList { return validateEndpoints(obj, nil) },
	// Subsets may be that were there before.
	ValidateUpdate: validateEndpoints,
}

func validateEndpoints(obj, old map[string]any) field.ErrorList {
	var errs field.ErrorList
	if old != nil && object.Equal(obj["subsets"], old["subsets"]) {
		return errs
	}
	for i, subset := range tree.Objects(obj, "subsets") {
		at := field.Path("subsets").Index(i)
		if len(tree.List(subset, "addresses"))+len(tree.List(subset, "notReadyAddresses")) == 0 {
			errs.Add(field.Required(at, "must specify `addresses` or `notReadyAddresses`"))
		}
		for _, name := range []string{"addresses", "notReadyAddresses"} {
			for j, address := range tree.Objects(subset, name) {
				ip, at := tree.Text(address, "ip"), at.Child(name).Index(j)
				errs.Add(valid.IP(ip, at.Child("ip"), false)...)
				errs.Add(endpointsRules.Check(address, at)...)
				if node, ok := address["nodeName"].(string); ok {
					errs.Add(rule.Invalid(at.Child("nodeName"), node, syntax.Subdomain(node))...)
				}
				errs.Add(valid.EndpointIP(ip, at.Child("ip"))...)
			}
		}
		for j, port := range tree.Objects(subset, "ports") {
			at := at.Child("ports").Index(j)
			n, _ := tree.Int(port, "port")
			if tree.Text(port, "name") == "" && len(tree.List(subset, "ports")) > 1 {
				errs.Add(field.Required(at.Child("name"), ""))
			}
			errs.Add(valid.NameRules.Check(port, at)...)
			errs.Add(rule.Invalid(at.Child("port"), n, syntax.PortNumber(n))...)
			errs.Add(rule.RequireOneOf(port, at, "protocol", "SCTP", "TCP", "UDP")...)
			if protocol, ok := port["appProtocol"].(string); ok {
				errs.Add(rule.Invalid(at.Child("appProtocol"), protocol, syntax.LabelKey(protocol))...)
			}
		}
	}
	return errs
}

var endpointsRules = rule.Fields{
	{Key: "hostname", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}
