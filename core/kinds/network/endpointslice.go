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

var EndpointSlice = strategy.Strategy{
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		if tree.Text(obj, "addressType") == "FQDN" {
			c.Warn("spec.addressType: FQDN endpoints are deprecated")
		}
		dropTopology(obj)
		warnEndpointSlice(c, obj)
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		if !object.Equal(obj["endpoints"], old["endpoints"]) {
			dropTopology(obj)
		}
		warnEndpointSlice(c, obj)
	},
	Raises: func(obj, old map[string]any) bool {
		return strategy.Changed(obj, old) || !object.Equal(object.Meta(obj)["labels"], object.Meta(old)["labels"])
	},
	Default: func(obj map[string]any) {
		for _, port := range tree.Objects(obj, "ports") {
			if port["name"] == nil {
				port["name"] = ""
			}
			tree.Default(port, "protocol", "TCP")
		}
	},
	Validate: func(obj map[string]any) field.ErrorList { return validateEndpointSlice(obj, nil) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return append(validateEndpointSlice(obj, old), rule.Immutable(obj, old, "addressType")...)
	},
}

// dropTopology drops what only older versions of the group may set.
func dropTopology(obj map[string]any) {
	for _, endpoint := range tree.Objects(obj, "endpoints") {
		delete(endpoint, "deprecatedTopology")
	}
}

// validateEndpointSlice lets endpoints be that were there before.
func validateEndpointSlice(obj, old map[string]any) field.ErrorList {
	errs := endpointSliceRules.Check(obj, "")
	ports, p := tree.Objects(obj, "ports"), field.Path("ports")
	if len(ports) > 20000 {
		errs.Add(field.TooMany(p, len(ports), 20000))
		ports = nil
	}
	names := map[string]bool{}
	for i, port := range ports {
		at, name := p.Index(i), tree.Text(port, "name")
		errs.Add(valid.NameRules.Check(port, at)...)
		if names[name] {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
		names[name] = true
		errs.Add(endpointSliceProtocolRules.Check(port, at)...)
		if protocol, ok := port["appProtocol"].(string); ok {
			errs.Add(rule.Invalid(at.Child("appProtocol"), protocol, syntax.LabelKey(protocol))...)
		}
	}
	wrong := validateSliceEndpoints(tree.Objects(obj, "endpoints"), tree.Text(obj, "addressType"))
	if len(wrong) > 0 && old != nil && object.Equal(tree.List(obj, "endpoints"), tree.List(old, "endpoints")) {
		return errs
	}
	return append(errs, wrong...)
}

var endpointSliceRules = rule.Fields{
	{Key: "addressType", Is: rule.All{rule.Required{}, rule.OneOf{"FQDN", "IPv4", "IPv6"}}},
}

var endpointSliceProtocolRules = rule.Fields{
	{Key: "protocol", Is: rule.All{rule.IfSet{}, rule.OneOf{"SCTP", "TCP", "UDP"}}},
}

func validateSliceEndpoints(endpoints []map[string]any, kind string) field.ErrorList {
	var errs field.ErrorList
	if len(endpoints) > 1000 {
		return field.ErrorList{field.TooMany("endpoints", len(endpoints), 1000)}
	}
	for i, endpoint := range endpoints {
		p := field.Path("endpoints").Index(i)
		at, addresses := p.Child("addresses"), tree.Texts(endpoint, "addresses")
		if len(addresses) == 0 {
			errs.Add(field.Required(at, "must contain at least 1 address"))
		} else if len(addresses) > 100 {
			errs.Add(field.TooMany(at, len(addresses), 100))
		}
		for j, address := range addresses {
			switch kind {
			case "IPv4", "IPv6":
				wrong := valid.IP(address, at.Index(j), kind == "IPv6")
				if a, _ := valid.ParseIP(address); wrong == nil {
					if a.Is4() != (kind == "IPv4") {
						errs.Add(field.Invalid(at, address, "must be an "+kind+" address"))
					}
					wrong = valid.EndpointIP(address, at.Index(j))
				}
				errs.Add(wrong...)
			case "FQDN":
				errs.Add(valid.Domain(address, at.Index(j))...)
			}
		}
		if node, ok := endpoint["nodeName"].(string); ok {
			errs.Add(rule.Invalid(p.Child("nodeName"), node, syntax.Subdomain(node))...)
		}
		if host, ok := endpoint["hostname"].(string); ok {
			errs.Add(rule.Invalid(p.Child("hostname"), host, syntax.Label(host))...)
		}
		errs.Add(validateHints(tree.Object(endpoint, "hints"), p.Child("hints"))...)
	}
	return errs
}

// validateHints checks for whom an endpoint is best.
func validateHints(hints map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, group := range []string{"forZones", "forNodes"} {
		at, targets, form := at.Child(group), tree.Objects(hints, group), syntax.LabelValue
		if len(targets) > 8 {
			return append(errs, field.TooMany(at, len(targets), 8))
		}
		if group == "forNodes" {
			form = syntax.Subdomain
		}
		names := map[string]bool{}
		for i, target := range targets {
			name, at := tree.Text(target, "name"), at.Index(i).Child("name")
			if names[name] {
				errs.Add(field.Duplicate(at, name))
			}
			names[name] = true
			errs.Add(rule.Invalid(at, name, form(name))...)
		}
	}
	return errs
}

func warnEndpointSlice(c *strategy.Context, obj map[string]any) {
	switch tree.Text(tree.Object(object.Meta(obj), "labels"), "endpointslice.kubernetes.io/managed-by") {
	case "endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io":
		return
	}
	for i, endpoint := range tree.Objects(obj, "endpoints") {
		for j, address := range tree.Texts(endpoint, "addresses") {
			valid.Warner{Context: c}.IP(address, field.Path("endpoints").Index(i).Child("addresses").Index(j))
		}
	}
}
