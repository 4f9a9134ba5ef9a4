package flow

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// validateConditions checks the conditions of the kinds of this group.
func validateConditions(obj, _ map[string]any) field.ErrorList {
	return valid.Conditions(tree.List(tree.Object(obj, "status"), "conditions"), "status.conditions", conditionType)
}

var conditionType = rule.Fields{{Key: "type", Is: rule.Required{}}}
