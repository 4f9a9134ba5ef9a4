// Package access decides who is let into a cluster and what they may do there, as its
// settings say, which may change at any time.
//
// Invariants: a request is decided by the settings that are in force when it asks. From when
// RBAC is switched on until the default roles are there requests wait, so that nobody is
// refused for the lack of a role that every cluster has.
//
// Asking costs two atomic loads.
package access

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Who decides what users may do.
const (
	AlwaysAllow = "AlwaysAllow"
	RBAC        = "RBAC"
)

// Who makes a request without credentials.
const (
	Admin        = "Admin"
	Anonymous    = "Anonymous"
	Unauthorized = "Unauthorized" // nobody
)

// withoutCredentials are the users that the words stand for.
var withoutCredentials = map[string]*auth.User{Admin: auth.Admin, Anonymous: auth.Anonymous, Unauthorized: nil}

// A Token is a bearer token and whose it is.
type Token struct {
	Token, User, UID string
	Groups           []string
}

// Settings are what is decided by.
type Settings struct {
	// Authorization is AlwaysAllow or RBAC.
	Authorization string
	// WithoutCredentials is Admin, Anonymous or Unauthorized.
	WithoutCredentials string
	// Tokens are the bearer tokens that are known besides those of service accounts.
	Tokens []Token
}

// A Gate decides on requests.
type Gate struct {
	closing  context.Context
	ensure   func(obj map[string]any) error
	verifier auth.TokenVerifier

	rbac          auth.RBAC
	impersonation auth.Impersonation
	access        atomic.Pointer[auth.Access]
	// opening is there from when RBAC is switched on until the default roles are
	// there.
	opening atomic.Pointer[opening]
	// switched tells KeepRoles of a new opening.
	switched chan struct{}
}

// New returns a gate that needs its first settings. closing ends with the cluster, ensure
// creates an object unless it is there, and verifier knows the tokens that are not in the
// settings.
func New(closing context.Context, ensure func(obj map[string]any) error, verifier auth.TokenVerifier) *Gate {
	return &Gate{closing: closing, ensure: ensure, verifier: verifier, switched: make(chan struct{}, 1)}
}

type opening struct {
	once sync.Once
	done chan struct{}
}

func (o *opening) end() { o.once.Do(func() { close(o.done) }) }

// Set puts settings in force. It may run under the store's lock.
func (g *Gate) Set(s Settings) {
	tokens := make(map[string]*auth.User, len(s.Tokens))
	for _, t := range s.Tokens {
		tokens[t.Token] = &auth.User{Name: t.User, UID: t.UID, Groups: t.Groups}
	}
	access := &auth.Access{
		Authenticator: auth.Authenticator{
			Tokens: tokens, Verifier: g.verifier, Nobody: withoutCredentials[s.WithoutCredentials],
		},
		Authorizer:    &g.rbac,
		Impersonation: &g.impersonation,
	}
	if s.Authorization == AlwaysAllow {
		access.Authorizer, access.Lenient = auth.AlwaysAllow{}, true
		if o := g.opening.Swap(nil); o != nil {
			o.end()
		}
	} else if old := g.access.Load(); old == nil || old.Authorizer != access.Authorizer {
		g.opening.Store(&opening{done: make(chan struct{})})
		select {
		case g.switched <- struct{}{}:
		default: // KeepRoles is told already
		}
	}
	g.access.Store(access)
}

// Access returns who is let in now. Right after RBAC was switched on it waits for the
// default roles.
func (g *Gate) Access(ctx context.Context) (*auth.Access, error) {
	if o := g.opening.Load(); o != nil {
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

// RBAC returns what grants rights by roles, whether or not it decides at present.
func (g *Gate) RBAC() *auth.RBAC { return &g.rbac }

// ByRBAC reports whether it is RBAC that decides at present.
func (g *Gate) ByRBAC() bool { return g.access.Load().Authorizer == auth.Authorizer(&g.rbac) }

// Observe tells the authorizer what is stored of a type of the group of roles
// and bindings; a nil value is that of an object that is gone.
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

// KeepRoles creates the default roles each time that RBAC is switched on, until the cluster
// ends.
func (g *Gate) KeepRoles() {
	for {
		select {
		case <-g.switched:
			_ = g.CreateRoles() // what cannot be written now comes with the next start
		case <-g.closing.Done():
			return
		}
	}
}

// CreateRoles creates the default roles and bindings that are missing, if RBAC
// was switched on since the last time.
func (g *Gate) CreateRoles() error {
	o := g.opening.Load()
	if o == nil {
		return nil
	}
	defer func() {
		g.opening.CompareAndSwap(o, nil)
		o.end()
	}()
	for _, obj := range auth.Defaults() {
		if err := g.ensure(obj); err != nil {
			return err
		}
	}
	return nil
}
