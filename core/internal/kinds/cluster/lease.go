package cluster

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// Lease is the strategy of Leases.
var Lease = strategy.Strategy{
	// The feature gate of coordinated leader election is off in the server we follow.
	PrepareCreate: func(_ *strategy.Context, obj map[string]any) { dropElection(obj) },
	PrepareUpdate: func(_ *strategy.Context, obj, _ map[string]any) { dropElection(obj) },
	Validate:      func(obj map[string]any) field.ErrorList { return lease.Check(obj, "") },
}

func dropElection(obj map[string]any) {
	delete(tree.Object(obj, "spec"), "strategy")
	delete(tree.Object(obj, "spec"), "preferredHolder")
}

var lease = rule.Fields{
	{Key: "spec", Is: rule.Fields{
		{Key: "leaseDurationSeconds", Is: rule.All{rule.IfSet{}, rule.AtLeast{Min: 1, Detail: "must be greater than 0"}}},
		{Key: "leaseTransitions", Is: rule.All{rule.IfSet{}, rule.AtLeast{Min: 0, Detail: rule.MustNotBeNegative}}},
	}},
}
