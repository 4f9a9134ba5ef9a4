package network

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// NetworkPolicy is the strategy of NetworkPolicies.
var NetworkPolicy = strategy.Strategy{
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		for _, rules := range [][]map[string]any{tree.Objects(spec, "ingress"), tree.Objects(spec, "egress")} {
			for _, rule := range rules {
				for _, port := range tree.Objects(rule, "ports") {
					tree.DefaultNil(port, "protocol", "TCP")
				}
			}
		}
		if len(tree.List(spec, "policyTypes")) == 0 {
			types := []any{"Ingress"}
			if len(tree.List(spec, "egress")) > 0 {
				types = []any{"Ingress", "Egress"}
			}
			spec["policyTypes"] = types
		}
	},
	PrepareCreate: warnNetworkPolicy,
	PrepareUpdate: func(c *strategy.Context, obj, _ map[string]any) { warnNetworkPolicy(c, obj) },
	Validate:      func(obj map[string]any) field.ErrorList { return networkPolicy.Check(obj, "") },
	Raises:        strategy.Differs("spec"),
}

var networkPolicy = rule.Fields{
	{Key: "spec", Is: rule.Fields{
		{Key: "podSelector", Is: rule.Object(valid.LabelSelector)},
		{Key: "ingress", Is: rule.Each{Is: rule.Fields{
			{Key: "ports", Is: rule.Each{Is: policyPort}},
			{Key: "from", Is: rule.Each{Is: policyPeer}},
		}}},
		{Key: "egress", Is: rule.Each{Is: rule.Fields{
			{Key: "ports", Is: rule.Each{Is: policyPort}},
			{Key: "to", Is: rule.Each{Is: policyPeer}},
		}}},
		{Key: "policyTypes", Is: rule.Func(validatePolicyTypes)},
	}},
}

func validatePolicyTypes(v any, at field.Path) field.ErrorList {
	if types, _ := v.([]any); len(types) > 2 {
		return field.ErrorList{field.Invalid(at, types, "may not specify more than two policyTypes")}
	}
	return rule.Check(v, at, rule.Each{Is: rule.OneOf(enum.PolicyType)})
}

var policyPort = rule.Fields{
	{Key: "protocol", Is: rule.All{rule.IfSet{}, rule.OneOf(enum.Protocol)}},
	{Is: rule.Object(validatePolicyPort)},
}

func validatePolicyPort(port map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	end, hasEnd := tree.Int(port, "endPort")
	switch v := port["port"].(type) {
	case int64:
		errs.Add(valid.PortNumOrName(v, at.Child("port"))...)
		if hasEnd && end < v {
			errs.Add(field.Invalid(at.Child("endPort"), v, "must be greater than or equal to `port`"))
		}
		if hasEnd {
			errs.Add(rule.Check(end, at.Child("endPort"), portNumber)...)
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

var policyPeer = rule.Fields{
	{Key: "podSelector", Is: rule.Object(valid.LabelSelector)},
	{Key: "namespaceSelector", Is: rule.Object(valid.LabelSelector)},
	{Key: "ipBlock", Is: rule.All{rule.IfSet{}, rule.Object(validateBlock)}},
	{Is: rule.Object(func(peer map[string]any, at field.Path) field.ErrorList {
		selected := peer["podSelector"] != nil || peer["namespaceSelector"] != nil
		switch block := peer["ipBlock"] != nil; {
		case !selected && !block:
			return field.ErrorList{field.Required(at, "must specify a peer")}
		case selected && block:
			return field.ErrorList{field.Forbidden(at, "may not specify both ipBlock and another peer")}
		}
		return nil
	})},
}

func validateBlock(block map[string]any, at field.Path) field.ErrorList {
	cidr := tree.Text(block, "cidr")
	if cidr == "" {
		return field.ErrorList{field.Required(at.Child("cidr"), "")}
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
				block, at := tree.Object(peer, "ipBlock"),
					field.Path("spec").Child(way[0]).Index(i).Child(way[1]).Index(j).Child("ipBlock")
				valid.Warner{Context: c}.CIDR(tree.Text(block, "cidr"), at.Child("cidr"))
				for k, except := range tree.Texts(block, "except") {
					valid.Warner{Context: c}.CIDR(except, at.Child("except").Index(k))
				}
			}
		}
	}
}
