package access

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// RoleBinding is the strategy of RoleBindings.
var RoleBinding = strategy.Strategy{
	Default: func(obj map[string]any) {
		tree.Default(tree.Make(obj, "roleRef"), "apiGroup", rbacGroup)
		for _, subject := range tree.Objects(obj, "subjects") {
			if kind := tree.Text(subject, "kind"); kind == "User" || kind == "Group" {
				tree.Default(subject, "apiGroup", rbacGroup)
			}
		}
	},
	Updates:  []strategy.Check{strategy.CheckNew, strategy.CheckMeta, strategy.CheckChange},
	Validate: validateBinding,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		if ref := tree.Object(obj, "roleRef"); !object.Equal(ref, tree.Object(old, "roleRef")) {
			errs.Add(field.Invalid("roleRef", shape.RoleRef.Print(ref), "cannot change roleRef"))
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
	errs.Add(roleName.Check(ref, at)...)
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

var roleName = rule.Fields{
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
}
