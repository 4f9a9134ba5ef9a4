package policies

import (
	"context"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Plugin applies policies. Set its fields before use.
type Plugin struct {
	// Store has the policies, their bindings and parameters; Table has the types.
	Store *mvcc.Store
	Table *schema.Table
	// CEL evaluates expressions, and Access answers their questions to the authorizer.
	CEL    expression.Evaluator
	Access match.Access

	enabled atomic.Bool
	known   admission.Cache[configuration]
}

var (
	_ admission.Mutator   = (*Plugin)(nil)
	_ admission.Validator = (*Plugin)(nil)
)

// Enable starts applying policies. The initial objects of a cluster are written before.
func (p *Plugin) Enable() { p.enabled.Store(true) }

// group is that of policies and bindings.
const group = "admissionregistration.k8s.io"

// exempt are the resources that no policy sees: policies, so that one which refuses everything can be deleted, and what
// is asked about users.
var exempt = map[string]bool{
	group + "/" + validatingPolicies: true, group + "/" + validatingBindings: true,
	group + "/" + mutatingPolicies: true, group + "/" + mutatingBindings: true,
	"authentication.k8s.io/tokenreviews": true, "authentication.k8s.io/selfsubjectreviews": true,
	"authorization.k8s.io/subjectaccessreviews": true, "authorization.k8s.io/localsubjectaccessreviews": true,
	"authorization.k8s.io/selfsubjectaccessreviews": true, "authorization.k8s.io/selfsubjectrulesreviews": true,
}

// Mutate applies the mutating policies to a write, one after another.
func (p *Plugin) Mutate(ctx context.Context, a *admission.Attributes) error {
	if a.Operation == admission.Delete {
		return nil
	}
	c, err := p.policies(a)
	if err != nil || c == nil || len(c.mutating) == 0 {
		return err
	}
	return p.mutate(ctx, a, c.mutating)
}

// Validate applies the validating policies to a write.
func (p *Plugin) Validate(ctx context.Context, a *admission.Attributes) error {
	c, err := p.policies(a)
	if err != nil || c == nil || len(c.validating) == 0 {
		return err
	}
	return p.validate(ctx, a, c.validating)
}

// policies returns those that may match a write; nil for none.
func (p *Plugin) policies(a *admission.Attributes) (*configuration, error) {
	if !p.enabled.Load() {
		return nil, nil
	}
	c, err := p.known.Get(p.read)
	if err != nil || len(c.mutating)+len(c.validating) == 0 || exempt[a.Group+"/"+a.Plural] {
		return nil, err
	}
	return c, nil
}

func (p *Plugin) request(a *admission.Attributes) *match.Request {
	return match.Source{Store: p.Store, Table: p.Table}.Request(a)
}
