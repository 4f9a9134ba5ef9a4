package registry

import (
	"context"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
)

// rights returns what the user of a request may do besides it; nil for the server's own writes.
func (r *Registry) rights(ctx context.Context) *strategy.Rights {
	request, ok := auth.AttributesOf(ctx)
	if !ok || r.Access == nil {
		return nil
	}
	user := auth.UserOf(ctx)
	return &strategy.Rights{Verb: request.Verb, Node: user.Node(),
		Refusal: func(verb, subresource, namespace, name string) string {
			authorizer, err := r.Access(ctx)
			if err == nil {
				asked := request.As(verb)
				asked.User, asked.Subresource, asked.Namespace, asked.Name = user, subresource, namespace, name
				err = asked.Check(authorizer)
			}
			if err != nil {
				return err.Error()
			}
			return ""
		}}
}
