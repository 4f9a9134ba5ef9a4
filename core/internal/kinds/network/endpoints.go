package network

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// Endpoints is the strategy of Endpoints.
var Endpoints = strategy.Strategy{
	Default: func(obj map[string]any) {
		for _, subset := range tree.Objects(obj, "subsets") {
			for _, port := range tree.Objects(subset, "ports") {
				tree.Default(port, "protocol", "TCP")
			}
		}
	},
	Validate:       func(obj map[string]any) field.ErrorList { return endpoints.Check(obj, "") },
	ValidateUpdate: validateEndpointsUpdate,
}

var endpoints = rule.Fields{
	{Key: "subsets", Is: rule.Each{Is: rule.Fields{
		{Is: rule.Object(validateSubset)},
		{Key: "addresses", Is: rule.Each{Is: endpointAddress}},
		{Key: "notReadyAddresses", Is: rule.Each{Is: endpointAddress}},
		{Key: "ports", Is: rule.Func(validateEndpointPorts)},
	}}},
}

func validateSubset(subset map[string]any, at field.Path) field.ErrorList {
	if len(tree.List(subset, "addresses"))+len(tree.List(subset, "notReadyAddresses")) == 0 {
		return field.ErrorList{field.Required(at, "must specify `addresses` or `notReadyAddresses`")}
	}
	return nil
}

var endpointAddress = rule.Fields{
	{Key: "ip", Is: rule.Func(func(v any, at field.Path) field.ErrorList {
		ip, _ := v.(string)
		return valid.IP(ip, at, false)
	})},
	{Key: "hostname", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
	{Key: "nodeName", Is: rule.All{rule.IfSet{}, rule.Form(syntax.Subdomain)}},
	{Key: "ip", Is: rule.Func(func(v any, at field.Path) field.ErrorList {
		ip, _ := v.(string)
		return valid.EndpointIP(ip, at)
	})},
}

// validateEndpointPorts checks the ports of a subset, of which each has a name if there
// are several.
func validateEndpointPorts(v any, at field.Path) field.ErrorList {
	if ports, _ := v.([]any); len(ports) > 1 {
		return rule.Check(v, at, rule.Each{Is: namedEndpointPort})
	}
	return rule.Check(v, at, rule.Each{Is: endpointPort})
}

var (
	endpointPort = rule.Fields{
		{Key: "name", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
		{Key: "port", Is: portNumber},
		{Key: "protocol", Is: rule.All{rule.Required{}, protocol}},
		{Key: "appProtocol", Is: rule.All{rule.IfSet{}, rule.Form(syntax.LabelKey)}},
	}
	namedEndpointPort = rule.Fields{{Key: "name", Is: rule.Required{}}, {Is: endpointPort}}
)

var (
	portNumber = rule.Range{Min: 1, Max: 65535}
	protocol   = rule.Enum(enum.Protocol)
)

// validateEndpointsUpdate accepts subsets that existed before.
func validateEndpointsUpdate(obj, old map[string]any) field.ErrorList {
	if object.Equal(obj["subsets"], old["subsets"]) {
		return nil
	}
	return endpoints.Check(obj, "")
}
