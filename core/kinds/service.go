package kinds

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
)

// Services are the only kind whose fields come out of pools: addresses and node
// ports. Here they follow the client's wishes as far as possible: what a client
// leaves out on an update stays as it was, and what a changed type has no use
// for goes away. The cluster knows IPv4 only.
var service = Rules{
	Default: defaultService,
	PrepareCreate: func(c *Context, obj map[string]any) {
		spec := sub(obj, "spec")
		if ip := str(spec, "clusterIP"); ip != "" && len(list(spec, "clusterIPs")) == 0 {
			spec["clusterIPs"] = []any{ip}
		}
		fillFamilies(spec, nil)
		dropInternal(spec)
		warnService(c, obj)
	},
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
		spec, was := sub(obj, "spec"), dict(old, "spec")
		keepAllocated(spec, was)
		pairClusterIPs(spec, was)
		dropUnused(spec, was)
		if str(spec, "type") != "LoadBalancer" {
			sub(obj, "status")["loadBalancer"] = map[string]any{}
		}
		fillFamilies(spec, was)
		dropInternal(spec)
		warnService(c, obj)
	},
	Validate:       func(obj map[string]any) field.ErrorList { return validateService(obj, nil) },
	ValidateUpdate: validateService,
	ValidateStatus: func(obj, old map[string]any) field.ErrorList {
		points := list(deep(obj, "status.loadBalancer"), "ingress")
		if len(points) > 0 && str(dict(obj, "spec"), "type") != "LoadBalancer" {
			return field.ErrorList{field.Forbidden("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'")}
		}
		return validateBalanced(obj, old)
	},
	Allocate: allocateService,
	Release: func(c *Context, obj, old map[string]any) {
		spec, was := dict(obj, "spec"), dict(old, "spec")
		free(c.ClusterIPs, without(addresses(was), addresses(spec)))
		free(c.NodePorts, without(nodePorts(was), nodePorts(spec)))
	},
}

// dropInternal drops what a service that is only a name cannot have. The real server
// stores it and does not show it.
func dropInternal(spec map[string]any) {
	if str(spec, "type") == "ExternalName" {
		delete(spec, "internalTrafficPolicy")
	}
}

func defaultService(obj map[string]any) {
	spec := sub(obj, "spec")
	def(spec, "sessionAffinity", "None")
	switch str(spec, "sessionAffinity") {
	case "None":
		delete(spec, "sessionAffinityConfig")
	case "ClientIP":
		if deep(spec, "sessionAffinityConfig.clientIP")["timeoutSeconds"] == nil {
			spec["sessionAffinityConfig"] = map[string]any{"clientIP": map[string]any{"timeoutSeconds": int64(10800)}}
		}
	}
	def(spec, "type", "ClusterIP")
	for _, port := range entries(spec, "ports") {
		def(port, "protocol", "TCP")
		if t := port["targetPort"]; t == nil || t == "" || t == int64(0) {
			port["targetPort"] = port["port"]
		}
	}
	if external(spec) {
		def(spec, "externalTrafficPolicy", "Cluster")
	}
	if clustered(spec) {
		def(spec, "internalTrafficPolicy", "Cluster")
	}
	if str(spec, "type") == "LoadBalancer" {
		def(spec, "allocateLoadBalancerNodePorts", true)
		for _, ingress := range entries(deep(obj, "status.loadBalancer"), "ingress") {
			if str(ingress, "ip") != "" {
				def(ingress, "ipMode", "VIP")
			}
		}
	}
}

// external reports whether a service is reached from outside the cluster.
func external(spec map[string]any) bool {
	return usesNodePorts(spec) || str(spec, "type") == "ClusterIP" && len(list(spec, "externalIPs")) > 0
}

func usesNodePorts(spec map[string]any) bool {
	return str(spec, "type") == "NodePort" || str(spec, "type") == "LoadBalancer"
}

// clustered reports whether a service has an address in the cluster, be it none.
func clustered(spec map[string]any) bool {
	return str(spec, "type") == "ClusterIP" || usesNodePorts(spec)
}

func headless(spec map[string]any) bool {
	return str(spec, "type") == "ClusterIP" && str(spec, "clusterIP") == "None"
}

func usesHealthPort(spec map[string]any) bool {
	return str(spec, "type") == "LoadBalancer" && str(spec, "externalTrafficPolicy") == "Local"
}

// keepAllocated fills in what the client did not repeat of what was allocated.
func keepAllocated(spec, was map[string]any) {
	isName := func(s map[string]any) bool { return str(s, "type") == "ExternalName" }
	if !isName(spec) && !isName(was) {
		for _, name := range []string{"clusterIP", "clusterIPs"} {
			if v := spec[name]; v == nil || v == "" || len(list(spec, name)) == 0 && name == "clusterIPs" {
				keepField(spec, was, name)
			}
		}
	}
	if usesNodePorts(spec) && usesNodePorts(was) {
		taken := nodePorts(spec)
		for _, port := range entries(spec, "ports") {
			if n, _ := num(port, "nodePort"); n != 0 {
				continue
			}
			for _, old := range entries(was, "ports") {
				n, _ := num(old, "nodePort")
				if n != 0 && str(old, "name") == str(port, "name") && !slices.Contains(taken, strconv.FormatInt(n, 10)) {
					port["nodePort"] = n
				}
			}
		}
	}
	if n, _ := num(spec, "healthCheckNodePort"); n == 0 && usesHealthPort(spec) && usesHealthPort(was) {
		keepField(spec, was, "healthCheckNodePort")
	}
}

// pairClusterIPs carries a change of clusterIP over to clusterIPs, for clients
// that know only the older field.
func pairClusterIPs(spec, was map[string]any) {
	ip, before := str(spec, "clusterIP"), str(was, "clusterIP")
	if ip == before || !object.Equal(list(spec, "clusterIPs"), list(was, "clusterIPs")) {
		return
	}
	if ip == "" {
		delete(spec, "clusterIPs")
		return
	}
	spec["clusterIPs"] = []any{ip}
}

// dropUnused takes away what a service of another type has no use for, as long
// as the client did not change it at the same time.
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
	balanced := func(s map[string]any) bool { return str(s, "type") == "LoadBalancer" }
	if clustered(was) && !clustered(spec) && object.Equal(spec["clusterIP"], was["clusterIP"]) &&
		object.Equal(spec["clusterIPs"], was["clusterIPs"]) {
		delete(spec, "clusterIP")
		delete(spec, "clusterIPs")
	}
	drop(clustered, "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy")
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
		for _, port := range entries(spec, "ports") {
			delete(port, "nodePort")
		}
	}
}

// fillFamilies settles ipFamilyPolicy and ipFamilies where the client left them
// open.
func fillFamilies(spec, was map[string]any) {
	if str(spec, "type") == "ExternalName" {
		return
	}
	loose := str(spec, "clusterIP") == "None" && len(dict(spec, "selector")) == 0
	switch {
	case spec["ipFamilyPolicy"] != nil:
	case was["ipFamilyPolicy"] != nil:
		keepField(spec, was, "ipFamilyPolicy")
	case loose:
		spec["ipFamilyPolicy"] = "RequireDualStack"
	default:
		spec["ipFamilyPolicy"] = "SingleStack"
	}
	families := list(spec, "ipFamilies")
	if len(families) == 0 {
		families = []any{"IPv4"}
		if a, err := netip.ParseAddr(str(spec, "clusterIP")); err == nil && a.Is6() {
			families = []any{"IPv6"}
		}
	}
	if loose && len(families) == 1 && str(spec, "ipFamilyPolicy") != "SingleStack" {
		other := "IPv6"
		if families[0] == other {
			other = "IPv4"
		}
		families = append(slices.Clone(families), other)
	}
	spec["ipFamilies"] = families
}

func warnService(c *Context, obj map[string]any) {
	spec, w := dict(obj, "spec"), warner{c: c}
	if _, ok := dict(object.Meta(obj), "annotations")["service.kubernetes.io/topology-aware-hints"]; ok {
		c.warn("annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead")
	}
	for i, ip := range strs(spec, "clusterIPs") {
		w.ip(ip, field.Path("spec.clusterIPs").Index(i))
	}
	outward := len(list(spec, "externalIPs")) > 0
	if headless(spec) {
		if str(spec, "loadBalancerIP") != "" {
			c.warn("spec.loadBalancerIP is ignored for headless services")
		}
		if outward {
			c.warn("spec.externalIPs is ignored for headless services")
		}
		if str(spec, "sessionAffinity") != "None" {
			c.warn("spec.SessionAffinity is ignored for headless services")
		}
	}
	for i, ip := range strs(spec, "externalIPs") {
		w.ip(ip, field.Path("spec.externalIPs").Index(i))
	}
	name := str(spec, "type") == "ExternalName"
	if outward && !headless(spec) && !name {
		c.warn("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
	}
	w.ip(str(spec, "loadBalancerIP"), "spec.loadBalancerIP")
	for i, cidr := range strs(spec, "loadBalancerSourceRanges") {
		w.cidr(strings.TrimSpace(cidr), field.Path("spec.loadBalancerSourceRanges").Index(i))
	}
	if outward && name {
		c.warn(`spec.externalIPs is ignored when spec.type is "ExternalName"`)
	}
	if !name && str(spec, "externalName") != "" {
		c.warn(`spec.externalName is ignored when spec.type is not "ExternalName"`)
	}
	if str(spec, "trafficDistribution") == "PreferClose" {
		c.warn(`spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"`)
	}
}
