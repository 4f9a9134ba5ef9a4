package plugins

import (
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

const notReady, noSchedule = "node.kubernetes.io/not-ready", "NoSchedule"

// NodeTaint is the admission plugin TaintNodesByCondition: a new node has the taint of one
// that is not ready, so that no pod is scheduled to it before its conditions are known.
type NodeTaint struct{}

var _ admission.Mutator = NodeTaint{}

// Mutate adds the taint to a new node that lacks it.
func (NodeTaint) Mutate(_ context.Context, a *admission.Attributes) error {
	if a.Operation != admission.Create || !a.Is("", "nodes") {
		return nil
	}
	spec := tree.Make(a.Object, "spec")
	for _, t := range tree.Objects(spec, "taints") {
		if tree.Text(t, "key") == notReady && tree.Text(t, "effect") == noSchedule {
			return nil
		}
	}
	spec["taints"] = append(tree.List(spec, "taints"), map[string]any{"key": notReady, "effect": noSchedule})
	return nil
}
