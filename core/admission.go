package core

import (
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/admission/certificate"
	"github.com/tabernetes/tabernetes/core/admission/escalation"
	"github.com/tabernetes/tabernetes/core/admission/lifecycle"
	"github.com/tabernetes/tabernetes/core/admission/limitranger"
	"github.com/tabernetes/tabernetes/core/admission/nodetaint"
	"github.com/tabernetes/tabernetes/core/admission/priority"
	"github.com/tabernetes/tabernetes/core/admission/requestor"
	"github.com/tabernetes/tabernetes/core/admission/resourcequota"
	"github.com/tabernetes/tabernetes/core/admission/runtimeclass"
	"github.com/tabernetes/tabernetes/core/admission/storageprotection"
	"github.com/tabernetes/tabernetes/core/admission/terminating"
	"github.com/tabernetes/tabernetes/core/admission/tolerations"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/controlplane/chaosstart"
)

// admissionChain returns the admission plugins in the order in which they see every write.
//
// Those of extensions come first, then what makes all other checks pointless: a
// definition that is being deleted, and, by NamespaceLifecycle, a namespace that does not exist. The real
// server's plugins stand in its order. Those that fill in fields run before policies and webhooks, which so
// see the completed object, policies first. Checks that webhooks must not be able to bypass run after them:
// the requestor of a certificate, and when nothing changes any more, the check for privilege
// escalation. Quotas are last: a write that is refused for another reason is not charged.
func admissionChain(i *instance) admission.Chain {
	return append(i.added.Plugins(),
		terminating.Plugin{},
		lifecycle.Plugin{Phase: i.registry.NamespacePhase},
		chaosstart.Plugin{Parse: i.plane.Parse, Rand: i.registry.Rand, Now: i.clock.Now},
		limitranger.Plugin{Store: i.store, Table: i.table},
		nodetaint.Plugin{},
		&priority.Plugin{Store: i.store, Table: i.table},
		tolerations.Plugin{},
		storageprotection.Plugin{},
		runtimeclass.Plugin{Store: i.store, Table: i.table},
		certificate.Plugin{RBAC: i.access.RBAC(), Active: i.access.UsesRBAC},
		i.policies,
		i.webhooks,
		requestor.Plugin{},
		escalation.Plugin{RBAC: i.access.RBAC(), Active: i.access.UsesRBAC},
		resourcequota.Plugin{Store: i.store, Table: i.table, Now: i.clock.Now, Update: i.registry.UpdateQuota},
	)
}

// releaseSeat gives up a request's seat while its webhooks are called, since they may make requests of
// their own.
func releaseSeat(call webhooks.Caller) webhooks.Caller {
	if call == nil {
		return nil
	}
	return func(ctx context.Context, c *webhooks.Call) (*webhooks.Reply, error) {
		defer apiserver.ReleaseSeat(ctx)()
		return call(ctx, c)
	}
}
