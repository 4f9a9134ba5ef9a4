package network

import (
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
)

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
			errs.Add(field.Invalid(at.Index(i), ip,
				fmt.Sprintf("expected an %s value as indicated by `ipFamilies[%d]`", want, i)))
		}
	}
	if len(errs) > 0 || headless(spec) && len(tree.Object(spec, "selector")) == 0 {
		return errs
	}
	if policy == "SingleStack" && len(ips) == 2 {
		errs.Add(field.Invalid(p.Child("ipFamilyPolicy"), policy,
			"must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified"))
	}
	if policy == "SingleStack" && len(families) == 2 {
		errs.Add(field.Invalid(p.Child("ipFamilyPolicy"), policy,
			"must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"))
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
