package network

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// ServiceCIDR is the strategy of ServiceCIDRs.
var ServiceCIDR = strategy.Strategy{
	Validate: validateServiceCIDR,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		p, before, cidrs := field.Path("spec.cidrs"), tree.Texts(tree.Object(old, "spec"), "cidrs"),
			tree.Texts(tree.Object(obj, "spec"), "cidrs")
		// A second range may be added, nothing else.
		second := len(before) == 1 && len(cidrs) == 2
		if !second && len(before) != len(cidrs) {
			return field.ErrorList{field.Invalid(p, tree.Object(obj, "spec")["cidrs"], rule.FieldImmutable)}
		}
		for i, cidr := range before {
			if cidr != cidrs[i] {
				errs.Add(field.Invalid(p.Index(i), cidrs[i], rule.FieldImmutable))
			}
		}
		if second {
			errs.Add(validateServiceCIDR(obj)...)
		}
		return errs
	},
}

func validateServiceCIDR(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	p, spec := field.Path("spec.cidrs"), tree.Object(obj, "spec")
	cidrs := tree.Texts(spec, "cidrs")
	switch {
	case len(cidrs) == 0:
		return field.ErrorList{field.Required(p, "at least one CIDR required")}
	case len(cidrs) > 2:
		return field.ErrorList{field.Invalid(p, shape.ServiceCIDRSpec.Print(spec), "may only hold up to 2 values")}
	}
	families := map[int]bool{}
	for i, cidr := range cidrs {
		errs.Add(valid.CIDR(cidr, p.Index(i), true)...)
		bits := -1 - i
		if parsed, ok := valid.ParseCIDR(cidr); ok {
			bits = parsed.Addr().Unmap().BitLen()
		}
		families[bits] = true
	}
	if len(families) < len(cidrs) {
		errs.Add(field.Invalid(p, cidrs,
			"may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"))
	}
	return errs
}
