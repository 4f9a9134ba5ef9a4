package valid

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/expression/syntax"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// Compiled returns the violation of a CEL expression that may use some variables: of its syntax, of
// undeclared names, and of its type, which must be one of a list if it is known; "" is any.
func Compiled(expression string, at field.Path, scope syntax.Scope, types ...string) field.ErrorList {
	if err := scope.Check(expression); err != nil {
		return field.ErrorList{field.Invalid(at, expression, "compilation failed: "+err.Error())}
	}
	got := syntax.TypeOf(expression)
	if got == "" || slices.Contains(types, got) || slices.Contains(types, "") {
		return nil
	}
	wrong := "must evaluate to " + types[0] + " but got " + got
	if len(types) > 1 {
		wrong = fmt.Sprintf("must evaluate to one of %v but got %s", types, got)
	}
	return field.ErrorList{field.Invalid(at, expression, wrong)}
}

// Expression returns the violation of the expression under a key, which is required.
func Expression(
	m map[string]any, at field.Path, key, missing string, scope syntax.Scope, types ...string,
) field.ErrorList {
	text := tree.Text(m, key)
	if strings.TrimSpace(text) == "" {
		return field.ErrorList{field.Required(at.Child(key), missing)}
	}
	return Compiled(text, at.Child(key), scope, types...)
}

// NoExpression is the detail of the violation of a missing expression.
const NoExpression = "expression is not specified"
