package workload

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// ReplicationController is the strategy of ReplicationControllers.
var ReplicationController = strategy.Strategy{
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		template := tree.Object(spec, "template")
		pod.DefaultTemplate(template)
		if labels := tree.Object(tree.Object(template, "metadata"), "labels"); len(labels) > 0 {
			if len(tree.Object(spec, "selector")) == 0 {
				spec["selector"] = object.DeepCopy(labels)
			}
			if len(tree.Object(object.Meta(obj), "labels")) == 0 {
				object.Meta(obj)["labels"] = object.DeepCopy(labels)
			}
		}
		tree.Default(spec, "replicas", int64(1))
	},
	PrepareCreate: warnNewWorkload,
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		pod.DropDisabledFields(tree.At(obj, "spec.template.spec"))
		if !object.Equal(obj["spec"], old["spec"]) { // the real server warns about the old one
			pod.WarnTemplate(c, tree.Object(tree.Object(old, "spec"), "template"), "spec.template")
		}
	},
	Validate: func(obj map[string]any) field.ErrorList {
		return validateReplicationController(tree.Object(obj, "spec"))
	},
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		return validateReplicaStatus(tree.Object(obj, "status"))
	},
}

func validateReplicationController(spec map[string]any) field.ErrorList {
	errs := rule.NotNegative(spec, "spec", "minReadySeconds")
	labels := tree.Object(spec, "selector")
	if len(labels) == 0 {
		errs.Add(field.Required("spec.selector", ""))
	}
	errs.Add(rule.NotNegative(spec, "spec", "replicas")...)
	template := tree.Object(spec, "template")
	if template == nil {
		return append(errs, field.Required("spec.template", ""))
	}
	pods := tree.At(template, "metadata.labels")
	for key, value := range labels {
		if has, ok := pods[key]; !ok || has != value {
			shown := tree.Value(template, "metadata.labels")
			errs.Add(field.Invalid("spec.template.metadata.labels", shown, "`selector` does not match template `labels`"))
			break
		}
	}
	errs.Add(pod.ValidateTemplate(template, "spec.template")...)
	return append(errs, validateRunsForever(template, "ReplicationController")...)
}
