package network

import (
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// validateAddresses returns what is wrong with a service's addresses and their families; old is nil for a
// new one.
func validateAddresses(obj, old map[string]any) field.ErrorList {
	spec, was, p := tree.Object(obj, "spec"), tree.Object(old, "spec"), field.Path("spec")
	if tree.Text(spec, "type") == "ExternalName" {
		return nil
	}
	errs := validateClusterIPs(spec, was, p)
	if len(errs) > 0 {
		return errs
	}
	policy, families, at := tree.Text(spec, "ipFamilyPolicy"), tree.Texts(spec, "ipFamilies"), p.Child("ipFamilyPolicy")
	ips := tree.Texts(spec, "clusterIPs")
	const single = "must be 'SingleStack' to release the secondary "
	const dual = "must be 'RequireDualStack' or 'PreferDualStack' when multiple "
	both := func(count int, wrong string) {
		if policy == "SingleStack" && count == 2 {
			errs.Add(field.Invalid(at, policy, dual+wrong))
		}
	}
	fewer := func(name, wrong string) {
		now, before := len(tree.List(spec, name)), len(tree.List(was, name))
		if policy != "SingleStack" && now > 0 && now < before {
			errs.Add(field.Invalid(at, policy, single+wrong))
		}
	}
	fewer("clusterIPs", "cluster IP")
	fewer("ipFamilies", "IP family")
	both(len(ips), "cluster IPs are specified")
	both(len(families), "IP families are specified")
	for i, ip := range ips {
		if i >= len(families) && isIPv6(ip) {
			errs.Add(field.Invalid(p.Child("clusterIPs").Index(i), ips, "IPv6 is not configured on this cluster"))
		}
	}
	if len(errs) > 0 || loose(spec) {
		return errs
	}
	if policy == "RequireDualStack" {
		errs.Add(field.Invalid(at, policy, "this cluster is not configured for dual-stack services"))
	}
	for i, family := range families {
		if family == "IPv6" {
			errs.Add(field.Invalid(p.Child("ipFamilies").Index(i), family, "not configured on this cluster"))
		}
	}
	return errs
}

// loose reports whether a service has neither an address nor a selector: its families need not be the
// cluster's.
func loose(spec map[string]any) bool {
	return tree.Text(spec, "clusterIP") == "None" && len(tree.Object(spec, "selector")) == 0
}

func isIPv6(ip string) bool { a, _ := valid.ParseIP(ip); return a.Is6() && !a.Is4In6() }

// validateClusterIPs checks the addresses, the families and the policy, each by itself and against each
// other.
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
		}
		if before.Again(family) {
			errs.Add(field.Duplicate(p.Child("ipFamilies").Index(i), family))
		}
	}
	errs.Add(rule.RequireSetToOneOf(spec, p, "ipFamilyPolicy", "PreferDualStack", "RequireDualStack", "SingleStack")...)
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
	if len(ips) > 1 && (len(ips) > 2 || isIPv6(ips[0]) == isIPv6(ips[1])) {
		errs.Add(field.Invalid(at, ips, "may specify no more than one IP for each IP family"))
	}
	for i, ip := range ips[:min(len(ips), len(families))] {
		want := families[i]
		if !headless(spec) && (want == "IPv4" && isIPv6(ip) || want == "IPv6" && !isIPv6(ip)) {
			errs.Add(field.Invalid(at.Index(i), ip,
				fmt.Sprintf("expected an %s value as indicated by `ipFamilies[%d]`", want, i)))
		}
	}
	return errs
}

// validateClusterIPsUpdate checks that a service keeps its first address.
func validateClusterIPsUpdate(spec, was map[string]any) field.ErrorList {
	if !hasClusterIP(spec) || !hasClusterIP(was) || headless(spec) && headless(was) {
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
