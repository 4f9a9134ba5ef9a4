package network

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// validateLoadBalancerStatus checks the ingress points of a load balancer. Addresses that existed
// before are accepted.
func validateLoadBalancerStatus(obj, old map[string]any) field.ErrorList {
	var errs field.ErrorList
	before := map[string]bool{}
	for _, point := range tree.Objects(tree.At(old, "status.loadBalancer"), "ingress") {
		before[tree.Text(point, "ip")] = true
	}
	for i, point := range tree.Objects(tree.At(obj, "status.loadBalancer"), "ingress") {
		at, ip := field.Path("status.loadBalancer.ingress").Index(i), tree.Text(point, "ip")
		if ip != "" && !before[ip] {
			errs.Add(valid.IP(ip, at.Child("ip"), false)...)
		}
		if tree.Text(obj, "kind") == "Service" {
			switch mode := point["ipMode"]; {
			case mode == nil && ip != "":
				errs.Add(field.Required(at.Child("ipMode"), "must be specified when `ip` is set"))
			case mode != nil && ip == "":
				errs.Add(field.Forbidden(at.Child("ipMode"), "may not be specified when `ip` is not set"))
			default:
				errs.Add(loadBalancerMode.Check(point, at)...)
			}
		}
		errs.Add(loadBalancerHost.Check(point, at)...)
	}
	return errs
}

var (
	loadBalancerMode = rule.Fields{
		{Key: "ipMode", Is: rule.All{rule.IfSet{}, rule.OneOf{"Proxy", "VIP"}}},
	}
	loadBalancerHost = rule.Fields{
		{Key: "hostname", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain), rule.Form(notAddress)}},
	}
)

// notAddress checks that a name is not an IP address.
func notAddress(host string) []string {
	if _, ok := valid.ParseIP(host); ok {
		return []string{"must be a DNS name, not an IP address"}
	}
	return nil
}
