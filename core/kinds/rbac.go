package kinds

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/selector"
)

// rbac.authorization.k8s.io

const rbacGroup = "rbac.authorization.k8s.io"

var role = Rules{
	Validate:       func(obj map[string]any) field.ErrorList { return validateRules(obj, true) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateRules(obj, true) },
}

var clusterRole = Rules{
	Validate:       func(obj map[string]any) field.ErrorList { return validateRules(obj, false) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateRules(obj, false) },
}

func validateRules(obj map[string]any, namespaced bool) field.ErrorList {
	var errs field.ErrorList
	for i, rule := range entries(obj, "rules") {
		at := field.Path("rules").Index(i)
		if len(list(rule, "verbs")) == 0 {
			errs.Add(field.Required(at.Child("verbs"), "verbs must contain at least one value"))
		}
		if urls := strs(rule, "nonResourceURLs"); len(urls) > 0 {
			if namespaced {
				errs.Add(field.Invalid(at.Child("nonResourceURLs"), urls, "namespaced rules cannot apply to non-resource URLs"))
			}
			if len(list(rule, "apiGroups"))+len(list(rule, "resources"))+len(list(rule, "resourceNames")) > 0 {
				errs.Add(field.Invalid(at.Child("nonResourceURLs"), urls, "rules cannot apply to both regular resources and non-resource URLs"))
			}
			continue
		}
		if len(list(rule, "apiGroups")) == 0 {
			errs.Add(field.Required(at.Child("apiGroups"), "resource rules must supply at least one api group"))
		}
		if len(list(rule, "resources")) == 0 {
			errs.Add(field.Required(at.Child("resources"), "resource rules must supply at least one resource"))
		}
	}
	if namespaced || dict(obj, "aggregationRule") == nil {
		return errs
	}
	const at = field.Path("aggregationRule.clusterRoleSelectors")
	selectors := entries(dict(obj, "aggregationRule"), "clusterRoleSelectors")
	if len(selectors) == 0 {
		errs.Add(field.Required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil"))
	}
	for i, s := range selectors {
		errs.Add(validateLabelSelector(s, at.Index(i))...)
		if _, _, err := selector.FromLabelSelector(s); err != nil {
			errs.Add(field.Invalid(at.Index(i), nil, "invalid label selector."))
		}
	}
	return errs
}

var roleBinding = Rules{
	Default: func(obj map[string]any) {
		def(sub(obj, "roleRef"), "apiGroup", rbacGroup)
		for _, subject := range entries(obj, "subjects") {
			if kind := str(subject, "kind"); kind == "User" || kind == "Group" {
				def(subject, "apiGroup", rbacGroup)
			}
		}
	},
	Validate: validateBinding,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := validateBinding(obj)
		if ref := dict(obj, "roleRef"); !object.Equal(ref, dict(old, "roleRef")) {
			errs.Add(field.Invalid("roleRef", goStruct(ref, `APIGroup:apiGroup=""`, `Kind=""`, `Name=""`), "cannot change roleRef"))
		}
		return errs
	},
}

func validateBinding(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	ref, at := dict(obj, "roleRef"), field.Path("roleRef")
	if group := str(ref, "apiGroup"); group != rbacGroup {
		errs.Add(field.NotSupported(at.Child("apiGroup"), group, rbacGroup))
	}
	switch kind := str(ref, "kind"); {
	case kind == "ClusterRole", kind == "Role" && str(obj, "kind") == "RoleBinding":
	case str(obj, "kind") == "RoleBinding":
		errs.Add(field.NotSupported(at.Child("kind"), kind, "Role", "ClusterRole"))
	default:
		errs.Add(field.NotSupported(at.Child("kind"), kind, "ClusterRole"))
	}
	errs.Add(required(ref, at, "name")...)
	errs.Add(rule.Invalid(at.Child("name"), str(ref, "name"), syntax.PathSegment(str(ref, "name")))...)
	for i, subject := range entries(obj, "subjects") {
		at := field.Path("subjects").Index(i)
		errs.Add(required(subject, at, "name")...)
		switch kind, group := str(subject, "kind"), str(subject, "apiGroup"); kind {
		case "ServiceAccount":
			if name := str(subject, "name"); name != "" {
				errs.Add(rule.Invalid(at.Child("name"), name, syntax.Subdomain(name))...)
			}
			if group != "" {
				errs.Add(field.NotSupported(at.Child("apiGroup"), group, ""))
			}
			if str(subject, "namespace") == "" && str(obj, "kind") == "ClusterRoleBinding" {
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
