package network

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

func validateTraffic(spec map[string]any, p field.Path) field.ErrorList {
	var errs field.ErrorList
	balanced := tree.Text(spec, "type") == "LoadBalancer"
	if spec["allocateLoadBalancerNodePorts"] != nil && !balanced {
		errs.Add(field.Forbidden(p.Child("allocateLoadBalancerNodePorts"), onlyLoadBalancers))
	}
	errs.Add(validateLoadBalancerClass(spec, nil, p.Child("loadBalancerClass"))...)
	if external(spec) {
		errs.Add(rule.RequireOneOf(spec, p, "externalTrafficPolicy", enum.ServiceExternalTrafficPolicy...)...)
	} else if policy := tree.Text(spec, "externalTrafficPolicy"); policy != "" {
		errs.Add(field.Invalid(p.Child("externalTrafficPolicy"), policy,
			"may only be set for externally-accessible services"))
	}
	if n, _ := tree.Int(spec, "healthCheckNodePort"); n != 0 && !usesHealthPort(spec) {
		errs.Add(field.Invalid(p.Child("healthCheckNodePort"), n,
			"may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"))
	}
	if hasClusterIP(spec) || spec["internalTrafficPolicy"] != nil {
		errs.Add(rule.RequireSetToOneOf(spec, p, "internalTrafficPolicy", enum.ServiceInternalTrafficPolicy...)...)
	}
	if spec["trafficDistribution"] != nil {
		errs.Add(rule.RequireSetToOneOf(spec, p, "trafficDistribution", "PreferClose", "PreferSameZone",
			"PreferSameNode")...)
	}
	return errs
}

const onlyLoadBalancers = "may only be used when `type` is 'LoadBalancer'"

// validateLoadBalancerClass checks loadBalancerClass, which is immutable.
func validateLoadBalancerClass(spec, was map[string]any, at field.Path) field.ErrorList {
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
		errs.Add(field.Forbidden(at, onlyLoadBalancers))
	}
	return errs
}

// validateSourceRanges checks the source ranges of a load balancer, in the spec or an old
// annotation.
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
		errs.Add(field.Forbidden(at, onlyLoadBalancers))
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
