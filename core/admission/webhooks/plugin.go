package webhooks

import (
	"context"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Plugin calls webhooks. Set its fields before use.
type Plugin struct {
	// Store has the configurations and the Services and Namespaces that they refer to; Table has the
	// types.
	Store *mvcc.Store
	Table *schema.Table
	// NewUID makes the uid of a review.
	NewUID func() string
	// Clock is the host's, which measures how long webhooks take.
	Clock clock.Clock
	// Caller calls the webhooks. If it is nil, every call fails as for an unknown host.
	Caller Caller
	// CEL evaluates match conditions, and Access answers their questions.
	CEL    expression.Evaluator
	Access match.Access

	enabled atomic.Bool
	known   admission.Cache[configurations]
}

var (
	_ admission.Mutator   = (*Plugin)(nil)
	_ admission.Validator = (*Plugin)(nil)
)

// Enable starts calling webhooks. The initial objects of a cluster are written before.
func (w *Plugin) Enable() { w.enabled.Store(true) }

// group is that of the configurations, which no webhook sees: otherwise one that refuses everything
// could not be deleted.
const group = "admissionregistration.k8s.io"

// Mutate calls the mutating webhooks for a write, one after another.
func (w *Plugin) Mutate(ctx context.Context, a *admission.Attributes) error {
	hooks, err := w.hooks(a)
	if err != nil || hooks == nil || len(hooks.mutating) == 0 {
		return err
	}
	return w.mutate(ctx, a, hooks.mutating)
}

// Validate calls the validating webhooks for a write, all at once.
func (w *Plugin) Validate(ctx context.Context, a *admission.Attributes) error {
	hooks, err := w.hooks(a)
	if err != nil || hooks == nil || len(hooks.validating) == 0 {
		return err
	}
	return w.validate(ctx, a, hooks.validating)
}

func (w *Plugin) source() match.Source { return match.Source{Store: w.Store, Table: w.Table} }

// hooks returns the webhooks that may match a write; nil for none.
func (w *Plugin) hooks(a *admission.Attributes) (*configurations, error) {
	if !w.enabled.Load() || a.Group == group {
		return nil, nil
	}
	return w.known.Get(w.read)
}
