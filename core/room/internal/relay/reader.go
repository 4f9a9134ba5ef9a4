package relay

import (
	"context"

	"github.com/tabernetes/tabernetes/core/auth"
)

// A Reader is the user of a copy: it may read what was relayed, and write nothing. It implements
// auth.Authorizer for every user alike.
type Reader struct {
	user *auth.User
	// grants are nil before a stream has begun: everything that there is may be read.
	grants *Grants
	key    string
}

// Begin sets who the member is, and its rights, from the HELLO of a stream.
func (r *Reader) Begin(hello *Line) {
	r.key, r.grants = hello.Rights, hello.Grants
	if you := hello.You; you != nil {
		r.user = &auth.User{Name: you.Name, UID: you.UID, Groups: you.Groups}
	}
}

// Key returns the key of the rights.
func (r *Reader) Key() string { return r.key }

// Access returns how a copy authenticates and authorizes requests: all are the member's, whatever
// credentials they have.
func (r *Reader) Access(context.Context) (*auth.Access, error) {
	user := r.user
	if user == nil {
		user = auth.Admin
	}
	return &auth.Access{
		Authenticator: auth.Authenticator{WithoutCredentials: user, Lenient: true},
		Authorizer:    r, Impersonation: &auth.Impersonation{},
	}, nil
}

// The reasons why a copy refuses what the room may allow.
const (
	noWrites   = "this is a copy of the room, which takes no writes: send them to the room"
	noSnapshot = "this is a copy of the room, which has not all of its revisions: ask the room"
	notRelayed = "the copy of the room has none: ask the room"
)

// Authorize allows reads of what was relayed.
func (r *Reader) Authorize(a auth.Attributes) (allowed bool, reason string) {
	switch {
	case !a.IsResource && (a.Verb == "get" || a.Verb == "head"):
		return true, ""
	case a.Verb != "get" && a.Verb != "list" && a.Verb != "watch":
		return false, noWrites
	case a.Subresource == "snapshot":
		return false, noSnapshot
	case r.grants == nil:
		return true, ""
	case !r.grants.allow(a.Verb, a.Group, a.Resource, a.Namespace):
		return false, ""
	case !r.grants.relays(a.Group, a.Resource, a.Namespace):
		return false, notRelayed
	}
	return true, ""
}

// RulesFor returns no rules: reviews are writes.
func (r *Reader) RulesFor(*auth.User, string) ([]auth.Rule, error) { return nil, nil }

var _ auth.Authorizer = (*Reader)(nil)
