package cluster

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
)

// Lease is the strategy of Leases.
var Lease = strategy.Strategy{
	// Coordinated leader election is switched off in the server we follow.
	PrepareCreate:  func(_ *strategy.Context, obj map[string]any) { dropElection(obj) },
	PrepareUpdate:  func(_ *strategy.Context, obj, _ map[string]any) { dropElection(obj) },
	Validate:       func(obj map[string]any) field.ErrorList { return validateLease(tree.Object(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateLease(tree.Object(obj, "spec")) },
}

func dropElection(obj map[string]any) {
	delete(tree.Object(obj, "spec"), "strategy")
	delete(tree.Object(obj, "spec"), "preferredHolder")
}

func validateLease(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	if n, ok := tree.Int(spec, "leaseDurationSeconds"); ok && n <= 0 {
		errs.Add(field.Invalid("spec.leaseDurationSeconds", n, "must be greater than 0"))
	}
	return append(errs, rule.NotNegative(spec, "spec", "leaseTransitions")...)
}
