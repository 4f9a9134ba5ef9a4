package admission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

func defaultMatchResources(m map[string]any) {
	if m == nil {
		return
	}
	defaultMatching(m)
	defaultScope(tree.Objects(m, "resourceRules"))
	defaultScope(tree.Objects(m, "excludeResourceRules"))
}

func defaultMatching(m map[string]any) {
	tree.DefaultNil(m, "matchPolicy", "Equivalent")
	tree.DefaultNil(m, "namespaceSelector", map[string]any{})
	tree.DefaultNil(m, "objectSelector", map[string]any{})
}

func defaultScope(rules []map[string]any) {
	for _, rule := range rules {
		tree.DefaultNil(rule, "scope", "*")
	}
}

// matchResources selects the objects of a policy or its binding.
var matchResources = rule.Fields{
	{Key: "matchPolicy", Is: rule.All{rule.Present{}, matchPolicies}},
	{Key: "namespaceSelector", Is: rule.All{rule.Present{}, rule.Object(valid.LabelSelector)}},
	{Key: "objectSelector", Is: rule.All{rule.Present{}, rule.Object(valid.LabelSelector)}},
	{Key: "resourceRules", Is: rule.Each{Is: ruleWithOperations}},
	{Key: "excludeResourceRules", Is: rule.Each{Is: ruleWithOperations}},
}

// ruleWithOperations selects the requests of a webhook or a policy.
var ruleWithOperations = rule.Fields{
	{Key: "resourceNames", Is: rule.All{rule.Each{Is: rule.Form(syntax.PathSegment)}, rule.UniqueKey("")}},
	{Key: "operations", Is: rule.All{
		rule.Required{},
		rule.StarAlone("operations"),
		rule.Each{Is: rule.Enum(enum.OperationType)},
	}},
	{Key: "apiGroups", Is: rule.All{rule.Required{}, rule.StarAlone("API groups")}},
	{Key: "apiVersions", Is: rule.All{rule.Required{}, rule.StarAlone("API versions"), rule.Each{Is: rule.Required{}}}},
	{Key: "resources", Is: rule.All{rule.Required{}, rule.Func(validateResources)}},
	{Key: "scope", Is: rule.All{rule.IfSet{}, rule.Enum(enum.ScopeType)}},
}

// validateResources checks that wildcards in resources do not overlap with other entries.
func validateResources(v any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	resources := tree.Texts(map[string]any{"": v}, "")
	plain := false
	for i, name := range resources {
		if name == "" {
			errs.Add(field.Required(at.Index(i), ""))
			continue
		}
		resource, sub, nested := strings.Cut(name, "/")
		if !nested {
			plain = name != "*"
			continue
		}
		for _, whole := range []string{resource + "/*", "*/" + sub} {
			if slices.Contains(resources[:i], whole) {
				errs.Add(field.Invalid(at.Index(i), name, fmt.Sprintf("if '%s' is present, must not specify %s", whole, name)))
			}
		}
	}
	if len(resources) > 1 && slices.Contains(resources, "*/*") {
		errs.Add(field.Invalid(at, v, "if '*/*' is present, must not specify other resources"))
	}
	if plain && slices.Contains(resources, "*") {
		errs.Add(field.Invalid(at, v, "if '*' is present, must not specify other resources without subresources"))
	}
	return errs
}

// validateMutated checks that a mutating policy does not match deletions.
func validateMutated(match map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, m := range tree.Objects(match, "resourceRules") {
		for _, operation := range tree.Texts(m, "operations") {
			errs.Add(rule.Check(operation, at.Child("resourceRules", "operations"), mutatedOperations)...)
		}
	}
	return errs
}
