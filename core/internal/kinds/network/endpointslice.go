package network

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// EndpointSlice is the strategy of EndpointSlices.
var EndpointSlice = strategy.Strategy{
	Default: func(obj map[string]any) {
		for _, port := range tree.Objects(obj, "ports") {
			if port["name"] == nil {
				port["name"] = ""
			}
			tree.DefaultNil(port, "protocol", "TCP")
		}
	},
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		if tree.Text(obj, "addressType") == "FQDN" {
			c.Warn("spec.addressType: FQDN endpoints are deprecated")
		}
		dropTopology(obj)
		warnEndpointSlice(c, obj)
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		meta, was := object.Meta(obj), object.Meta(old)
		if strategy.Changed(obj, old) || !object.Equal(meta["labels"], was["labels"]) { // by what is dropped, too
			meta["generation"] = object.Generation(old) + 1
		}
		if !object.Equal(obj["endpoints"], old["endpoints"]) {
			dropTopology(obj)
		}
		warnEndpointSlice(c, obj)
	},
	Raises:   func(_, _ map[string]any) bool { return false },
	Validate: func(obj map[string]any) field.ErrorList { return validateEndpointSlice(obj, nil) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return append(validateEndpointSlice(obj, old), rule.Immutable(obj, old, "addressType")...)
	},
}

// dropTopology drops fields that only older versions of the group may set.
func dropTopology(obj map[string]any) {
	for _, endpoint := range tree.Objects(obj, "endpoints") {
		delete(endpoint, "deprecatedTopology")
	}
}

// validateEndpointSlice accepts endpoints that existed before.
func validateEndpointSlice(obj, old map[string]any) field.ErrorList {
	errs := endpointSlice.Check(obj, "")
	wrong := validateSliceEndpoints(tree.Objects(obj, "endpoints"), tree.Text(obj, "addressType"))
	if len(wrong) > 0 && old != nil && object.Equal(tree.List(obj, "endpoints"), tree.List(old, "endpoints")) {
		return errs
	}
	return append(errs, wrong...)
}

// endpointSlice is the rule for a slice without its endpoints.
var endpointSlice = rule.Fields{
	{Key: "addressType", Is: rule.All{rule.Required{}, rule.OneOf{"FQDN", "IPv4", "IPv6"}}},
	{Key: "ports", Is: rule.All{rule.MaxItems(20000), rule.Func(validateSlicePorts)}},
}

// validateSlicePorts checks each port and, before its protocol, that its name is unique.
func validateSlicePorts(v any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	var names rule.Seen[string]
	ports, _ := v.([]any)
	for i, port := range ports {
		port, at := tree.Map(port), at.Index(i)
		errs.Add(valid.NameRules.Check(port, at)...)
		if name := tree.Text(port, "name"); names.Again(name) {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
		errs.Add(slicePort.Check(port, at)...)
	}
	return errs
}

var slicePort = rule.Fields{
	{Key: "protocol", Is: rule.All{rule.IfSet{}, protocol}},
	{Key: "appProtocol", Is: rule.All{rule.IfSet{}, rule.Form(syntax.LabelKey)}},
}

func validateSliceEndpoints(endpoints []map[string]any, addressType string) field.ErrorList {
	if len(endpoints) > 1000 {
		return field.ErrorList{field.TooMany("endpoints", len(endpoints), 1000)}
	}
	var errs field.ErrorList
	for i, endpoint := range endpoints {
		at := field.Path("endpoints").Index(i)
		errs.Add(validateSliceAddresses(tree.Texts(endpoint, "addresses"), addressType, at.Child("addresses"))...)
		errs.Add(sliceEndpoint.Check(endpoint, at)...)
	}
	return errs
}

func validateSliceAddresses(addresses []string, addressType string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(addresses) == 0 {
		errs.Add(field.Required(at, "must contain at least 1 address"))
	} else if len(addresses) > 100 {
		errs.Add(field.TooMany(at, len(addresses), 100))
	}
	for i, address := range addresses {
		switch addressType {
		case "IPv4", "IPv6":
			wrong := valid.IP(address, at.Index(i), addressType == "IPv6")
			if a, _ := valid.ParseIP(address); wrong == nil {
				if a.Is4() != (addressType == "IPv4") {
					errs.Add(field.Invalid(at, address, "must be an "+addressType+" address"))
				}
				wrong = valid.EndpointIP(address, at.Index(i))
			}
			errs.Add(wrong...)
		case "FQDN":
			errs.Add(valid.Domain(address, at.Index(i))...)
		}
	}
	return errs
}

// sliceEndpoint is the rule for an endpoint without its addresses.
var sliceEndpoint = rule.Fields{
	{Key: "nodeName", Is: rule.All{rule.IfSet{}, rule.Form(syntax.Subdomain)}},
	{Key: "hostname", Is: rule.All{rule.IfSet{}, rule.Form(syntax.Label)}},
	{Key: "hints", Is: rule.Object(validateHints)},
}

// validateHints checks the topology hints of an endpoint.
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
		var names rule.Seen[string]
		for i, target := range targets {
			name, at := tree.Text(target, "name"), at.Index(i).Child("name")
			if names.Again(name) {
				errs.Add(field.Duplicate(at, name))
			}
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
