package strategy

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// Privileged is the violation of privileged containers in a cluster that refuses them; what begins the message.
func Privileged(at field.Path, what string) *field.Error { return field.Forbidden(at, what+refused) }

const refused = "disallowed by cluster policy"

// permit returns the violations without those that the cluster allows.
func (c *Context) permit(errs field.ErrorList) field.ErrorList {
	if c.RefusePrivileged {
		return errs
	}
	return slices.DeleteFunc(errs, func(e *field.Error) bool {
		return e.Type == field.TypeForbidden && strings.HasSuffix(e.Detail, refused)
	})
}
