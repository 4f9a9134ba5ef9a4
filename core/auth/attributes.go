package auth

import (
	"context"
	"fmt"

	"github.com/tabernetes/tabernetes/core/status"
)

// Attributes describe a request to an Authorizer.
type Attributes struct {
	User *User
	Verb string
	// IsResource is true for a request to a resource, described by the fields of the next line, and
	// false for one to another path.
	IsResource                                    bool
	Group, Resource, Subresource, Namespace, Name string
	Path                                          string
}

// As returns the same attributes with another verb.
func (a Attributes) As(verb string) Attributes {
	a.Verb = verb
	return a
}

// resource returns the resource as rules name it: "pods", "pods/log".
func (a Attributes) resource() string {
	if a.Subresource == "" {
		return a.Resource
	}
	return a.Resource + "/" + a.Subresource
}

// Forbidden returns the 403 for a request that is not allowed, with the Authorizer's reason, if
// any.
func (a Attributes) Forbidden(reason string) error {
	if reason != "" {
		reason = ": " + reason
	}
	if !a.IsResource {
		return status.NewForbidden(status.GroupResource{}, "",
			fmt.Sprintf("User %q cannot %s path %q%s", a.User.Name, a.Verb, a.Path, reason))
	}
	scope := "at the cluster scope"
	if a.Namespace != "" {
		scope = fmt.Sprintf("in the namespace %q", a.Namespace)
	}
	return status.NewForbidden(status.GroupResource{Group: a.Group, Resource: a.Resource}, a.Name,
		fmt.Sprintf("User %q cannot %s resource %q in API group %q %s%s", a.User.Name, a.Verb, a.resource(), a.Group, scope,
			reason))
}

// Check returns the 403 if an Authorizer does not allow a request.
func (a Attributes) Check(authorizer Authorizer) error {
	if allowed, reason := authorizer.Authorize(a); !allowed {
		return a.Forbidden(reason)
	}
	return nil
}

// An Authorizer decides what a user may do.
type Authorizer interface {
	// Authorize reports whether a request is allowed, and may give a reason.
	Authorize(Attributes) (allowed bool, reason string)
	// RulesFor returns the rules that apply to a user in a namespace. The error lists those that could
	// not be found.
	RulesFor(u *User, namespace string) ([]Rule, error)
}

// AlwaysAllow allows everything.
type AlwaysAllow struct{}

// Authorize allows a request.
func (AlwaysAllow) Authorize(Attributes) (bool, string) { return true, "" }

// RulesFor returns two rules for everything.
func (AlwaysAllow) RulesFor(*User, string) ([]Rule, error) { return everything, nil }

type attributesKey struct{}

// WithAttributes returns a context that carries the attributes of a request, and its user.
func WithAttributes(ctx context.Context, a Attributes) context.Context {
	return context.WithValue(WithUser(ctx, a.User), attributesKey{}, a)
}

// AttributesOf returns the attributes that a context carries; none for the server's own writes.
func AttributesOf(ctx context.Context) (Attributes, bool) {
	a, ok := ctx.Value(attributesKey{}).(Attributes)
	return a, ok
}
