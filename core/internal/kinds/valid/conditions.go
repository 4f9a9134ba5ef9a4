package valid

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// ConditionRules are the rules for a condition of most kinds.
var ConditionRules = rule.Fields{
	{Key: "type", Is: rule.Form(syntax.LabelKey)},
	{Key: "status", Is: rule.OneOf{"False", "True", "Unknown"}},
	{Key: "observedGeneration", Is: rule.AtLeast{Min: 0, Detail: "must be greater than or equal to zero"}},
	{Key: "lastTransitionTime", Is: rule.Required{}},
	{Key: "reason", Is: rule.All{rule.Required{}, rule.Form(syntax.Reason), rule.MaxBytes(1024)}},
	{Key: "message", Is: rule.MaxBytes(32768)},
}

// Conditions returns the violations of a list of conditions, by the rules of each; their types are
// unique.
func Conditions(conditions []any, at field.Path, rules rule.Fields) field.ErrorList {
	var errs field.ErrorList
	var types rule.Seen[string]
	for i, c := range conditions {
		t := tree.Text(tree.Map(c), "type")
		if types.Again(t) {
			errs.Add(field.Duplicate(at.Index(i).Child("type"), t))
		}
		errs.Add(rules.Check(tree.Map(c), at.Index(i))...)
	}
	return errs
}
