// Package flow has the strategies of FlowSchemas and PriorityLevelConfigurations.
package flow

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// FlowSchema is the strategy of FlowSchemas.
var FlowSchema = strategy.Strategy{
	Default: func(obj map[string]any) {
		if spec := tree.Make(obj, "spec"); spec["matchingPrecedence"] == nil || spec["matchingPrecedence"] == int64(0) {
			spec["matchingPrecedence"] = int64(1000)
		}
	},
	Validate:       validateFlowSchema,
	ValidateStatus: validateConditions,
}

func validateFlowSchema(obj map[string]any) field.ErrorList {
	errs := flowSchema.Check(obj, "")
	return append(errs, validateConditions(obj, nil)...)
}

var flowSchema = rule.Fields{
	{Key: "spec", Is: rule.Fields{
		{Key: "matchingPrecedence", Is: rule.All{
			rule.AtLeast{Min: 1, Detail: "must be a positive value"},
			rule.AtMost{Max: 10000, Detail: "must not be greater than 10000"},
		}},
	}},
	{Is: rule.Compare(func(obj map[string]any, _ any, _ field.Path) field.ErrorList {
		const at = field.Path("spec")
		var errs field.ErrorList
		spec := tree.Object(obj, "spec")
		if n, _ := tree.Int(spec, "matchingPrecedence"); n == 1 && object.Name(obj) != "exempt" {
			errs.Add(field.Invalid(at.Child("matchingPrecedence"), n,
				"only the schema named 'exempt' may have matchingPrecedence 1"))
		}
		if d := tree.Object(spec, "distinguisherMethod"); d != nil && d["type"] != "ByNamespace" && d["type"] != "ByUser" {
			errs.Add(&field.Error{
				Type:     field.TypeNotSupported,
				Field:    "spec.distinguisherMethod.type",
				BadValue: shape.FlowDistinguisherMethod.Print(d),
				Detail:   `supported values: "ByNamespace", "ByUser"`,
			})
		}
		return errs
	})},
	{Key: "spec", Is: rule.Fields{
		{Key: "priorityLevelConfiguration", Is: rule.Fields{
			{Key: "name", Is: rule.All{rule.Required{Detail: "must reference a priority level"}, rule.Form(syntax.Subdomain)}},
		}},
		{Key: "rules", Is: rule.Each{Is: rule.Fields{
			{Key: "subjects", Is: rule.All{
				rule.Required{Detail: "subjects must contain at least one value"},
				rule.Each{Is: rule.Object(validateSubject)},
			}},
			{Is: rule.Object(func(m map[string]any, at field.Path) field.ErrorList {
				if len(tree.List(m, "resourceRules"))+len(tree.List(m, "nonResourceRules")) == 0 {
					return field.ErrorList{field.Required(at,
						"at least one of resourceRules and nonResourceRules has to be non-empty")}
				}
				return nil
			})},
			{Key: "resourceRules", Is: rule.Each{Is: rule.Fields{
				verbs,
				{Key: "apiGroups", Is: rule.All{
					rule.Required{Detail: "resource rules must supply at least one api group"},
					rule.StarAlone("api groups"),
				}},
				{Key: "resources", Is: rule.All{
					rule.Required{Detail: "resource rules must supply at least one resource"},
					rule.StarAlone("resources"),
				}},
				{Is: rule.Object(func(m map[string]any, at field.Path) field.ErrorList {
					namespaces := tree.Texts(m, "namespaces")
					at = at.Child("namespaces")
					if len(namespaces) == 0 && !tree.Bool(m, "clusterScope") {
						return field.ErrorList{field.Required(at,
							"resource rules that are not cluster scoped must supply at least one namespace")}
					}
					errs := rule.Check(m["namespaces"], at, rule.StarAlone("namespaces"))
					if slices.Contains(namespaces, "*") {
						return errs
					}
					for i, ns := range namespaces {
						for _, wrong := range syntax.Label(ns) {
							errs.Add(field.Invalid(at.Index(i), ns, "each member of this list must be '*' or a DNS-1123 label; "+wrong))
						}
					}
					return errs
				})},
			}}},
			{Key: "nonResourceRules", Is: rule.Each{Is: rule.Fields{
				verbs,
				{Key: "nonResourceURLs", Is: rule.All{
					rule.Required{Detail: "nonResourceURLs must contain at least one value"},
					rule.StarAlone("non-resource URLs"),
					rule.Func(validateURLs),
				}},
			}}},
		}}},
	}},
}

var verbs = rule.Field{Key: "verbs", Is: rule.All{
	rule.Required{Detail: "verbs must contain at least one value"},
	rule.StarAlone("verbs"),
	rule.Func(validateVerbs),
}}

func validateVerbs(v any, at field.Path) field.ErrorList {
	known := []string{"create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"}
	verbs := tree.Texts(map[string]any{"": v}, "")
	if slices.Contains(verbs, "*") ||
		!slices.ContainsFunc(verbs, func(verb string) bool { return !slices.Contains(known, verb) }) {
		return nil
	}
	err := field.NotSupported(at, "", known...)
	err.BadValue = v
	return field.ErrorList{err}
}

func validateURLs(v any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	paths := tree.Texts(map[string]any{"": v}, "")
	if slices.Contains(paths, "*") {
		return nil
	}
	for i, path := range paths {
		wrong := ""
		switch {
		case path == "/":
		case path == "":
			wrong = "must not be empty"
		case path[0] != '/':
			wrong = "must start with slash"
		case strings.Contains(path, " "):
			wrong = "must not contain white-space"
		case strings.Contains(path, "//"):
			wrong = "must not contain double slash"
		case strings.Contains(strings.TrimSuffix(path, "/*"), "*"):
			wrong = "wildcard can only do suffix matching"
		}
		if wrong != "" {
			errs.Add(field.Invalid(at.Index(i), path, wrong))
		}
	}
	return errs
}

// validateSubject checks the subject of a rule: it has the field that its kind names, and no other.
func validateSubject(subject map[string]any, at field.Path) field.ErrorList {
	names := [][2]string{{"serviceAccount", "ServiceAccount"}, {"user", "User"}, {"group", "Group"}}
	kind := tree.Text(subject, "kind")
	var errs field.ErrorList
	for _, name := range names {
		if name[1] != kind {
			continue
		}
		key, at := name[0], at.Child(name[0])
		if subject[key] == nil {
			errs.Add(field.Required(at, key+" is required when subject kind is '"+kind+"'"))
			continue
		}
		who := tree.Object(subject, key)
		errs.Add(rule.RequireTexts(who, at, "name")...)
		if kind != "ServiceAccount" {
			continue
		}
		if name := tree.Text(who, "name"); name != "" && name != "*" {
			errs.Add(rule.Check(name, at.Child("name"), rule.Form(syntax.Subdomain))...)
		}
		errs.Add(accountNamespace.Check(who, at)...)
	}
	for _, name := range names {
		if kind != "ServiceAccount" && kind != "User" && kind != "Group" {
			return field.ErrorList{field.NotSupported(at.Child("kind"), kind, "Group", "ServiceAccount", "User")}
		}
		if name[1] != kind && subject[name[0]] != nil {
			errs.Add(field.Forbidden(at.Child(name[0]), name[0]+" is forbidden when subject kind is not '"+name[1]+"'"))
		}
	}
	return errs
}

var accountNamespace = rule.Fields{
	{Key: "namespace", Is: rule.All{
		rule.Required{Detail: "must specify namespace for service account"},
		rule.Form(syntax.Label),
	}},
}
