package auth

import (
	"context"

	"github.com/tabernetes/tabernetes/core/object"
)

// The users and groups with a special meaning.
const (
	// Masters is allowed everything.
	Masters = "system:masters"
	// Authenticated has all users with an identity, and Unauthenticated the others.
	Authenticated   = "system:authenticated"
	Unauthenticated = "system:unauthenticated"
	anonymous       = "system:anonymous"
	// Server makes the server's own requests, as a part of others.
	Server = "system:apiserver"
)

// A User is the user who makes a request.
type User struct {
	Name, UID string
	Groups    []string
	Extra     map[string][]string
}

// ExtraTree returns the Extra as an object holds it.
func (u *User) ExtraTree() map[string]any {
	extra := make(map[string]any, len(u.Extra))
	for name, values := range u.Extra {
		extra[name] = object.ListOf(values)
	}
	return extra
}

// Admin is the user of requests while there is no authentication: the user of a new local cluster's
// admin kubeconfig.
var Admin = &User{Name: "admin", Groups: []string{Masters, Authenticated}}

// Anonymous is the user of requests without credentials.
var Anonymous = &User{Name: anonymous, Groups: []string{Unauthenticated}}

type userKey struct{}

// WithUser returns a context that carries the user of a request.
func WithUser(ctx context.Context, u *User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

// UserOf returns the user that a context carries, and Admin if it carries none, as for the server's
// own writes.
func UserOf(ctx context.Context) *User {
	if u := KnownUser(ctx); u != nil {
		return u
	}
	return Admin
}

// KnownUser returns the user that a context carries; nil if it carries none.
func KnownUser(ctx context.Context) *User {
	u, _ := ctx.Value(userKey{}).(*User)
	return u
}
