package pod

import (
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// CheckBinding returns the violations of a binding. They are answered as an internal error without
// a reason.
func CheckBinding(binding map[string]any) (errs field.ErrorList) {
	target := tree.Object(binding, "target")
	if kind := tree.Text(target, "kind"); kind != "" && kind != "Node" {
		errs.Add(field.NotSupported("target.kind", kind, "Node", "<empty>"))
	}
	if tree.Text(target, "name") == "" {
		errs.Add(field.Required("target.name", ""))
	}
	return errs
}

// Bind schedules pod, a copy of the stored object, as a binding says. The error is the conflict of
// a pod that cannot be bound.
func Bind(c *strategy.Context, pod, binding map[string]any) error {
	meta, spec := object.Meta(pod), tree.Make(pod, "spec")
	switch node := tree.Text(spec, "nodeName"); {
	case meta["deletionTimestamp"] != nil:
		return fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", tree.Text(meta, "name"))
	case node != "":
		return fmt.Errorf("pod %v is already assigned to node %q", tree.Text(meta, "name"), node)
	case len(tree.List(spec, "schedulingGates")) > 0:
		return fmt.Errorf("pod %v has non-empty .spec.schedulingGates", tree.Text(meta, "name"))
	}
	spec["nodeName"] = tree.Text(tree.Object(binding, "target"), "name")
	for _, name := range []string{"annotations", "labels"} {
		for key, value := range tree.Object(object.Meta(binding), name) {
			tree.Make(meta, name)[key] = value
		}
	}
	status := tree.Make(pod, "status")
	delete(status, "nominatedNodeName")
	conditions := slices.DeleteFunc(slices.Clone(tree.List(status, "conditions")), func(v any) bool {
		return tree.Text(tree.Map(v), "type") == "PodScheduled"
	})
	scheduled := map[string]any{
		"type": "PodScheduled", "status": "True", "lastProbeTime": nil, "lastTransitionTime": c.Timestamp(),
	}
	status["conditions"] = append(conditions, scheduled)
	return nil
}
