package core

import (
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/admission/escalation"
	"github.com/tabernetes/tabernetes/core/admission/lifecycle"
	"github.com/tabernetes/tabernetes/core/admission/limitranger"
	"github.com/tabernetes/tabernetes/core/admission/requestor"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/controlplane/chaosstart"
)

// admissionChain returns the plugins in the order in which they see every write.
//
// The lifecycle of namespaces comes first: nothing else is worth doing in a namespace that
// is gone. What the server fills in by itself comes before the webhooks, which are to see
// the object as it would be without them. What they may not forge comes behind them: who
// has asked for a certificate, and last, when nothing changes any more, whether a role gives
// more than its writer has.
func admissionChain(i *instance) admission.Chain {
	return admission.Chain{
		lifecycle.Plugin{Phase: i.registry.NamespacePhase},
		chaosstart.Plugin{Parse: i.plane.Parse, Rand: i.registry.Rand, Now: i.clock.Now},
		limitranger.Plugin{Store: i.store, Table: i.table},
		i.webhooks,
		requestor.Plugin{},
		escalation.Plugin{RBAC: i.access.RBAC(), Active: i.access.ByRBAC},
	}
}

// aside lets others go first while a request's webhooks are called, which may well make
// requests of their own.
func aside(call webhooks.Caller) webhooks.Caller {
	if call == nil {
		return nil
	}
	return func(ctx context.Context, c *webhooks.Call) (*webhooks.Reply, error) {
		defer apiserver.Aside(ctx)()
		return call(ctx, c)
	}
}
