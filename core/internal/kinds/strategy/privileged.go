package strategy

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// Privileged is the violation of a privileged container in a cluster that does not allow them.
func Privileged(at field.Path) *field.Error { return field.Forbidden(at, privileged) }

const privileged = "disallowed by cluster policy"

// permit returns the violations without those that the cluster allows.
func (c *Context) permit(errs field.ErrorList) field.ErrorList {
	if !c.AllowPrivileged {
		return errs
	}
	return slices.DeleteFunc(errs, func(e *field.Error) bool {
		return e.Type == field.TypeForbidden && e.Detail == privileged
	})
}
