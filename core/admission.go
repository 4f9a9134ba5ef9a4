package core

import (
	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/admission/escalation"
	"github.com/tabernetes/tabernetes/core/admission/lifecycle"
	"github.com/tabernetes/tabernetes/core/admission/limitranger"
	"github.com/tabernetes/tabernetes/core/admission/requestor"
)

// admission returns the plugins in the order in which they see every write.
//
// The lifecycle of namespaces comes first: nothing else is worth doing in a namespace that
// is gone. What the server fills in by itself comes before the webhooks, which are to see
// the object as it would be without them. What they may not forge comes behind them: who
// has asked for a certificate, and last, when nothing changes any more, whether a role gives
// more than its writer has.
func (i *instance) admission() admission.Chain {
	return admission.Chain{
		lifecycle.Plugin{Phase: i.registry.NamespacePhase},
		chaosStarter{i},
		limitranger.Plugin{Registry: i.registry},
		i.webhooks,
		requestor.Plugin{},
		escalation.Plugin{RBAC: i.gate.RBAC(), Active: i.gate.ByRBAC},
	}
}
