package device

import (
	"strings"

	expression "github.com/tabernetes/tabernetes/core/expression/syntax"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// selectors is the field of expressions that select devices.
var selectors = rule.Field{Key: "selectors", Is: rule.All{rule.MaxItems(32), rule.Each{Is: rule.Fields{
	{Key: "cel", Is: rule.All{rule.Required{}, rule.Fields{
		{Key: "expression", Is: rule.Func(validateSelector)},
	}}},
}}}}

// deviceScope has the variable of a selector's expression.
var deviceScope = expression.ScopeOf("device")

func validateSelector(v any, at field.Path) field.ErrorList {
	text, _ := v.(string)
	if len(text) > maxText {
		return field.ErrorList{field.TooLong(at, maxText)}
	}
	errs := valid.Compiled(text, at, deviceScope, "bool")
	for _, err := range errs {
		err.Detail = strings.Replace(err.Detail, "must evaluate to bool but got ",
			"must evaluate to bool or the unknown type, not ", 1)
	}
	return errs
}
