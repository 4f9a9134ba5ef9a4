package workload

import (
	"math"

	"github.com/tabernetes/tabernetes/core/kinds/pod"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

var Job = strategy.Strategy{
	OrphanWarning: "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		template := tree.Make(spec, "template")
		pod.DefaultTemplate(template)
		if spec["completions"] == nil && spec["parallelism"] == nil {
			spec["completions"] = int64(1)
		}
		tree.Default(spec, "parallelism", int64(1))
		if spec["backoffLimitPerIndex"] != nil {
			tree.Default(spec, "backoffLimit", int64(math.MaxInt32))
		}
		tree.Default(spec, "backoffLimit", int64(6))
		if labels := tree.Object(tree.Object(template, "metadata"), "labels"); len(labels) > 0 && len(tree.Object(object.Meta(obj), "labels")) == 0 {
			object.Meta(obj)["labels"] = labels // those that the Job gets are added to both
		}
		tree.Default(spec, "completionMode", "NonIndexed")
		tree.Default(spec, "suspend", false)
		tree.Default(spec, "manualSelector", false)
		replace := "TerminatingOrFailed"
		if policy := tree.Object(spec, "podFailurePolicy"); policy != nil {
			replace = "Failed"
			for _, rule := range tree.Objects(policy, "rules") {
				for _, condition := range tree.Objects(rule, "onPodConditions") {
					tree.Default(condition, "status", "True")
				}
			}
		}
		tree.Default(spec, "podReplacementPolicy", replace)
	},
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		spec := tree.Object(obj, "spec")
		if !tree.Bool(spec, "manualSelector") {
			selectOwnPods(obj, spec)
		}
		warnName(c, obj)
		warnJob(c, spec, "spec")
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		if !object.Equal(obj["spec"], old["spec"]) {
			warnJob(c, tree.Object(obj, "spec"), "spec")
		}
	},
	Validate:       validateJob,
	ValidateUpdate: validateJobUpdate,
	ValidateStatus: validateJobStatus,
}

// The labels of a Job's pods, in their present and their old spelling.
var (
	jobNameLabels       = []string{"batch.kubernetes.io/job-name", "job-name"}
	controllerUIDLabels = []string{"batch.kubernetes.io/controller-uid", "controller-uid"}
)

// selectOwnPods gives the pods of a Job labels that no others have, and selects
// by them.
func selectOwnPods(obj, spec map[string]any) {
	labels := tree.Make(tree.Make(tree.Make(spec, "template"), "metadata"), "labels")
	for _, name := range jobNameLabels {
		tree.Default(labels, name, object.Name(obj))
	}
	for _, name := range controllerUIDLabels {
		tree.Default(labels, name, object.UID(obj))
	}
	tree.Default(tree.Make(tree.Make(spec, "selector"), "matchLabels"), controllerUIDLabels[0], object.UID(obj))
}
