package core

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/object"
)

// gate is who is let into an instance and what they may do, as the ControlPlane
// says.
type gate struct {
	rbac          auth.RBAC
	impersonation auth.Impersonation
	// verifier knows the tokens that are not in the ControlPlane's list.
	verifier auth.TokenVerifier

	access atomic.Pointer[auth.Access]
	// opening is there from when RBAC is switched on until the default roles are
	// there.
	opening atomic.Pointer[opening]
	// switched tells keepRoles of a new opening.
	switched chan struct{}
}

type opening struct {
	once sync.Once
	done chan struct{}
}

func (o *opening) end() { o.once.Do(func() { close(o.done) }) }

// nobodies are who makes a request without credentials.
var nobodies = map[string]*auth.User{nobodyAdmin: auth.Admin, nobodyAnonymous: auth.Anonymous, nobodyUnauthorized: nil}

// set puts a spec in force. It may run under the store's lock.
func (g *gate) set(s *spec) {
	tokens := make(map[string]*auth.User, len(s.tokens))
	for _, t := range s.tokens {
		tokens[t.Token] = &auth.User{Name: t.User, UID: t.UID, Groups: t.Groups}
	}
	access := &auth.Access{
		Authenticator: auth.Authenticator{Tokens: tokens, Verifier: g.verifier, Nobody: nobodies[s.withoutCredentials]},
		Authorizer:    &g.rbac,
		Impersonation: &g.impersonation,
	}
	if s.authorization == modeAlwaysAllow {
		access.Authorizer, access.Lenient = auth.AlwaysAllow{}, true
		if o := g.opening.Swap(nil); o != nil {
			o.end()
		}
	} else if old := g.access.Load(); old == nil || old.Authorizer != access.Authorizer {
		g.opening.Store(&opening{done: make(chan struct{})})
		select {
		case g.switched <- struct{}{}:
		default: // keepRoles is told already
		}
	}
	g.access.Store(access)
}

// access is who is let in now. Right after RBAC was switched on it waits for the
// default roles.
func (i *instance) access(ctx context.Context) (*auth.Access, error) {
	if o := i.gate.opening.Load(); o != nil {
		select {
		case <-o.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-i.ctx.Done():
			return nil, context.Cause(i.ctx)
		}
	}
	return i.gate.access.Load(), nil
}

// observeRole tells the authorizer what is stored of a type of the group of roles
// and bindings; a nil value is that of an object that is gone.
func (i *instance) observeRole(resource, key string, value []byte) {
	row := i.table.Resource(auth.Group, "v1", resource)
	if row == nil {
		return
	}
	var obj map[string]any
	if value != nil {
		var err error
		if obj, _, err = object.Decode(value, row.Type()); err != nil {
			return // not so: it was stored
		}
	}
	i.gate.rbac.Set(resource, key, obj)
}

// keepRoles creates the default roles each time that RBAC is switched on.
func (i *instance) keepRoles() {
	for {
		select {
		case <-i.gate.switched:
			_ = i.defaultRoles() // what cannot be written now comes with the next start
		case <-i.ctx.Done():
			return
		}
	}
}

// defaultRoles creates the default roles and bindings that are missing, if RBAC
// was switched on since the last time.
func (i *instance) defaultRoles() error {
	o := i.gate.opening.Load()
	if o == nil {
		return nil
	}
	defer func() {
		i.gate.opening.CompareAndSwap(o, nil)
		o.end()
	}()
	for _, obj := range auth.Defaults() {
		if err := i.ensure(obj); err != nil {
			return err
		}
	}
	return nil
}
