package network

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
)

var NetworkPolicy = strategy.Strategy{
	PrepareCreate: warnNetworkPolicy,
	PrepareUpdate: func(c *strategy.Context, obj, _ map[string]any) { warnNetworkPolicy(c, obj) },
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		for _, rules := range [][]map[string]any{tree.Objects(spec, "ingress"), tree.Objects(spec, "egress")} {
			for _, rule := range rules {
				for _, port := range tree.Objects(rule, "ports") {
					tree.Default(port, "protocol", "TCP")
				}
			}
		}
		if len(tree.List(spec, "policyTypes")) == 0 {
			types := tree.AnyTexts("Ingress")
			if len(tree.List(spec, "egress")) > 0 {
				types = tree.AnyTexts("Ingress", "Egress")
			}
			spec["policyTypes"] = types
		}
	},
	Validate:       func(obj map[string]any) field.ErrorList { return validateNetworkPolicy(tree.Object(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateNetworkPolicy(tree.Object(obj, "spec")) },
}

func validateNetworkPolicy(spec map[string]any) field.ErrorList {
	p := field.Path("spec")
	errs := valid.LabelSelector(tree.Object(spec, "podSelector"), p.Child("podSelector"))
	for _, direction := range [][2]string{{"ingress", "from"}, {"egress", "to"}} {
		for i, rule := range tree.Objects(spec, direction[0]) {
			at := p.Child(direction[0]).Index(i)
			for j, port := range tree.Objects(rule, "ports") {
				errs.Add(validatePolicyPort(port, at.Child("ports").Index(j))...)
			}
			for j, peer := range tree.Objects(rule, direction[1]) {
				errs.Add(validatePeer(peer, at.Child(direction[1]).Index(j))...)
			}
		}
	}
	types := tree.Texts(spec, "policyTypes")
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
	end, hasEnd := tree.Int(port, "endPort")
	switch v := port["port"].(type) {
	case int64:
		errs.Add(valid.PortNumOrName(v, at.Child("port"))...)
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
		errs.Add(valid.PortNumOrName(v, at.Child("port"))...)
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
			errs.Add(valid.LabelSelector(s, at.Child(name))...)
		}
	}
	block := tree.Object(peer, "ipBlock")
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
	cidr := tree.Text(block, "cidr")
	if cidr == "" {
		return rule.RequireTexts(block, at, "cidr")
	}
	errs := valid.CIDR(cidr, at.Child("cidr"), false)
	whole, ok := valid.ParseCIDR(cidr)
	if !ok {
		return errs
	}
	for i, e := range tree.Texts(block, "except") {
		at := at.Child("except").Index(i)
		errs.Add(valid.CIDR(e, at, false)...)
		part, ok := valid.ParseCIDR(e)
		if ok && (!whole.Contains(part.Masked().Addr()) || part.Bits() <= whole.Bits()) {
			errs.Add(field.Invalid(at, e, "must be a strict subset of `cidr`"))
		}
	}
	return errs
}

func warnNetworkPolicy(c *strategy.Context, obj map[string]any) {
	for _, way := range [][2]string{{"ingress", "from"}, {"egress", "to"}} {
		for i, rule := range tree.Objects(tree.Object(obj, "spec"), way[0]) {
			for j, peer := range tree.Objects(rule, way[1]) {
				block, at := tree.Object(peer, "ipBlock"), field.Path("spec").Child(way[0]).Index(i).Child(way[1]).Index(j).Child("ipBlock")
				valid.Warner{Context: c}.CIDR(tree.Text(block, "cidr"), at.Child("cidr"))
				for k, except := range tree.Texts(block, "except") {
					valid.Warner{Context: c}.CIDR(except, at.Child("except").Index(k))
				}
			}
		}
	}
}
