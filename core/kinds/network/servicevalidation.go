package network

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// validateService checks a service; old is nil for a new one. What is wrong with its
// addresses is found first and told alone.
func validateService(obj, old map[string]any) field.ErrorList {
	spec, p := tree.Object(obj, "spec"), field.Path("spec")
	ports, kind := tree.Objects(spec, "ports"), tree.Text(spec, "type")
	if kind != "ExternalName" {
		if errs := validateClusterIPs(spec, tree.Object(old, "spec"), p); len(errs) > 0 {
			return errs
		}
	}
	var errs field.ErrorList
	const hints, mode = "service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"
	annotations := tree.Object(object.Meta(obj), "annotations")
	if h, m := annotations[hints], annotations[mode]; h != nil && m != nil && h != m {
		errs.Add(field.Invalid(field.Path("metadata.annotations").Key(mode), m, "must match annotations["+hints+"] when both are specified"))
	}
	if old != nil {
		was := tree.Object(old, "spec")
		errs.Add(clusterIPsKept(spec, was)...)
		errs.Add(balancerClass(spec, was, p.Child("loadBalancerClass"))...)
		if usesHealthPort(spec) && usesHealthPort(was) && spec["healthCheckNodePort"] != was["healthCheckNodePort"] {
			errs.Add(field.Forbidden(p.Child("healthCheckNodePort"), rule.FieldImmutable))
		}
	}
	if len(ports) == 0 && !headless(spec) && kind != "ExternalName" {
		errs.Add(field.Required(p.Child("ports"), ""))
	}
	switch kind {
	case "LoadBalancer", "NodePort":
		if tree.Text(spec, "clusterIP") == "None" {
			errs.Add(field.Invalid(p.Child("clusterIPs").Index(0), "None", "may not be set to 'None' for "+kind+" services"))
		}
	case "ExternalName":
		for _, name := range []string{"clusterIPs", "ipFamilies", "ipFamilyPolicy"} {
			if v := spec[name]; v != nil && v != "" && (name == "ipFamilyPolicy" || len(tree.List(spec, name)) > 0) {
				errs.Add(field.Forbidden(p.Child(name), "may not be set for ExternalName services"))
			}
		}
		errs.Add(validateExternalName(tree.Text(spec, "externalName"), p.Child("externalName"))...)
	}
	errs.Add(validateServicePorts(ports, p.Child("ports"))...)
	errs.Add(metadata.ValidateLabels(tree.Object(spec, "selector"), p.Child("selector"))...)
	errs.Add(rule.RequireOneOf(spec, p, "sessionAffinity", "ClientIP", "None")...)
	if tree.Text(spec, "sessionAffinity") == "ClientIP" {
		if n, ok := tree.Int(tree.At(spec, "sessionAffinityConfig.clientIP"), "timeoutSeconds"); !ok || n <= 0 || n > 86400 {
			errs.Add(field.Invalid(p.Child("sessionAffinityConfig", "clientIP", "timeoutSeconds"), n, "must be greater than 0 and less than 86400"))
		}
	}
	for i, ip := range tree.Texts(spec, "externalIPs") {
		errs.Add(valid.IP(ip, p.Child("externalIPs").Index(i), false)...)
	}
	errs.Add(rule.RequireOneOf(spec, p, "type", "ClusterIP", "ExternalName", "LoadBalancer", "NodePort")...)
	errs.Add(validatePortNumbers(ports, kind, p.Child("ports"))...)
	errs.Add(validateSourceRanges(obj, old, p.Child("LoadBalancerSourceRanges"))...)
	return append(errs, validateTraffic(spec, p)...)
}

const onlyBalanced = "may only be used when `type` is 'LoadBalancer'"

// balancerClass checks which implementation balances, which does not change.
func balancerClass(spec, was map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	class, balanced := spec["loadBalancerClass"], tree.Text(spec, "type") == "LoadBalancer"
	if balanced && tree.Text(was, "type") == "LoadBalancer" && class != was["loadBalancerClass"] {
		errs.Add(field.Invalid(at, class, "may not change once set"))
	}
	switch text, _ := class.(string); {
	case class == nil:
	case balanced:
		errs.Add(rule.Invalid(at, text, syntax.LabelKey(text))...)
	default:
		errs.Add(field.Forbidden(at, onlyBalanced))
	}
	return errs
}

// validateSourceRanges checks from where a load balancer may be reached, which the
// spec says or an old annotation.
func validateSourceRanges(obj, old map[string]any, at field.Path) field.ErrorList {
	const annotation = "service.beta.kubernetes.io/load-balancer-source-ranges"
	var errs field.ErrorList
	ranges := tree.Texts(tree.Object(obj, "spec"), "loadBalancerSourceRanges")
	before := tree.Texts(tree.Object(old, "spec"), "loadBalancerSourceRanges")
	text, annotated := tree.Object(object.Meta(obj), "annotations")[annotation].(string)
	annotated = annotated && len(ranges) == 0
	if len(ranges) == 0 && !annotated {
		return nil
	}
	if annotated {
		at = field.Path("metadata.annotations").Key(annotation)
		if strings.TrimSpace(text) != "" {
			ranges = strings.Split(text, ",")
		}
		if old != nil && tree.Object(object.Meta(old), "annotations")[annotation] == text {
			ranges = nil
		}
	}
	if tree.Text(tree.Object(obj, "spec"), "type") != "LoadBalancer" {
		errs.Add(field.Forbidden(at, onlyBalanced))
	}
	for i, text := range ranges {
		at := at
		if !annotated {
			at = at.Index(i)
		}
		if !slices.Contains(before, text) {
			errs.Add(valid.CIDR(strings.TrimSpace(text), at, false)...)
		}
	}
	return errs
}

func validateExternalName(name string, at field.Path) field.ErrorList {
	name = strings.TrimSuffix(name, ".")
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	return rule.Invalid(at, name, syntax.Subdomain(name))
}

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

func validateClusterIPs(spec, was map[string]any, p field.Path) field.ErrorList {
	var errs field.ErrorList
	ip, ips, at := tree.Text(spec, "clusterIP"), tree.Texts(spec, "clusterIPs"), p.Child("clusterIPs")
	switch {
	case ip != "" && len(ips) == 0:
		errs.Add(field.Required(at, ""))
	case ip != "" && ips[0] != ip:
		errs.Add(field.Invalid(at, ips, "first value must match `clusterIP`"))
	case ip == "" && len(ips) > 0:
		errs.Add(field.Invalid(at, ips, "must be empty when `clusterIP` is not specified"))
	}
	families := tree.Texts(spec, "ipFamilies")
	var before rule.Seen[string]
	for i, family := range families {
		if family != "IPv4" && family != "IPv6" {
			errs.Add(field.NotSupported(p.Child("ipFamilies").Index(i), family, "IPv4", "IPv6"))
		} else if before.Again(family) {
			errs.Add(field.Duplicate(p.Child("ipFamilies").Index(i), family))
		}
	}
	policy := tree.Text(spec, "ipFamilyPolicy")
	errs.Add(rule.RequireOneOf(spec, p, "ipFamilyPolicy", "PreferDualStack", "RequireDualStack", "SingleStack")...)
	var wrong field.ErrorList
	for i, ip := range ips {
		if i == 0 && ip == "None" {
			if len(ips) > 1 {
				wrong = append(wrong, field.Invalid(at, ips, "'None' must be the first and only value"))
			}
			continue
		}
		if !slices.Contains(tree.Texts(was, "clusterIPs"), ip) {
			wrong = append(wrong, valid.IP(ip, at.Index(i), false)...)
		}
	}
	errs.Add(wrong...)
	if len(ips) > 2 {
		errs.Add(field.Invalid(at, ips, "may only hold up to 2 values"))
	}
	if len(wrong) > 0 {
		return errs
	}
	six := func(ip string) bool { a, _ := valid.ParseIP(ip); return a.Is6() && !a.Is4In6() }
	if len(ips) > 1 && (len(ips) > 2 || six(ips[0]) == six(ips[1])) {
		errs.Add(field.Invalid(at, ips, "may specify no more than one IP for each IP family"))
	}
	for i, ip := range ips[:min(len(ips), len(families))] {
		want := families[i]
		if !headless(spec) && (want == "IPv4" && six(ip) || want == "IPv6" && !six(ip)) {
			errs.Add(field.Invalid(at.Index(i), ip, fmt.Sprintf("expected an %s value as indicated by `ipFamilies[%d]`", want, i)))
		}
	}
	if len(errs) > 0 || headless(spec) && len(tree.Object(spec, "selector")) == 0 {
		return errs
	}
	if policy == "SingleStack" && len(ips) == 2 {
		errs.Add(field.Invalid(p.Child("ipFamilyPolicy"), policy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified"))
	}
	if policy == "SingleStack" && len(families) == 2 {
		errs.Add(field.Invalid(p.Child("ipFamilyPolicy"), policy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"))
	}
	if len(errs) > 0 {
		return errs
	}
	if policy == "RequireDualStack" {
		errs.Add(field.Invalid(p.Child("ipFamilyPolicy"), policy, "this cluster is not configured for dual-stack services"))
	}
	for i, family := range families {
		if family == "IPv6" {
			errs.Add(field.Invalid(p.Child("ipFamilies").Index(i), family, "not configured on this cluster"))
		}
	}
	return errs
}

func validateTraffic(spec map[string]any, p field.Path) field.ErrorList {
	var errs field.ErrorList
	balanced := tree.Text(spec, "type") == "LoadBalancer"
	if spec["allocateLoadBalancerNodePorts"] != nil && !balanced {
		errs.Add(field.Forbidden(p.Child("allocateLoadBalancerNodePorts"), onlyBalanced))
	}
	errs.Add(balancerClass(spec, nil, p.Child("loadBalancerClass"))...)
	if external(spec) {
		errs.Add(rule.RequireOneOf(spec, p, "externalTrafficPolicy", "Cluster", "Local")...)
	} else if policy := tree.Text(spec, "externalTrafficPolicy"); policy != "" {
		errs.Add(field.Invalid(p.Child("externalTrafficPolicy"), policy, "may only be set for externally-accessible services"))
	}
	if n, _ := tree.Int(spec, "healthCheckNodePort"); n != 0 && !usesHealthPort(spec) {
		errs.Add(field.Invalid(p.Child("healthCheckNodePort"), n, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"))
	}
	if clustered(spec) || spec["internalTrafficPolicy"] != nil {
		errs.Add(rule.RequireOneOf(spec, p, "internalTrafficPolicy", "Cluster", "Local")...)
	}
	if spec["trafficDistribution"] != nil {
		errs.Add(rule.RequireOneOf(spec, p, "trafficDistribution", "PreferClose", "PreferSameZone", "PreferSameNode")...)
	}
	return errs
}

// clusterIPsKept checks that a service keeps its first address for life.
func clusterIPsKept(spec, was map[string]any) field.ErrorList {
	if !clustered(spec) || !clustered(was) || headless(spec) && headless(was) {
		return nil
	}
	var errs field.ErrorList
	ips, before, at := tree.Texts(spec, "clusterIPs"), tree.Texts(was, "clusterIPs"), field.Path("spec.clusterIPs")
	for i := range before {
		switch {
		case i < len(ips) && ips[i] != before[i]:
			errs.Add(field.Invalid(at.Index(i), ips, "may not change once set"))
		case i == 0 && len(ips) == 0:
			errs.Add(field.Invalid(at.Index(0), ips, "primary clusterIP can not be unset"))
		}
	}
	return errs
}
