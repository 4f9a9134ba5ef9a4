package auth

import "context"

// A User is who makes a request.
type User struct {
	Name, UID string
	Groups    []string
	Extra     map[string][]string
}

// Admin is who everybody is while nobody is asked: the user of a fresh local
// cluster's admin kubeconfig.
var Admin = &User{Name: "admin", Groups: []string{"system:masters", "system:authenticated"}}

type userKey struct{}

// WithUser returns a context that carries the user of a request.
func WithUser(ctx context.Context, u *User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

// UserOf is the user whom a context carries, and Admin if it carries none: the
// server's own writes are made so.
func UserOf(ctx context.Context) *User {
	if u, ok := ctx.Value(userKey{}).(*User); ok {
		return u
	}
	return Admin
}
