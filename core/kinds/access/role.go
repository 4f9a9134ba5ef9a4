// Package access has the strategies of the kinds that say who may do what: roles and
// their bindings, and CertificateSigningRequests.
package access

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/selector"
)

// rbac.authorization.k8s.io

const rbacGroup = "rbac.authorization.k8s.io"

var Role = strategy.Strategy{
	Validate:       func(obj map[string]any) field.ErrorList { return validateRules(obj, true) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateRules(obj, true) },
}

var ClusterRole = strategy.Strategy{
	Validate:       func(obj map[string]any) field.ErrorList { return validateRules(obj, false) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateRules(obj, false) },
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
				errs.Add(field.Invalid(at.Child("nonResourceURLs"), urls, "rules cannot apply to both regular resources and non-resource URLs"))
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

var RoleBinding = strategy.Strategy{
	Default: func(obj map[string]any) {
		tree.Default(tree.Make(obj, "roleRef"), "apiGroup", rbacGroup)
		for _, subject := range tree.Objects(obj, "subjects") {
			if kind := tree.Text(subject, "kind"); kind == "User" || kind == "Group" {
				tree.Default(subject, "apiGroup", rbacGroup)
			}
		}
	},
	Validate: validateBinding,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := validateBinding(obj)
		if ref := tree.Object(obj, "roleRef"); !object.Equal(ref, tree.Object(old, "roleRef")) {
			errs.Add(field.Invalid("roleRef", tree.GoStruct(ref, `APIGroup:apiGroup=""`, `Kind=""`, `Name=""`), "cannot change roleRef"))
		}
		return errs
	},
}

func validateBinding(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	ref, at := tree.Object(obj, "roleRef"), field.Path("roleRef")
	if group := tree.Text(ref, "apiGroup"); group != rbacGroup {
		errs.Add(field.NotSupported(at.Child("apiGroup"), group, rbacGroup))
	}
	switch kind := tree.Text(ref, "kind"); {
	case kind == "ClusterRole", kind == "Role" && tree.Text(obj, "kind") == "RoleBinding":
	case tree.Text(obj, "kind") == "RoleBinding":
		errs.Add(field.NotSupported(at.Child("kind"), kind, "Role", "ClusterRole"))
	default:
		errs.Add(field.NotSupported(at.Child("kind"), kind, "ClusterRole"))
	}
	errs.Add(rule.RequireTexts(ref, at, "name")...)
	errs.Add(rule.Invalid(at.Child("name"), tree.Text(ref, "name"), syntax.PathSegment(tree.Text(ref, "name")))...)
	for i, subject := range tree.Objects(obj, "subjects") {
		at := field.Path("subjects").Index(i)
		errs.Add(rule.RequireTexts(subject, at, "name")...)
		switch kind, group := tree.Text(subject, "kind"), tree.Text(subject, "apiGroup"); kind {
		case "ServiceAccount":
			if name := tree.Text(subject, "name"); name != "" {
				errs.Add(rule.Invalid(at.Child("name"), name, syntax.Subdomain(name))...)
			}
			if group != "" {
				errs.Add(field.NotSupported(at.Child("apiGroup"), group, ""))
			}
			if tree.Text(subject, "namespace") == "" && tree.Text(obj, "kind") == "ClusterRoleBinding" {
				errs.Add(field.Required(at.Child("namespace"), ""))
			}
		case "User", "Group":
			if group != rbacGroup {
				errs.Add(field.NotSupported(at.Child("apiGroup"), group, rbacGroup))
			}
		default:
			errs.Add(field.NotSupported(at.Child("kind"), kind, "ServiceAccount", "User", "Group"))
		}
	}
	return errs
}
