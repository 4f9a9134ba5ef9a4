package kinds

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
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
		warnService(c, spec)
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
		warnService(c, spec)
	},
	Validate: func(obj map[string]any) field.ErrorList { return validateService(dict(obj, "spec")) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec := dict(obj, "spec")
		return append(clusterIPsKept(spec, dict(old, "spec")), validateService(spec)...)
	},
	Allocate: allocateService,
	Release: func(c *Context, obj, old map[string]any) {
		spec, was := dict(obj, "spec"), dict(old, "spec")
		free(c.ClusterIPs, without(addresses(was), addresses(spec)))
		free(c.NodePorts, without(nodePorts(was), nodePorts(spec)))
	},
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

func warnService(c *Context, spec map[string]any) {
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
	name := str(spec, "type") == "ExternalName"
	if outward && !headless(spec) && !name {
		c.warn("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
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

func validateService(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	ports, kind := entries(spec, "ports"), str(spec, "type")
	if len(ports) == 0 && !headless(spec) && kind != "ExternalName" {
		errs = append(errs, field.Required(p.Child("ports"), ""))
	}
	switch kind {
	case "LoadBalancer", "NodePort":
		if str(spec, "clusterIP") == "None" {
			errs = append(errs, field.Invalid(p.Child("clusterIPs").Index(0), "None", "may not be set to 'None' for "+kind+" services"))
		}
	case "ExternalName":
		for _, name := range []string{"clusterIPs", "ipFamilies", "ipFamilyPolicy"} {
			if v := spec[name]; v != nil && v != "" && (name == "ipFamilyPolicy" || len(list(spec, name)) > 0) {
				errs = append(errs, field.Forbidden(p.Child(name), "may not be set for ExternalName services"))
			}
		}
		errs = append(errs, validateExternalName(str(spec, "externalName"), p.Child("externalName"))...)
	}
	errs = append(errs, validateServicePorts(ports, p.Child("ports"))...)
	errs = append(errs, validateLabels(dict(spec, "selector"), p.Child("selector"))...)
	errs = append(errs, oneOf(spec, p, "sessionAffinity", "ClientIP", "None")...)
	if str(spec, "sessionAffinity") == "ClientIP" {
		if n, ok := num(deep(spec, "sessionAffinityConfig.clientIP"), "timeoutSeconds"); !ok || n <= 0 || n > 86400 {
			errs = append(errs, field.Invalid(p.Child("sessionAffinityConfig", "clientIP", "timeoutSeconds"), n, "must be greater than 0 and less than 86400"))
		}
	}
	if kind != "ExternalName" {
		errs = append(errs, validateClusterIPs(spec, p)...)
	}
	for i, ip := range strs(spec, "externalIPs") {
		errs = append(errs, validateIP(ip, p.Child("externalIPs").Index(i))...)
	}
	errs = append(errs, oneOf(spec, p, "type", "ClusterIP", "ExternalName", "LoadBalancer", "NodePort")...)
	errs = append(errs, validatePortNumbers(ports, kind, p.Child("ports"))...)
	return append(errs, validateTraffic(spec, p)...)
}

func validateExternalName(name string, at field.Path) field.ErrorList {
	name = strings.TrimSuffix(name, ".")
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	return invalid(at, name, syntax.Subdomain(name))
}

func validateServicePorts(ports []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, port := range ports {
		at, name := at.Index(i), str(port, "name")
		if name == "" && len(ports) > 1 {
			errs = append(errs, field.Required(at.Child("name"), ""))
		} else if name != "" {
			errs = append(errs, invalid(at.Child("name"), name, syntax.Label(name))...)
			if names[name] {
				errs = append(errs, field.Duplicate(at.Child("name"), name))
			}
			names[name] = true
		}
		n, _ := num(port, "port")
		errs = append(errs, invalid(at.Child("port"), n, syntax.PortNumber(n))...)
		errs = append(errs, oneOf(port, at, "protocol", "SCTP", "TCP", "UDP")...)
		errs = append(errs, validatePortNumOrName(port["targetPort"], at.Child("targetPort"))...)
		if protocol := str(port, "appProtocol"); port["appProtocol"] != nil {
			errs = append(errs, invalid(at.Child("appProtocol"), protocol, syntax.LabelKey(protocol))...)
		}
	}
	return errs
}

func validatePortNumOrName(port any, at field.Path) field.ErrorList {
	if name, ok := port.(string); ok {
		return invalid(at, name, syntax.PortName(name))
	}
	n, _ := port.(int64)
	return invalid(at, n, syntax.PortNumber(n))
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
		n, _ := num(port, "nodePort")
		if n != 0 && kind == "ClusterIP" {
			errs = append(errs, field.Forbidden(at.Index(i).Child("nodePort"), "may not be used when `type` is 'ClusterIP'"))
		}
	}
	for i, port := range ports {
		n, _ := num(port, "nodePort")
		k := key{str(port, "protocol"), n}
		if n != 0 && seen[k] {
			errs = append(errs, field.Duplicate(at.Index(i).Child("nodePort"), n))
		}
		seen[k] = true
	}
	clear(seen)
	for i, port := range ports {
		n, _ := num(port, "port")
		k := key{str(port, "protocol"), n}
		if seen[k] {
			twice := map[string]any{"protocol": k.protocol, "port": k.number}
			errs = append(errs, field.Duplicate(at.Index(i), goStruct(twice, `Name=""`, "Protocol", "AppProtocol", "Port", "TargetPort=0", "NodePort=0")))
		}
		seen[k] = true
	}
	return errs
}

func validateClusterIPs(spec map[string]any, p field.Path) field.ErrorList {
	var errs field.ErrorList
	ip, ips, at := str(spec, "clusterIP"), strs(spec, "clusterIPs"), p.Child("clusterIPs")
	switch {
	case ip != "" && len(ips) == 0:
		errs = append(errs, field.Required(at, ""))
	case ip != "" && ips[0] != ip:
		errs = append(errs, field.Invalid(at, ips, "first value must match `clusterIP`"))
	case ip == "" && len(ips) > 0:
		errs = append(errs, field.Invalid(at, ips, "must be empty when `clusterIP` is not specified"))
	}
	families := strs(spec, "ipFamilies")
	for i, family := range families {
		if family != "IPv4" && family != "IPv6" {
			errs = append(errs, field.NotSupported(p.Child("ipFamilies").Index(i), family, "IPv4", "IPv6"))
		} else if slices.Contains(families[:i], family) {
			errs = append(errs, field.Duplicate(p.Child("ipFamilies").Index(i), family))
		}
	}
	policy := str(spec, "ipFamilyPolicy")
	errs = append(errs, oneOf(spec, p, "ipFamilyPolicy", "PreferDualStack", "RequireDualStack", "SingleStack")...)
	var wrong field.ErrorList
	for i, ip := range ips {
		if i == 0 && ip == "None" {
			if len(ips) > 1 {
				wrong = append(wrong, field.Invalid(at, ips, "'None' must be the first and only value"))
			}
			continue
		}
		wrong = append(wrong, validateIP(ip, at.Index(i))...)
	}
	errs = append(errs, wrong...)
	if len(ips) > 2 {
		errs = append(errs, field.Invalid(at, ips, "may only hold up to 2 values"))
	}
	if len(wrong) > 0 || len(errs) > 0 || headless(spec) && len(dict(spec, "selector")) == 0 {
		return errs
	}
	if policy == "SingleStack" && len(ips) == 2 {
		errs = append(errs, field.Invalid(p.Child("ipFamilyPolicy"), policy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified"))
	}
	if policy == "SingleStack" && len(families) == 2 {
		errs = append(errs, field.Invalid(p.Child("ipFamilyPolicy"), policy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"))
	}
	if policy == "RequireDualStack" {
		errs = append(errs, field.Invalid(p.Child("ipFamilyPolicy"), policy, "this cluster is not configured for dual-stack services"))
	}
	for i, family := range families {
		if family == "IPv6" {
			errs = append(errs, field.Invalid(p.Child("ipFamilies").Index(i), family, "not configured on this cluster"))
		}
	}
	return errs
}

func validateIP(ip string, at field.Path) field.ErrorList {
	if a, err := netip.ParseAddr(ip); err != nil || a.Zone() != "" {
		return field.ErrorList{field.Invalid(at, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")}
	}
	return nil
}

func validateTraffic(spec map[string]any, p field.Path) field.ErrorList {
	var errs field.ErrorList
	balanced := str(spec, "type") == "LoadBalancer"
	const onlyBalanced = "may only be used when `type` is 'LoadBalancer'"
	if len(list(spec, "loadBalancerSourceRanges")) > 0 && !balanced {
		errs = append(errs, field.Forbidden(p.Child("LoadBalancerSourceRanges"), onlyBalanced))
	}
	if spec["allocateLoadBalancerNodePorts"] != nil && !balanced {
		errs = append(errs, field.Forbidden(p.Child("allocateLoadBalancerNodePorts"), onlyBalanced))
	}
	if spec["loadBalancerClass"] != nil && !balanced {
		errs = append(errs, field.Forbidden(p.Child("loadBalancerClass"), onlyBalanced))
	}
	if external(spec) {
		errs = append(errs, oneOf(spec, p, "externalTrafficPolicy", "Cluster", "Local")...)
	} else if policy := str(spec, "externalTrafficPolicy"); policy != "" {
		errs = append(errs, field.Invalid(p.Child("externalTrafficPolicy"), policy, "may only be set for externally-accessible services"))
	}
	if n, _ := num(spec, "healthCheckNodePort"); n != 0 && !usesHealthPort(spec) {
		errs = append(errs, field.Invalid(p.Child("healthCheckNodePort"), n, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"))
	}
	if clustered(spec) || spec["internalTrafficPolicy"] != nil {
		errs = append(errs, oneOf(spec, p, "internalTrafficPolicy", "Cluster", "Local")...)
	}
	if spec["trafficDistribution"] != nil {
		errs = append(errs, oneOf(spec, p, "trafficDistribution", "PreferClose", "PreferSameZone", "PreferSameNode")...)
	}
	return errs
}

// clusterIPsKept checks that a service keeps its first address for life.
func clusterIPsKept(spec, was map[string]any) field.ErrorList {
	if !clustered(spec) || !clustered(was) || headless(spec) && headless(was) {
		return nil
	}
	var errs field.ErrorList
	ips, before, at := strs(spec, "clusterIPs"), strs(was, "clusterIPs"), field.Path("spec.clusterIPs")
	for i := range before {
		switch {
		case i < len(ips) && ips[i] != before[i]:
			errs = append(errs, field.Invalid(at.Index(i), ips, "may not change once set"))
		case i == 0 && len(ips) == 0:
			errs = append(errs, field.Invalid(at.Index(0), ips, "primary clusterIP can not be unset"))
		}
	}
	return errs
}

func addresses(spec map[string]any) []string {
	return slices.DeleteFunc(strs(spec, "clusterIPs"), func(ip string) bool { return ip == "None" || ip == "" })
}

// nodePorts are all ports that a service has on nodes, as texts.
func nodePorts(spec map[string]any) []string {
	var ports []string
	for _, port := range entries(spec, "ports") {
		if n, _ := num(port, "nodePort"); n != 0 {
			ports = append(ports, strconv.FormatInt(n, 10))
		}
	}
	if n, _ := num(spec, "healthCheckNodePort"); n != 0 {
		ports = append(ports, strconv.FormatInt(n, 10))
	}
	return ports
}

func free(a Allocator, values []string) {
	if a == nil {
		return
	}
	for _, v := range values {
		a.Free(v)
	}
}

func allocateService(c *Context, obj, old map[string]any) (func(), field.ErrorList) {
	spec, was := dict(obj, "spec"), dict(old, "spec")
	ips, errs := takeAddresses(c, spec, addresses(was))
	ports, more := takePorts(c, spec, nodePorts(was))
	errs = append(errs, more...)
	undo := func() {
		free(c.ClusterIPs, ips)
		free(c.NodePorts, ports)
	}
	if len(errs) > 0 {
		undo()
		return nil, errs
	}
	return undo, nil
}

func without(values, others []string) []string {
	return slices.DeleteFunc(values, func(v string) bool { return slices.Contains(others, v) })
}

// takeAddresses takes the address that the service asks for and did not have
// before, or any for one that needs and has none.
func takeAddresses(c *Context, spec map[string]any, had []string) (taken []string, errs field.ErrorList) {
	if c.ClusterIPs == nil || !clustered(spec) || str(spec, "clusterIP") == "None" {
		return nil, nil
	}
	at := field.Path("spec.clusterIPs")
	if str(spec, "clusterIP") == "" {
		ip, err := c.ClusterIPs.Next()
		if err != nil {
			return nil, field.ErrorList{field.Internal(at, err)}
		}
		spec["clusterIP"], spec["clusterIPs"] = ip, []any{ip}
		return []string{ip}, nil
	}
	for _, ip := range without(addresses(spec), had) {
		if err := c.ClusterIPs.Take(ip); err != nil {
			errs = append(errs, field.Invalid(at, strs(spec, "clusterIPs"), "failed to allocate IP "+ip+": "+err.Error()))
			continue
		}
		taken = append(taken, ip)
	}
	return taken, errs
}

func takePorts(c *Context, spec map[string]any, had []string) (taken []string, errs field.ErrorList) {
	if c.NodePorts == nil || !usesNodePorts(spec) {
		return nil, nil
	}
	take := func(m map[string]any, name string, at field.Path) {
		n, _ := num(m, name)
		port, err := strconv.FormatInt(n, 10), error(nil)
		switch {
		case n == 0:
			port, err = c.NodePorts.Next()
		case slices.Contains(had, port) || slices.Contains(taken, port):
			return
		default:
			err = c.NodePorts.Take(port)
		}
		if err != nil {
			errs = append(errs, field.Invalid(at.Child(name), n, err.Error()))
			return
		}
		taken = append(taken, port)
		m[name], _ = strconv.ParseInt(port, 10, 64)
	}
	wanted := str(spec, "type") == "NodePort" || flag(spec, "allocateLoadBalancerNodePorts")
	for i, port := range entries(spec, "ports") {
		if n, _ := num(port, "nodePort"); n != 0 || wanted {
			take(port, "nodePort", field.Path("spec.ports").Index(i))
		}
	}
	if usesHealthPort(spec) {
		take(spec, "healthCheckNodePort", "spec")
	}
	return taken, errs
}
