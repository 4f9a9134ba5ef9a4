// Package access authenticates and authorizes requests according to settings, which may change at
// any time.
//
// Invariants: a request is decided by the settings at the time of its arrival. After RBAC was
// switched on, requests wait until the default roles exist, so that none is refused because of a
// role that every cluster has.
//
// The cost is two atomic loads per request.
package access

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// The authorization modes.
const (
	AlwaysAllow = "AlwaysAllow"
	RBAC        = "RBAC"
)

// The users of requests without credentials.
const (
	Admin        = "Admin"
	Anonymous    = "Anonymous"
	Unauthorized = "Unauthorized" // requests are refused
)

// withoutCredentials are the users by the values of the setting.
var withoutCredentials = map[string]*auth.User{Admin: auth.Admin, Anonymous: auth.Anonymous, Unauthorized: nil}

// A Token is a bearer token and the user that it authenticates.
type Token struct {
	Token, User, UID string
	Groups           []string
}

// Settings configure authentication and authorization.
type Settings struct {
	// Authorization is AlwaysAllow or RBAC.
	Authorization string
	// WithoutCredentials is Admin, Anonymous or Unauthorized.
	WithoutCredentials string
	// Tokens are the bearer tokens that are accepted besides those of service accounts.
	Tokens []Token
}

// A Gate authenticates and authorizes requests.
type Gate struct {
	// Audiences are those of the server's tokens, as in auth.Authenticator. They are set before the first settings.
	Audiences []string

	closing  context.Context
	ensure   func(obj map[string]any, after string) error
	verifier auth.TokenVerifier

	rbac          auth.RBAC
	impersonation auth.Impersonation
	access        atomic.Pointer[auth.Access]
	// pending is set from when RBAC is switched on until the default roles exist.
	pending atomic.Pointer[pendingRoles]
	// switched signals new pendingRoles to MaintainRoles.
	switched chan struct{}
}

// New returns a gate that needs its first settings. closing ends with the cluster; ensure creates an object if it does
// not exist, with a uid that is derived from another object's, if there is one; verifier checks tokens that are not in
// the settings.
func New(closing context.Context, ensure func(obj map[string]any, after string) error,
	verifier auth.TokenVerifier,
) *Gate {
	return &Gate{closing: closing, ensure: ensure, verifier: verifier, switched: make(chan struct{}, 1)}
}

type pendingRoles struct {
	once sync.Once
	done chan struct{}
}

func (o *pendingRoles) end() { o.once.Do(func() { close(o.done) }) }

// Set applies settings. It may run under the store's lock.
func (g *Gate) Set(s Settings) {
	tokens := make(map[string]*auth.User, len(s.Tokens))
	for _, t := range s.Tokens {
		tokens[t.Token] = &auth.User{Name: t.User, UID: t.UID, Groups: t.Groups}
	}
	access := &auth.Access{
		Authenticator: auth.Authenticator{
			Tokens: tokens, Verifier: g.verifier, WithoutCredentials: withoutCredentials[s.WithoutCredentials],
			Audiences: g.Audiences,
		},
		Authorizer:    &g.rbac,
		Impersonation: &g.impersonation,
	}
	if s.Authorization == AlwaysAllow {
		access.Authorizer, access.Lenient = auth.AlwaysAllow{}, true
		if o := g.pending.Swap(nil); o != nil {
			o.end()
		}
	} else if old := g.access.Load(); old == nil || old.Authorizer != access.Authorizer {
		g.pending.Store(&pendingRoles{done: make(chan struct{})})
		select {
		case g.switched <- struct{}{}:
		default: // MaintainRoles has a signal already
		}
	}
	g.access.Store(access)
}

// Access returns the current authenticator and authorizer. Right after RBAC was switched on it
// waits for the default roles.
func (g *Gate) Access(ctx context.Context) (*auth.Access, error) {
	if o := g.pending.Load(); o != nil {
		select {
		case <-o.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-g.closing.Done():
			return nil, context.Cause(g.closing)
		}
	}
	return g.access.Load(), nil
}

// RBAC returns the RBAC authorizer, whether or not it is in use.
func (g *Gate) RBAC() *auth.RBAC { return &g.rbac }

// UsesRBAC reports whether the RBAC authorizer is in use.
func (g *Gate) UsesRBAC() bool { return g.access.Load().Authorizer == auth.Authorizer(&g.rbac) }

// Observe passes a change of a role or binding to the RBAC authorizer; a nil value means that the
// object was deleted.
func (g *Gate) Observe(row *schema.Resource, key string, value []byte) {
	var obj map[string]any
	if value != nil {
		var err error
		if obj, _, err = object.Decode(value, row.Type()); err != nil {
			return // not so: it was stored
		}
	}
	g.rbac.Set(row.Plural, key, obj)
}

// MaintainRoles creates the default roles each time that RBAC is switched on, until the cluster ends.
func (g *Gate) MaintainRoles() {
	for {
		select {
		case <-g.switched:
			_ = g.CreateRoles() // what cannot be written now is created at the next start
		case <-g.closing.Done():
			return
		}
	}
}

// CreateRoles creates the default roles and bindings that are missing, if RBAC was switched on since the last call. The
// uids of all but the first that it creates are derived from that one's, so that what is shared of a cluster need not
// hold them.
func (g *Gate) CreateRoles() error {
	o := g.pending.Load()
	if o == nil {
		return nil
	}
	defer func() {
		g.pending.CompareAndSwap(o, nil)
		o.end()
	}()
	first := ""
	for _, obj := range auth.Defaults() {
		if err := g.ensure(obj, first); err != nil {
			return err
		}
		first = cmp.Or(first, object.UID(obj)) // which one that was there has not
	}
	return nil
}
