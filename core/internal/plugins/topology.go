package plugins

import (
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// PodTopology is the admission plugin PodTopologyLabels: a pod gets the zone and the region of its node as labels.
//
// Set its field before use.
type PodTopology struct {
	// Lookup returns a stored object of the core group, or nil.
	Lookup func(resource, namespace, name string) map[string]any
}

var _ admission.Mutator = PodTopology{}

// Mutate copies the labels to a new pod that has a node, or to a binding, from which the pod gets them.
func (p PodTopology) Mutate(_ context.Context, a *admission.Attributes) error {
	if a.Operation != admission.Create || a.Plural != "pods" || a.Group != "" {
		return nil
	}
	node := ""
	switch a.Subresource {
	case "":
		node = tree.Text(tree.Object(a.Object, "spec"), "nodeName")
	case "binding":
		if target := tree.Object(a.Object, "target"); tree.Text(target, "kind") == "Node" {
			node = tree.Text(target, "name")
		}
	}
	if node == "" {
		return nil
	}
	labels := object.Labels(p.Lookup("nodes", "", node))
	for _, key := range []string{"topology.kubernetes.io/zone", "topology.kubernetes.io/region"} {
		if value, ok := labels[key]; ok {
			tree.Make(object.Meta(a.Object), "labels")[key] = value
		}
	}
	return nil
}
