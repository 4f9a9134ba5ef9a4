package admission

import (
	"strings"

	expression "github.com/tabernetes/tabernetes/core/expression/syntax"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

func validateMatchConditions(m map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	at = at.Child("matchConditions")
	conditions := tree.Objects(m, "matchConditions")
	if len(conditions) > 64 {
		errs.Add(field.TooMany(at, len(conditions), 64))
	}
	scope := scopeOf(m, "authorizer")
	var names rule.Seen[string]
	for i, condition := range conditions {
		at, name := at.Index(i), tree.Text(condition, "name")
		errs.Add(valid.Expression(map[string]any{"expression": strings.TrimSpace(tree.Text(condition, "expression"))}, at,
			"expression", "", scope, "bool")...)
		if name == "" {
			errs.Add(field.Required(at.Child("name"), ""))
			continue
		}
		errs.Add(rule.Invalid(at.Child("name"), name, syntax.LabelKey(name))...)
		if names.Again(name) {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
	}
	return errs
}

// scopeOf returns the variables in expressions of webhooks and policies.
func scopeOf(spec map[string]any, more ...string) expression.Scope {
	all := expression.ScopeOf(append(more, "object", "oldObject", "namespaceObject", "request")...)
	if spec["paramKind"] != nil {
		all["params"] = true
	}
	return all
}
