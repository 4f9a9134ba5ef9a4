package kinds

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
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
			errs.Add(field.NotSupported(p.Child("policyTypes").Index(i), t, "Ingress", "Egress"))
		}
	}
	return errs
}

func validatePolicyPort(port map[string]any, at field.Path) field.ErrorList {
	errs := policyPortRules.Check(port, at)
	end, hasEnd := num(port, "endPort")
	switch v := port["port"].(type) {
	case int64:
		errs.Add(validatePortNumOrName(v, at.Child("port"))...)
		if hasEnd && end < v {
			errs.Add(field.Invalid(at.Child("endPort"), v, "must be greater than or equal to `port`"))
		}
		if hasEnd {
			errs.Add(rule.Invalid(at.Child("endPort"), end, syntax.PortNumber(end))...)
		}
	case string:
		if hasEnd {
			errs.Add(field.Invalid(at.Child("endPort"), end, "may not be specified when `port` is non-numeric"))
		}
		errs.Add(validatePortNumOrName(v, at.Child("port"))...)
	default:
		if hasEnd {
			errs.Add(field.Invalid(at.Child("endPort"), end, "may not be specified when `port` is not specified"))
		}
	}
	return errs
}

var policyPortRules = rule.Fields{
	{Key: "protocol", Is: rule.All{rule.IfSet{}, rule.OneOf{"TCP", "UDP", "SCTP"}}},
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
	if block != nil {
		errs.Add(validateBlock(block, at.Child("ipBlock"))...)
	}
	switch {
	case kinds == 0 && block == nil:
		errs.Add(field.Required(at, "must specify a peer"))
	case kinds > 0 && block != nil:
		errs.Add(field.Forbidden(at, "may not specify both ipBlock and another peer"))
	}
	return errs
}

func validateBlock(block map[string]any, at field.Path) field.ErrorList {
	cidr := str(block, "cidr")
	if cidr == "" {
		return required(block, at, "cidr")
	}
	errs := validateCIDR(cidr, at.Child("cidr"), false)
	whole, ok := parseCIDR(cidr)
	if !ok {
		return errs
	}
	for i, e := range strs(block, "except") {
		at := at.Child("except").Index(i)
		errs.Add(validateCIDR(e, at, false)...)
		part, ok := parseCIDR(e)
		if ok && (!whole.Contains(part.Masked().Addr()) || part.Bits() <= whole.Bits()) {
			errs.Add(field.Invalid(at, e, "must be a strict subset of `cidr`"))
		}
	}
	return errs
}

var ingress = Rules{
	PrepareCreate: warnIngressClass,
	Validate: func(obj map[string]any) field.ErrorList {
		errs := validateIngress(dict(obj, "spec"))
		class, both := dict(obj, "spec")["ingressClassName"]
		if v, old := dict(object.Meta(obj), "annotations")[oldIngressClass]; old && both && v != class {
			errs.Add(field.Invalid(field.Path("annotations").Child(oldIngressClass), v, "must match `ingressClassName` when both are specified"))
		}
		return errs
	},
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateIngress(dict(obj, "spec")) },
	ValidateStatus: validateBalanced,
}

const oldIngressClass = "kubernetes.io/ingress.class"

func warnIngressClass(c *Context, obj map[string]any) {
	if _, old := dict(object.Meta(obj), "annotations")[oldIngressClass]; old && dict(obj, "spec")["ingressClassName"] == nil {
		c.warn(`annotation "` + oldIngressClass + `" is deprecated, please use 'spec.ingressClassName' instead`)
	}
}

// validateBalanced checks where a load balancer is reached. Addresses may be that
// were there before.
func validateBalanced(obj, old map[string]any) field.ErrorList {
	var errs field.ErrorList
	before := map[string]bool{}
	for _, point := range entries(deep(old, "status.loadBalancer"), "ingress") {
		before[str(point, "ip")] = true
	}
	for i, point := range entries(deep(obj, "status.loadBalancer"), "ingress") {
		at, ip, host := field.Path("status.loadBalancer.ingress").Index(i), str(point, "ip"), str(point, "hostname")
		if ip != "" && !before[ip] {
			errs.Add(validateIP(ip, at.Child("ip"))...)
		}
		if str(obj, "kind") == "Service" {
			switch mode := point["ipMode"]; {
			case mode == nil && ip != "":
				errs.Add(field.Required(at.Child("ipMode"), "must be specified when `ip` is set"))
			case mode != nil && ip == "":
				errs.Add(field.Forbidden(at.Child("ipMode"), "may not be specified when `ip` is not set"))
			default:
				errs.Add(balancedRules.Check(point, at)...)
			}
		}
		errs.Add(balancedHostnameRules.Check(point, at)...)
		if _, ok := parseIP(host); ok {
			errs.Add(field.Invalid(at.Child("hostname"), host, notAddress))
		}
	}
	return errs
}

var balancedRules = rule.Fields{
	{Key: "ipMode", Is: rule.All{rule.IfSet{}, rule.OneOf{"Proxy", "VIP"}}},
}

var balancedHostnameRules = rule.Fields{
	{Key: "hostname", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
}

const notAddress = "must be a DNS name, not an IP address"

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
	if _, ok := parseIP(host); ok {
		errs.Add(field.Invalid(at, host, notAddress))
	}
	return append(errs, rule.Invalid(at, host, hostForm(host)(host))...)
}

func validateIngressPath(path map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	text := str(path, "path")
	switch kind := str(path, "pathType"); {
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
	return append(errs, validateBackend(dict(path, "backend"), at.Child("backend"))...)
}

func validateBackend(backend map[string]any, at field.Path) field.ErrorList {
	service, resource := dict(backend, "service"), dict(backend, "resource")
	switch {
	case service != nil && resource != nil:
		return field.ErrorList{field.Invalid(at, "", "cannot set both resource and service backends")}
	case resource != nil:
		return validateKindReference(resource, at.Child("resource"))
	case service == nil:
		return field.ErrorList{field.Invalid(at, "", "resource or service backend is required")}
	}
	errs := backendRules.Check(service, at.Child("service"))
	port, portName := dict(service, "port"), str(dict(service, "port"), "name")
	n, _ := num(port, "number")
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

// validateKindReference checks a reference to an object of any kind.
func validateKindReference(ref map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if group, ok := ref["apiGroup"].(string); ok {
		errs.Add(rule.Invalid(at.Child("apiGroup"), group, syntax.Subdomain(group))...)
	}
	return append(errs, kindReferenceRules.Check(ref, at)...)
}

var kindReferenceRules = rule.Fields{
	{Key: "kind", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
}

var ingressClass = Rules{
	Default: func(obj map[string]any) {
		if parameters := deep(obj, "spec.parameters"); parameters != nil {
			def(parameters, "scope", "Cluster")
		}
	},
	Validate: validateIngressClass,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		if c := str(dict(obj, "spec"), "controller"); c != str(dict(old, "spec"), "controller") {
			errs.Add(field.Invalid("spec.controller", c, immutable))
		}
		return append(errs, validateIngressClass(obj)...)
	},
}

func validateIngressClass(obj map[string]any) field.ErrorList {
	spec, p := dict(obj, "spec"), field.Path("spec")
	controller, at := str(spec, "controller"), p.Child("controller")
	var errs field.ErrorList
	if len(controller) > 250 {
		errs.Add(field.TooLong(at, 250))
	}
	switch host, path, _ := strings.Cut(controller, "/"); {
	case controller == "":
		errs.Add(field.Required(at, ""))
	case host == "" || path == "":
		errs.Add(field.Invalid(at, controller, `must be a domain-prefixed path (such as "acme.io/foo")`))
	default:
		errs.Add(rule.Invalid(at, host, syntax.Subdomain(host))...)
		if strings.Trim(path, alphanumeric+`/-._~%!$&'()*+,;=:`) != "" {
			errs.Add(field.Invalid(at, path, syntax.Pattern("Invalid path", "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+")))
		}
	}
	ref, at := dict(spec, "parameters"), p.Child("parameters")
	if ref == nil {
		return errs
	}
	errs.Add(validateKindReference(ref, at)...)
	namespace, namespaced := ref["namespace"].(string)
	at = at.Child("namespace")
	switch str(ref, "scope") {
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
		errs.Add(ingressClassRules.Check(ref, p.Child("parameters"))...)
	}
	return errs
}

var ingressClassRules = rule.Fields{
	{Key: "scope", Is: rule.All{rule.IfSet{}, rule.OneOf{"Cluster", "Namespace"}}},
}

var ipAddress = Rules{
	Validate: validateIPAddress,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs, parent := validateIPAddress(obj), deep(obj, "spec.parentRef")
		switch {
		case object.Equal(parent, deep(old, "spec.parentRef")):
		case parent == nil:
			errs.Add(field.Invalid("spec.parentRef", nil, immutable))
		default:
			errs.Add(field.Invalid("spec.parentRef", goStruct(parent, `Group=""`, `Resource=""`, `Namespace=""`, `Name=""`), immutable))
		}
		return errs
	},
}

func validateIPAddress(obj map[string]any) field.ErrorList {
	parent := deep(obj, "spec.parentRef")
	if parent == nil {
		return field.ErrorList{field.Required("spec.parentRef", "")}
	}
	return iPAddressRules.Check(parent, "spec.parentRef")
}

var iPAddressRules = rule.Fields{
	{Key: "group", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
	{Key: "resource", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
	{Key: "namespace", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.PathSegment)}},
}

var serviceCIDR = Rules{
	Validate: validateServiceCIDR,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		p, before, cidrs := field.Path("spec.cidrs"), strs(dict(old, "spec"), "cidrs"), strs(dict(obj, "spec"), "cidrs")
		// A second range may come, nothing else.
		second := len(before) == 1 && len(cidrs) == 2
		if !second && len(before) != len(cidrs) {
			return field.ErrorList{field.Invalid(p, dict(obj, "spec")["cidrs"], immutable)}
		}
		for i, cidr := range before {
			if cidr != cidrs[i] {
				errs.Add(field.Invalid(p.Index(i), cidrs[i], immutable))
			}
		}
		if second {
			errs.Add(validateServiceCIDR(obj)...)
		}
		return errs
	},
}

func validateServiceCIDR(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	p, spec := field.Path("spec.cidrs"), dict(obj, "spec")
	cidrs := strs(spec, "cidrs")
	switch {
	case len(cidrs) == 0:
		return field.ErrorList{field.Required(p, "at least one CIDR required")}
	case len(cidrs) > 2:
		return field.ErrorList{field.Invalid(p, goStruct(spec, "CIDRs:cidrs"), "may only hold up to 2 values")}
	}
	families := map[int]bool{}
	for i, cidr := range cidrs {
		errs.Add(validateCIDR(cidr, p.Index(i), true)...)
		bits := -1 - i
		if parsed, ok := parseCIDR(cidr); ok {
			bits = parsed.Addr().Unmap().BitLen()
		}
		families[bits] = true
	}
	if len(families) < len(cidrs) {
		errs.Add(field.Invalid(p, cidrs, "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"))
	}
	return errs
}

var endpointSlice = Rules{
	PrepareCreate: func(c *Context, obj map[string]any) {
		if str(obj, "addressType") == "FQDN" {
			c.warn("spec.addressType: FQDN endpoints are deprecated")
		}
		dropTopology(obj)
		warnEndpointSlice(c, obj)
	},
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
		if !object.Equal(obj["endpoints"], old["endpoints"]) {
			dropTopology(obj)
		}
		warnEndpointSlice(c, obj)
	},
	Raises: func(obj, old map[string]any) bool {
		return (&common).raises(obj, old) || !object.Equal(object.Meta(obj)["labels"], object.Meta(old)["labels"])
	},
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
		return append(validateEndpointSlice(obj, old), unchanged(obj, old, "addressType")...)
	},
}

// dropTopology drops what only older versions of the group may set.
func dropTopology(obj map[string]any) {
	for _, endpoint := range entries(obj, "endpoints") {
		delete(endpoint, "deprecatedTopology")
	}
}

// validateEndpointSlice lets endpoints be that were there before.
func validateEndpointSlice(obj, old map[string]any) field.ErrorList {
	errs := endpointSliceRules.Check(obj, "")
	ports, p := entries(obj, "ports"), field.Path("ports")
	if len(ports) > 20000 {
		errs.Add(field.TooMany(p, len(ports), 20000))
		ports = nil
	}
	names := map[string]bool{}
	for i, port := range ports {
		at, name := p.Index(i), str(port, "name")
		errs.Add(endpointSliceNameRules.Check(port, at)...)
		if names[name] {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
		names[name] = true
		errs.Add(endpointSliceProtocolRules.Check(port, at)...)
		if protocol, ok := port["appProtocol"].(string); ok {
			errs.Add(rule.Invalid(at.Child("appProtocol"), protocol, syntax.LabelKey(protocol))...)
		}
	}
	wrong := validateSliceEndpoints(entries(obj, "endpoints"), str(obj, "addressType"))
	if len(wrong) > 0 && old != nil && object.Equal(list(obj, "endpoints"), list(old, "endpoints")) {
		return errs
	}
	return append(errs, wrong...)
}

var endpointSliceRules = rule.Fields{
	{Key: "addressType", Is: rule.All{rule.Required{}, rule.OneOf{"FQDN", "IPv4", "IPv6"}}},
}

var endpointSliceNameRules = rule.Fields{
	{Key: "name", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
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
		at, addresses := p.Child("addresses"), strs(endpoint, "addresses")
		if len(addresses) == 0 {
			errs.Add(field.Required(at, "must contain at least 1 address"))
		} else if len(addresses) > 100 {
			errs.Add(field.TooMany(at, len(addresses), 100))
		}
		for j, address := range addresses {
			switch kind {
			case "IPv4", "IPv6":
				wrong := checkIP(address, at.Index(j), kind == "IPv6")
				if a, _ := parseIP(address); wrong == nil {
					if a.Is4() != (kind == "IPv4") {
						errs.Add(field.Invalid(at, address, "must be an "+kind+" address"))
					}
					wrong = validateEndpointIP(address, at.Index(j))
				}
				errs.Add(wrong...)
			case "FQDN":
				errs.Add(validateDomain(address, at.Index(j))...)
			}
		}
		if node, ok := endpoint["nodeName"].(string); ok {
			errs.Add(rule.Invalid(p.Child("nodeName"), node, syntax.Subdomain(node))...)
		}
		if host, ok := endpoint["hostname"].(string); ok {
			errs.Add(rule.Invalid(p.Child("hostname"), host, syntax.Label(host))...)
		}
		errs.Add(validateHints(dict(endpoint, "hints"), p.Child("hints"))...)
	}
	return errs
}

// validateHints checks for whom an endpoint is best.
func validateHints(hints map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, group := range []string{"forZones", "forNodes"} {
		at, targets, form := at.Child(group), entries(hints, group), syntax.LabelValue
		if len(targets) > 8 {
			return append(errs, field.TooMany(at, len(targets), 8))
		}
		if group == "forNodes" {
			form = syntax.Subdomain
		}
		names := map[string]bool{}
		for i, target := range targets {
			name, at := str(target, "name"), at.Index(i).Child("name")
			if names[name] {
				errs.Add(field.Duplicate(at, name))
			}
			names[name] = true
			errs.Add(rule.Invalid(at, name, form(name))...)
		}
	}
	return errs
}

var podDisruptionBudget = Rules{
	Validate:       func(obj map[string]any) field.ErrorList { return validateBudget(dict(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateBudget(dict(obj, "spec")) },
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		status := dict(obj, "status")
		errs := validateConditions(list(status, "conditions"), "status.conditions", conditionRules)
		return append(errs, notBelowZero(status, "status", "disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")...)
	},
}

func validateBudget(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	if spec["minAvailable"] != nil && spec["maxUnavailable"] != nil {
		printed := maps.Clone(spec)
		if s := dict(spec, "selector"); s != nil {
			printed["selector"] = json.RawMessage(printSelector(s))
		}
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
