package kinds

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/object"
)

// networking.k8s.io, discovery.k8s.io and policy

var networkPolicy = Rules{
	PrepareCreate: warnNetworkPolicy,
	PrepareUpdate: func(c *Context, obj, _ map[string]any) { warnNetworkPolicy(c, obj) },
	Default: func(obj map[string]any) {
		spec := sub(obj, "spec")
		for _, rules := range [][]map[string]any{entries(spec, "ingress"), entries(spec, "egress")} {
			for _, rule := range rules {
				for _, port := range entries(rule, "ports") {
					def(port, "protocol", "TCP")
				}
			}
		}
		if len(list(spec, "policyTypes")) == 0 {
			types := anyStrings("Ingress")
			if len(list(spec, "egress")) > 0 {
				types = anyStrings("Ingress", "Egress")
			}
			spec["policyTypes"] = types
		}
	},
	Validate:       func(obj map[string]any) field.ErrorList { return validateNetworkPolicy(dict(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateNetworkPolicy(dict(obj, "spec")) },
}

func validateNetworkPolicy(spec map[string]any) field.ErrorList {
	p := field.Path("spec")
	errs := validateLabelSelector(dict(spec, "podSelector"), p.Child("podSelector"))
	for _, direction := range [][2]string{{"ingress", "from"}, {"egress", "to"}} {
		for i, rule := range entries(spec, direction[0]) {
			at := p.Child(direction[0]).Index(i)
			for j, port := range entries(rule, "ports") {
				errs.Add(validatePolicyPort(port, at.Child("ports").Index(j))...)
			}
			for j, peer := range entries(rule, direction[1]) {
				errs.Add(validatePeer(peer, at.Child(direction[1]).Index(j))...)
			}
		}
	}
	types := strs(spec, "policyTypes")
	if len(types) > 2 {
		return append(errs, field.Invalid(p.Child("policyTypes"), types, "may not specify more than two policyTypes"))
	}
	for i, t := range types {
		if t != "Ingress" && t != "Egress" {
			errs.Add(field.NotSupported(p.Child("policyTypes").Index(i), t, "Egress", "Ingress"))
		}
	}
	return errs
}

func validatePolicyPort(port map[string]any, at field.Path) field.ErrorList {
	errs := oneOf(port, at, "protocol", "SCTP", "TCP", "UDP")
	v := port["port"]
	end, hasEnd := num(port, "endPort")
	if v == nil {
		if hasEnd {
			errs.Add(field.Required(at.Child("port"), "must be specified when `endPort` is specified"))
		}
		return errs
	}
	errs.Add(validatePortNumOrName(v, at.Child("port"))...)
	if n, isNumber := v.(int64); hasEnd && !isNumber {
		errs.Add(field.Invalid(at.Child("endPort"), end, "may not be specified when `port` is non-numeric"))
	} else if hasEnd && end < n {
		errs.Add(field.Invalid(at.Child("endPort"), n, "must be greater than or equal to `port`"))
	}
	return errs
}

func validatePeer(peer map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	kinds := 0
	for _, name := range []string{"podSelector", "namespaceSelector"} {
		if s, ok := peer[name].(map[string]any); ok {
			kinds++
			errs.Add(validateLabelSelector(s, at.Child(name))...)
		}
	}
	block := dict(peer, "ipBlock")
	switch {
	case kinds == 0 && block == nil:
		errs.Add(field.Required(at, "must specify a peer"))
	case kinds > 0 && block != nil:
		errs.Add(field.Forbidden(at, "may not specify both ipBlock and another peer"))
	case block != nil:
		errs.Add(validateBlock(block, at.Child("ipBlock"))...)
	}
	return errs
}

const wrongCIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"

func validateBlock(block map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	cidr := str(block, "cidr")
	whole, err := netip.ParsePrefix(cidr)
	switch {
	case cidr == "":
		return field.ErrorList{field.Required(at.Child("cidr"), "")}
	case err != nil:
		return field.ErrorList{field.Invalid(at.Child("cidr"), cidr, wrongCIDR)}
	}
	for i, e := range strs(block, "except") {
		at := at.Child("except").Index(i)
		part, err := netip.ParsePrefix(e)
		if err != nil {
			errs.Add(field.Invalid(at, e, wrongCIDR))
		} else if !whole.Contains(part.Addr()) || part.Bits() <= whole.Bits() {
			errs.Add(field.Invalid(at, e, "must be a strict subset of `cidr`"))
		}
	}
	return errs
}

var ingress = Rules{
	PrepareCreate:  func(c *Context, obj map[string]any) { warnIngressClass(c, obj) },
	Validate:       func(obj map[string]any) field.ErrorList { return validateIngress(dict(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateIngress(dict(obj, "spec")) },
}

const oldIngressClass = "kubernetes.io/ingress.class"

func warnIngressClass(c *Context, obj map[string]any) {
	if _, old := dict(object.Meta(obj), "annotations")[oldIngressClass]; old {
		c.warn(`annotation "` + oldIngressClass + `" is deprecated, please use 'spec.ingressClassName' instead`)
	}
}

func validateIngress(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	if len(list(spec, "rules")) == 0 && spec["defaultBackend"] == nil {
		errs.Add(field.Invalid(p, list(spec, "rules"), "either `defaultBackend` or `rules` must be specified"))
	}
	if backend := dict(spec, "defaultBackend"); backend != nil {
		errs.Add(validateBackend(backend, p.Child("defaultBackend"))...)
	}
	for i, rule := range entries(spec, "rules") {
		at, host := p.Child("rules").Index(i), str(rule, "host")
		if host != "" {
			errs.Add(validateIngressHost(host, at.Child("host"))...)
		}
		if http := dict(rule, "http"); http != nil {
			if len(list(http, "paths")) == 0 {
				errs.Add(field.Required(at.Child("http", "paths"), ""))
			}
			for j, path := range entries(http, "paths") {
				errs.Add(validateIngressPath(path, at.Child("http", "paths").Index(j))...)
			}
		}
	}
	for i, tls := range entries(spec, "tls") {
		for j, host := range strs(tls, "hosts") {
			errs.Add(invalid(p.Child("tls").Index(i).Child("hosts").Index(j), host, hostForm(host)(host))...)
		}
	}
	if class := str(spec, "ingressClassName"); class != "" {
		errs.Add(invalid(p.Child("ingressClassName"), class, syntax.Subdomain(class))...)
	}
	return errs
}

func hostForm(host string) func(string) []string {
	if strings.Contains(host, "*") {
		return syntax.WildcardSubdomain
	}
	return syntax.Subdomain
}

func validateIngressHost(host string, at field.Path) field.ErrorList {
	if _, err := netip.ParseAddr(host); err == nil {
		return field.ErrorList{field.Invalid(at, host, "must be a DNS name, not an IP address")}
	}
	return invalid(at, host, hostForm(host)(host))
}

func validateIngressPath(path map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	text := str(path, "path")
	switch kind := str(path, "pathType"); kind {
	case "":
		errs.Add(field.Required(at.Child("pathType"), "pathType must be specified"))
	case "Exact", "Prefix":
		if !strings.HasPrefix(text, "/") {
			errs.Add(field.Invalid(at.Child("path"), text, "must be an absolute path"))
		}
		for _, part := range []string{"//", "/./", "/../", "%2f", "%2F"} {
			if strings.Contains(text, part) {
				errs.Add(field.Invalid(at.Child("path"), text, "must not contain '"+part+"'"))
			}
		}
	case "ImplementationSpecific":
		if text != "" && !strings.HasPrefix(text, "/") {
			errs.Add(field.Invalid(at.Child("path"), text, "must be an absolute path"))
		}
	default:
		errs.Add(field.NotSupported(at.Child("pathType"), kind, "Exact", "ImplementationSpecific", "Prefix"))
	}
	return append(errs, validateBackend(dict(path, "backend"), at.Child("backend"))...)
}

func validateBackend(backend map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	service, resource := dict(backend, "service"), dict(backend, "resource")
	switch {
	case service != nil && resource != nil:
		return field.ErrorList{field.Invalid(at, "", "cannot set both resource and service backends")}
	case resource != nil:
		return required(resource, at.Child("resource"), "kind", "name")
	case service == nil:
		return field.ErrorList{field.Required(at, "resource or service backend is required")}
	}
	at = at.Child("service")
	name := str(service, "name")
	if name == "" {
		errs.Add(field.Required(at.Child("name"), ""))
	} else {
		errs.Add(invalid(at.Child("name"), name, syntax.Label(name))...)
	}
	port, portName := dict(service, "port"), str(dict(service, "port"), "name")
	n, _ := num(port, "number")
	switch at := at.Child("port"); {
	case portName != "" && n != 0:
		errs.Add(field.Invalid(at, "", "cannot set both port name & port number"))
	case portName != "":
		errs.Add(invalid(at.Child("name"), portName, syntax.PortName(portName))...)
	case n == 0:
		errs.Add(field.Required(at, "port name or number is required"))
	default:
		errs.Add(invalid(at.Child("number"), n, syntax.PortNumber(n))...)
	}
	return errs
}

var ingressClass = Rules{
	Default: func(obj map[string]any) {
		if parameters := deep(obj, "spec.parameters"); parameters != nil {
			def(parameters, "scope", "Cluster")
		}
	},
	Validate: func(obj map[string]any) field.ErrorList {
		return required(dict(obj, "spec"), "spec", "controller")
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return specKept(dict(obj, "spec"), dict(old, "spec"), "controller")
	},
}

var ipAddress = Rules{
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		parent := deep(obj, "spec.parentRef")
		if object.Equal(parent, deep(old, "spec.parentRef")) {
			return nil
		}
		return field.ErrorList{field.Invalid("spec.parentRef", goStruct(parent, `Group=""`, `Resource=""`, `Namespace=""`, `Name=""`), immutable)}
	},
}

var serviceCIDR = Rules{
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		before := strs(dict(old, "spec"), "cidrs")
		for i, cidr := range strs(dict(obj, "spec"), "cidrs") {
			if i >= len(before) || cidr != before[i] {
				errs.Add(field.Invalid(field.Path("spec.cidrs").Index(i), cidr, immutable))
			}
		}
		return errs
	},
}

var endpointSlice = Rules{
	PrepareCreate: func(c *Context, obj map[string]any) {
		if str(obj, "addressType") == "FQDN" {
			c.warn("spec.addressType: FQDN endpoints are deprecated")
		}
		warnEndpointSlice(c, obj)
	},
	PrepareUpdate: func(c *Context, obj, _ map[string]any) { warnEndpointSlice(c, obj) },
	Default: func(obj map[string]any) {
		for _, port := range entries(obj, "ports") {
			if port["name"] == nil {
				port["name"] = ""
			}
			def(port, "protocol", "TCP")
		}
	},
	Validate: func(obj map[string]any) field.ErrorList { return validateEndpointSlice(obj, nil) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return append(unchanged(obj, old, "addressType"), validateEndpointSlice(obj, old)...)
	},
	MetaTwice: true,
}

// validateEndpointSlice lets addresses be that were there before.
func validateEndpointSlice(obj, old map[string]any) field.ErrorList {
	var before []string
	for _, endpoint := range entries(old, "endpoints") {
		before = append(before, strs(endpoint, "addresses")...)
	}
	errs := oneOf(obj, "", "addressType", "FQDN", "IPv4", "IPv6")
	kind := str(obj, "addressType")
	for i, endpoint := range entries(obj, "endpoints") {
		at, addresses := field.Path("endpoints").Index(i).Child("addresses"), strs(endpoint, "addresses")
		if len(addresses) == 0 {
			errs.Add(field.Required(at, "must contain at least 1 address"))
		}
		if len(addresses) > 100 {
			errs.Add(field.TooMany(at, len(addresses), 100))
		}
		for j, address := range addresses {
			a, err := netip.ParseAddr(address)
			switch {
			case slices.Contains(before, address):
			case kind == "IPv4" && (err != nil || !a.Is4()):
				errs.Add(field.Invalid(at.Index(j), address, "must be an IPv4 address"))
			case kind == "IPv6" && (err != nil || !a.Is6()):
				errs.Add(field.Invalid(at.Index(j), address, "must be an IPv6 address"))
			case kind == "FQDN":
				errs.Add(invalid(at.Index(j), address, syntax.Subdomain(address))...)
			}
		}
	}
	names := map[string]bool{}
	for i, port := range entries(obj, "ports") {
		at, name := field.Path("ports").Index(i), str(port, "name")
		if name != "" {
			errs.Add(invalid(at.Child("name"), name, syntax.Label(name))...)
		}
		if names[name] {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
		names[name] = true
		errs.Add(oneOf(port, at, "protocol", "SCTP", "TCP", "UDP")...)
	}
	return errs
}

var podDisruptionBudget = Rules{
	Validate:       func(obj map[string]any) field.ErrorList { return validateBudget(dict(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateBudget(dict(obj, "spec")) },
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		return notBelowZero(dict(obj, "status"), "status", "disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
	},
}

func validateBudget(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	if spec["minAvailable"] != nil && spec["maxUnavailable"] != nil {
		printed := map[string]any{"minAvailable": spec["minAvailable"], "maxUnavailable": spec["maxUnavailable"],
			"selector": spec["selector"], "unhealthyPodEvictionPolicy": spec["unhealthyPodEvictionPolicy"]}
		errs.Add(field.Invalid(p, goStruct(printed, "MinAvailable", "Selector", "MaxUnavailable", "UnhealthyPodEvictionPolicy"),
			"minAvailable and maxUnavailable cannot be both set"))
	}
	for _, name := range []string{"minAvailable", "maxUnavailable"} {
		if v := spec[name]; v != nil {
			errs.Add(countOrPercent(v, p.Child(name))...)
			errs.Add(atMostAll(v, p.Child(name))...)
		}
	}
	errs.Add(validateLabelSelector(dict(spec, "selector"), p.Child("selector"))...)
	if spec["unhealthyPodEvictionPolicy"] != nil {
		errs.Add(oneOf(spec, p, "unhealthyPodEvictionPolicy", "AlwaysAllow", "IfHealthyBudget")...)
	}
	return errs
}
