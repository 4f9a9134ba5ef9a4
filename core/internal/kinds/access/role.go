// Package access has the strategies of roles and their bindings, and of CertificateSigningRequests.
package access

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/internal/selector"
)

// Role is the strategy of Roles.
var Role = strategy.Strategy{
	Updates:  []strategy.Check{strategy.CheckNew, strategy.CheckMeta},
	Validate: func(obj map[string]any) field.ErrorList { return validateRules(obj, true) },
}

func validateRules(obj map[string]any, namespaced bool) field.ErrorList {
	var errs field.ErrorList
	for i, rule := range tree.Objects(obj, "rules") {
		at := field.Path("rules").Index(i)
		if len(tree.List(rule, "verbs")) == 0 {
			errs.Add(field.Required(at.Child("verbs"), "verbs must contain at least one value"))
		}
		if urls := tree.Texts(rule, "nonResourceURLs"); len(urls) > 0 {
			if namespaced {
				errs.Add(field.Invalid(at.Child("nonResourceURLs"), urls, "namespaced rules cannot apply to non-resource URLs"))
			}
			if len(tree.List(rule, "apiGroups"))+len(tree.List(rule, "resources"))+len(tree.List(rule, "resourceNames")) > 0 {
				errs.Add(field.Invalid(at.Child("nonResourceURLs"), urls,
					"rules cannot apply to both regular resources and non-resource URLs"))
			}
			continue
		}
		if len(tree.List(rule, "apiGroups")) == 0 {
			errs.Add(field.Required(at.Child("apiGroups"), "resource rules must supply at least one api group"))
		}
		if len(tree.List(rule, "resources")) == 0 {
			errs.Add(field.Required(at.Child("resources"), "resource rules must supply at least one resource"))
		}
	}
	if namespaced || tree.Object(obj, "aggregationRule") == nil {
		return errs
	}
	const at = field.Path("aggregationRule.clusterRoleSelectors")
	selectors := tree.Objects(tree.Object(obj, "aggregationRule"), "clusterRoleSelectors")
	if len(selectors) == 0 {
		errs.Add(field.Required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil"))
	}
	for i, s := range selectors {
		errs.Add(valid.LabelSelector(s, at.Index(i))...)
		if _, _, err := selector.FromLabelSelector(s); err != nil {
			errs.Add(field.Invalid(at.Index(i), nil, "invalid label selector."))
		}
	}
	return errs
}

const rbacGroup = "rbac.authorization.k8s.io"
