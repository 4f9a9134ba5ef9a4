package match

import (
	"context"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/expression"
)

// An Access returns the current authorizer.
type Access func(context.Context) (*auth.Access, error)

// Asker returns what answers the questions of the expressions for one request, to the authorizer. An answer is
// remembered for the request.
func (access Access) Asker(ctx context.Context) func(expression.Question) expression.Decision {
	known := map[expression.Question]expression.Decision{}
	return func(q expression.Question) expression.Decision {
		if d, ok := known[q]; ok {
			return d
		}
		d := access.ask(ctx, q)
		known[q] = d
		return d
	}
}

func (access Access) ask(ctx context.Context, q expression.Question) expression.Decision {
	if access == nil {
		return expression.Decision{Allowed: true}
	}
	authorizer, err := access(ctx)
	if err != nil {
		return expression.Decision{Error: err.Error()}
	}
	user := auth.UserOf(ctx)
	if q.ServiceAccount != "" {
		user = &auth.User{
			Name:   auth.ServiceAccountName(q.ServiceAccountNamespace, q.ServiceAccount),
			Groups: append(auth.ServiceAccountGroups(q.ServiceAccountNamespace), auth.Authenticated),
		}
	}
	var d expression.Decision
	d.Allowed, d.Reason = authorizer.Authorize(auth.Attributes{
		User: user, Verb: q.Verb, IsResource: q.Path == "", Path: q.Path,
		Group: q.Group, Resource: q.Resource, Subresource: q.Subresource, Namespace: q.Namespace, Name: q.Name,
	})
	return d
}
