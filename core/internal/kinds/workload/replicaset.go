package workload

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// ReplicaSet is the strategy of ReplicaSets.
var ReplicaSet = strategy.Strategy{
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		pod.DefaultTemplate(tree.Make(spec, "template"))
		tree.Default(spec, "replicas", int64(1))
	},
	PrepareCreate: warnNewWorkload,
	PrepareUpdate: warnChangedWorkload,
	Validate:      func(obj map[string]any) field.ErrorList { return validateReplicaSet(tree.Object(obj, "spec")) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return append(validateReplicaSet(tree.Object(obj, "spec")), immutableSelector(obj, old)...)
	},
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		return validateReplicaStatus(tree.Object(obj, "status"))
	},
}

func validateReplicaSet(spec map[string]any) field.ErrorList {
	errs := rule.NotNegative(spec, "spec", "replicas", "minReadySeconds")
	errs.Add(validateSelectorOf(spec, "deployment")...)
	return append(errs, validateTemplateOf(spec, "ReplicaSet")...)
}

// validateReplicaStatus returns the violations of the status of a ReplicaSet or a
// ReplicationController.
func validateReplicaStatus(status map[string]any) field.ErrorList {
	errs := rule.NotNegative(status, "status", "replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas",
		"observedGeneration", "terminatingReplicas")
	errs.Add(countsWithin(status, "fullyLabeledReplicas", "readyReplicas", "availableReplicas")...)
	return append(errs, readyWithin(status, "readyReplicas")...)
}
