// Package network has the strategies of Services, their endpoints, addresses and ports, and of the
// group networking.k8s.io. Allocations are the addresses and ports in use by the cluster's
// Services.
package network

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// Service is the strategy of Services, the only kind with allocated fields: addresses and node
// ports. The client's values are used as far as possible: fields that a client leaves out of an
// update stay as they were, and fields that a changed type does not use are removed. The cluster
// has IPv4 only.
var Service = strategy.Strategy{
	Default: defaultService,
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		spec := tree.Make(obj, "spec")
		if ip := tree.Text(spec, "clusterIP"); ip != "" && len(tree.List(spec, "clusterIPs")) == 0 {
			spec["clusterIPs"] = []any{ip}
		}
		fillFamilies(spec, nil)
		dropInternal(spec)
		warnService(c, obj)
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		spec, was := tree.Make(obj, "spec"), tree.Object(old, "spec")
		keepAllocated(spec, was)
		pairClusterIPs(spec, was)
		dropUnused(spec, was)
		if tree.Text(spec, "type") != "LoadBalancer" {
			tree.Make(obj, "status")["loadBalancer"] = map[string]any{}
		}
		fillFamilies(spec, was)
		dropInternal(spec)
		warnService(c, obj)
	},
	ValidateAlone:  validateAddresses,
	Validate:       func(obj map[string]any) field.ErrorList { return validateService(obj, nil) },
	ValidateUpdate: validateService,
	ValidateStatus: func(obj, old map[string]any) field.ErrorList {
		points := tree.List(tree.At(obj, "status.loadBalancer"), "ingress")
		if len(points) > 0 && tree.Text(tree.Object(obj, "spec"), "type") != "LoadBalancer" {
			return field.ErrorList{field.Forbidden("status.loadBalancer.ingress",
				"may only be used when `spec.type` is 'LoadBalancer'")}
		}
		return validateLoadBalancerStatus(obj, old)
	},
	Allocate: allocateService,
	// Addresses are free when their IPAddresses are gone.
	Release: func(c *strategy.Context, obj, old map[string]any) {
		spec, was := tree.Object(obj, "spec"), tree.Object(old, "spec")
		free(c.NodePorts, without(nodePorts(was), nodePorts(spec)))
	},
	Addresses: func(obj map[string]any) []string { return addresses(tree.Object(obj, "spec")) },
}

func defaultService(obj map[string]any) {
	spec := tree.Make(obj, "spec")
	tree.Default(spec, "sessionAffinity", "None")
	switch tree.Text(spec, "sessionAffinity") {
	case "None":
		delete(spec, "sessionAffinityConfig")
	case "ClientIP":
		if tree.At(spec, "sessionAffinityConfig.clientIP")["timeoutSeconds"] == nil {
			spec["sessionAffinityConfig"] = map[string]any{"clientIP": map[string]any{"timeoutSeconds": int64(10800)}}
		}
	}
	tree.Default(spec, "type", "ClusterIP")
	for _, port := range tree.Objects(spec, "ports") {
		tree.Default(port, "protocol", "TCP")
		if t := port["targetPort"]; t == nil || t == "" || t == int64(0) {
			port["targetPort"] = port["port"]
		}
	}
	if external(spec) {
		tree.Default(spec, "externalTrafficPolicy", "Cluster")
	}
	if hasClusterIP(spec) {
		tree.DefaultNil(spec, "internalTrafficPolicy", "Cluster")
	}
	if tree.Text(spec, "type") == "LoadBalancer" {
		tree.Default(spec, "allocateLoadBalancerNodePorts", true)
		for _, ingress := range tree.Objects(tree.At(obj, "status.loadBalancer"), "ingress") {
			if tree.Text(ingress, "ip") != "" {
				tree.DefaultNil(ingress, "ipMode", "VIP")
			}
		}
	}
}

// dropInternal drops fields that a service of type ExternalName cannot have, if they are valid. The real server stores
// them and does not show them.
func dropInternal(spec map[string]any) {
	if tree.Text(spec, "type") == "ExternalName" &&
		slices.Contains(enum.ServiceInternalTrafficPolicy, tree.Text(spec, "internalTrafficPolicy")) {
		delete(spec, "internalTrafficPolicy")
	}
}

// keepAllocated restores allocated fields that the client did not repeat.
func keepAllocated(spec, was map[string]any) {
	isName := func(s map[string]any) bool { return tree.Text(s, "type") == "ExternalName" }
	if !isName(spec) && !isName(was) {
		for _, name := range []string{"clusterIP", "clusterIPs"} {
			if v := spec[name]; v == nil || v == "" || len(tree.List(spec, name)) == 0 && name == "clusterIPs" {
				tree.Keep(spec, was, name)
			}
		}
	}
	if usesNodePorts(spec) && usesNodePorts(was) {
		taken, before := nodePorts(spec), map[string]int64{}
		for _, old := range tree.Objects(was, "ports") {
			if n, _ := tree.Int(old, "nodePort"); n != 0 && !slices.Contains(taken, strconv.FormatInt(n, 10)) {
				before[tree.Text(old, "name")] = n
			}
		}
		for _, port := range tree.Objects(spec, "ports") {
			n, _ := tree.Int(port, "nodePort")
			if kept := before[tree.Text(port, "name")]; n == 0 && kept != 0 {
				port["nodePort"] = kept
			}
		}
	}
	if n, _ := tree.Int(spec, "healthCheckNodePort"); n == 0 && usesHealthPort(spec) && usesHealthPort(was) {
		tree.Keep(spec, was, "healthCheckNodePort")
	}
}

// pairClusterIPs copies a change of clusterIP to clusterIPs, for clients that know only the older
// field.
func pairClusterIPs(spec, was map[string]any) {
	ip, before := tree.Text(spec, "clusterIP"), tree.Text(was, "clusterIP")
	if ip == before || !object.Equal(tree.List(spec, "clusterIPs"), tree.List(was, "clusterIPs")) {
		return
	}
	if ip == "" {
		delete(spec, "clusterIPs")
		return
	}
	spec["clusterIPs"] = []any{ip}
}

// dropUnused removes fields that a service of another type does not use, unless the client changed
// them at the same time.
func dropUnused(spec, was map[string]any) {
	drop := func(needed func(map[string]any) bool, names ...string) {
		if !needed(was) || needed(spec) {
			return
		}
		for _, name := range names {
			if object.Equal(spec[name], was[name]) {
				delete(spec, name)
			}
		}
	}
	balanced := func(s map[string]any) bool { return tree.Text(s, "type") == "LoadBalancer" }
	internal := func(s map[string]any) bool { return tree.Text(s, "type") != "ExternalName" }
	if internal(was) && !internal(spec) && object.Equal(spec["clusterIP"], was["clusterIP"]) &&
		object.Equal(spec["clusterIPs"], was["clusterIPs"]) {
		delete(spec, "clusterIP")
		delete(spec, "clusterIPs")
	}
	drop(internal, "ipFamilies", "ipFamilyPolicy")
	drop(hasClusterIP, "internalTrafficPolicy")
	drop(usesHealthPort, "healthCheckNodePort")
	drop(balanced, "allocateLoadBalancerNodePorts", "loadBalancerClass")
	drop(external, "externalTrafficPolicy")
	if usesNodePorts(was) && !usesNodePorts(spec) {
		old := nodePorts(was)
		for _, port := range nodePorts(spec) {
			if !slices.Contains(old, port) {
				return
			}
		}
		for _, port := range tree.Objects(spec, "ports") {
			delete(port, "nodePort")
		}
	}
}

// fillFamilies sets ipFamilyPolicy and ipFamilies if the client left them out.
func fillFamilies(spec, was map[string]any) {
	if tree.Text(spec, "type") == "ExternalName" {
		return
	}
	switch {
	case spec["ipFamilyPolicy"] != nil:
	case was["ipFamilyPolicy"] != nil:
		tree.Keep(spec, was, "ipFamilyPolicy")
	case loose(spec):
		spec["ipFamilyPolicy"] = "RequireDualStack"
	default:
		spec["ipFamilyPolicy"] = "SingleStack"
	}
	families, before := tree.List(spec, "ipFamilies"), tree.List(was, "ipFamilies")
	single := tree.Text(spec, "ipFamilyPolicy") == "SingleStack"
	switch {
	case len(families) == 0 && isIPv6(tree.Text(spec, "clusterIP")): // a violation
		return
	case len(families) == 0:
		families = []any{"IPv4"}
	case single && len(families) == 2 && object.Equal(families, before):
		families = families[:1] // the secondary one is released
	case !single && len(families) < len(before): // a violation
		return
	}
	if loose(spec) && len(families) == 1 && !single {
		other := "IPv6"
		if families[0] == other {
			other = "IPv4"
		}
		families = append(slices.Clone(families), other)
	}
	spec["ipFamilies"] = families
}

// validateService checks a service except for its addresses; old is nil for a new one.
func validateService(obj, old map[string]any) field.ErrorList {
	spec, p := tree.Object(obj, "spec"), field.Path("spec")
	ports, kind := tree.Objects(spec, "ports"), tree.Text(spec, "type")
	var errs field.ErrorList
	const hints, mode = "service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"
	annotations := tree.Object(object.Meta(obj), "annotations")
	if h, m := annotations[hints], annotations[mode]; h != nil && m != nil && h != m {
		errs.Add(field.Invalid(field.Path("metadata.annotations").Key(mode), m,
			"must match annotations["+hints+"] when both are specified"))
	}
	if old != nil {
		was := tree.Object(old, "spec")
		errs.Add(validateClusterIPsUpdate(spec, was)...)
		errs.Add(validateLoadBalancerClass(spec, was, p.Child("loadBalancerClass"))...)
		if usesHealthPort(spec) && usesHealthPort(was) && spec["healthCheckNodePort"] != was["healthCheckNodePort"] {
			errs.Add(field.Forbidden(p.Child("healthCheckNodePort"), rule.FieldImmutable))
		}
	}
	if len(ports) == 0 && !addressless(spec) && kind != "ExternalName" {
		errs.Add(field.Required(p.Child("ports"), ""))
	}
	switch kind {
	case "LoadBalancer", "NodePort":
		if tree.Text(spec, "clusterIP") == "None" {
			errs.Add(field.Invalid(p.Child("clusterIPs").Index(0), "None", "may not be set to 'None' for "+kind+" services"))
		}
	case "ExternalName":
		for _, name := range []string{"clusterIPs", "ipFamilies", "ipFamilyPolicy"} {
			if spec[name] != nil && (name == "ipFamilyPolicy" || len(tree.List(spec, name)) > 0) {
				errs.Add(field.Forbidden(p.Child(name), "may not be set for ExternalName services"))
			}
		}
		errs.Add(validateExternalName(tree.Text(spec, "externalName"), p.Child("externalName"))...)
	}
	errs.Add(validateServicePorts(ports, p.Child("ports"))...)
	errs.Add(metadata.ValidateLabels(tree.Object(spec, "selector"), p.Child("selector"))...)
	errs.Add(rule.RequireOneOf(spec, p, "sessionAffinity", enum.ServiceAffinity...)...)
	if tree.Text(spec, "sessionAffinity") == "ClientIP" {
		if n, ok := tree.Int(tree.At(spec, "sessionAffinityConfig.clientIP"), "timeoutSeconds"); !ok || n <= 0 || n > 86400 {
			errs.Add(field.Invalid(p.Child("sessionAffinityConfig", "clientIP", "timeoutSeconds"), n,
				"must be greater than 0 and less than 86400"))
		}
	}
	for i, ip := range tree.Texts(spec, "externalIPs") {
		at := p.Child("externalIPs").Index(i)
		wrong := valid.IP(ip, at, false)
		if wrong == nil {
			wrong = valid.EndpointIP(ip, at)
		}
		errs.Add(wrong...)
	}
	errs.Add(rule.RequireOneOf(spec, p, "type", "ClusterIP", "ExternalName", "LoadBalancer", "NodePort")...)
	errs.Add(validatePortNumbers(ports, kind, p.Child("ports"))...)
	errs.Add(validateSourceRanges(obj, old, p.Child("LoadBalancerSourceRanges"))...)
	return append(errs, validateTraffic(spec, p)...)
}

func validateExternalName(name string, at field.Path) field.ErrorList {
	name = strings.TrimSuffix(name, ".")
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	return rule.Invalid(at, name, syntax.Subdomain(name))
}

func warnService(c *strategy.Context, obj map[string]any) {
	spec, w := tree.Object(obj, "spec"), valid.Warner{Context: c}
	if _, ok := tree.Object(object.Meta(obj), "annotations")["service.kubernetes.io/topology-aware-hints"]; ok {
		c.Warn("annotation service.kubernetes.io/topology-aware-hints is deprecated, please use " +
			"service.kubernetes.io/topology-mode instead")
	}
	for i, ip := range tree.Texts(spec, "clusterIPs") {
		w.IP(ip, field.Path("spec.clusterIPs").Index(i))
	}
	outward := len(tree.List(spec, "externalIPs")) > 0
	if headless(spec) {
		if tree.Text(spec, "loadBalancerIP") != "" {
			c.Warn("spec.loadBalancerIP is ignored for headless services")
		}
		if outward {
			c.Warn("spec.externalIPs is ignored for headless services")
		}
		if tree.Text(spec, "sessionAffinity") != "None" {
			c.Warn("spec.SessionAffinity is ignored for headless services")
		}
	}
	for i, ip := range tree.Texts(spec, "externalIPs") {
		w.IP(ip, field.Path("spec.externalIPs").Index(i))
	}
	name := tree.Text(spec, "type") == "ExternalName"
	if outward && !headless(spec) && !name {
		c.Warn("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
	}
	w.IP(tree.Text(spec, "loadBalancerIP"), "spec.loadBalancerIP")
	for i, cidr := range tree.Texts(spec, "loadBalancerSourceRanges") {
		w.CIDR(strings.TrimSpace(cidr), field.Path("spec.loadBalancerSourceRanges").Index(i))
	}
	if outward && name {
		c.Warn(`spec.externalIPs is ignored when spec.type is "ExternalName"`)
	}
	if !name && tree.Text(spec, "externalName") != "" {
		c.Warn(`spec.externalName is ignored when spec.type is not "ExternalName"`)
	}
	if tree.Text(spec, "trafficDistribution") == "PreferClose" {
		c.Warn(`spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"`)
	}
}

// external reports whether a service can be reached from outside the cluster.
func external(spec map[string]any) bool {
	return usesNodePorts(spec) || tree.Text(spec, "type") == "ClusterIP" && len(tree.List(spec, "externalIPs")) > 0
}

func usesNodePorts(spec map[string]any) bool {
	return tree.Text(spec, "type") == "NodePort" || tree.Text(spec, "type") == "LoadBalancer"
}

// hasClusterIP reports whether a service has a cluster IP, or is headless.
func hasClusterIP(spec map[string]any) bool {
	return tree.Text(spec, "type") == "ClusterIP" || usesNodePorts(spec)
}

func headless(spec map[string]any) bool {
	return tree.Text(spec, "type") == "ClusterIP" && tree.Text(spec, "clusterIP") == "None"
}

// addressless reports whether a service asks for no address, whatever its type.
func addressless(spec map[string]any) bool {
	ips := tree.List(spec, "clusterIPs")
	return len(ips) == 1 && ips[0] == "None"
}

func usesHealthPort(spec map[string]any) bool {
	return tree.Text(spec, "type") == "LoadBalancer" && tree.Text(spec, "externalTrafficPolicy") == "Local"
}
