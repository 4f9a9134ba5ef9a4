package workload

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// Deployment is the strategy of Deployments.
var Deployment = strategy.Strategy{
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		pod.DefaultTemplate(tree.Make(spec, "template"))
		tree.Default(spec, "replicas", int64(1))
		tree.Default(spec, "revisionHistoryLimit", int64(10))
		tree.Default(spec, "progressDeadlineSeconds", int64(600))
		strategy := tree.Make(spec, "strategy")
		tree.Default(strategy, "type", "RollingUpdate")
		if tree.Text(strategy, "type") == "RollingUpdate" {
			rolling := tree.Make(strategy, "rollingUpdate")
			tree.DefaultNil(rolling, "maxUnavailable", "25%")
			tree.DefaultNil(rolling, "maxSurge", "25%")
		}
	},
	PrepareCreate: warnNewWorkload,
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		if deploymentRaises(obj, old) {
			warnTemplate(c, obj)
		}
	},
	PrepareStatus: func(_ *strategy.Context, obj, old map[string]any) {
		tree.Keep(object.Meta(obj), object.Meta(old), "labels")
	},
	Validate: func(obj map[string]any) field.ErrorList { return validateDeployment(tree.Object(obj, "spec")) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return append(validateDeployment(tree.Object(obj, "spec")), immutableSelector(obj, old)...)
	},
	ValidateStatus: func(obj, old map[string]any) field.ErrorList {
		status := tree.Object(obj, "status")
		errs := rule.NotNegative(status, "status", "observedGeneration", "replicas", "updatedReplicas", "readyReplicas",
			"availableReplicas", "unavailableReplicas", "terminatingReplicas", "collisionCount")
		errs.Add(countsWithin(status, "updatedReplicas", "readyReplicas", "availableReplicas")...)
		errs.Add(readyWithin(status, "readyReplicas")...)
		return append(errs, collisionsNotDecreased(status, tree.Object(old, "status"))...)
	},
	Raises: deploymentRaises,
}

// deploymentRaises reports whether a change raises the generation. A change of the annotations
// does, since they are copied to the ReplicaSets.
func deploymentRaises(obj, old map[string]any) bool {
	annotations, was := tree.Object(object.Meta(obj), "annotations"), tree.Object(object.Meta(old), "annotations")
	return strategy.Changed(obj, old) || !object.Equal(annotations, was)
}

func validateDeployment(spec map[string]any) field.ErrorList {
	p := field.Path("spec")
	errs := rule.NotNegative(spec, p, "replicas")
	errs.Add(validateSelectorOf(spec, "deployment")...)
	errs.Add(validateTemplateOf(spec, "ReplicaSet")...)
	strategy, at := tree.Object(spec, "strategy"), p.Child("strategy")
	switch rolling := tree.Object(strategy, "rollingUpdate"); tree.Text(strategy, "type") {
	case "Recreate":
		if rolling != nil {
			errs.Add(field.Forbidden(at.Child("rollingUpdate"),
				"may not be specified when strategy `type` is 'Recreate'"))
		}
	case "RollingUpdate":
		errs.Add(validateRollingUpdate(rolling, at.Child("rollingUpdate"))...)
	default:
		shown := shape.DeploymentStrategy.Print(strategy)
		errs.Add(field.NotSupported(at, shown, "Recreate", "RollingUpdate"))
	}
	errs.Add(rule.NotNegative(spec, p, "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")...)
	deadline, _ := tree.Int(spec, "progressDeadlineSeconds")
	if ready, _ := tree.Int(spec, "minReadySeconds"); spec["progressDeadlineSeconds"] != nil && deadline <= ready {
		errs.Add(field.Invalid(p.Child("progressDeadlineSeconds"), deadline, "must be greater than minReadySeconds"))
	}
	return errs
}
