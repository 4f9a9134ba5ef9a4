package plugins

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// NodeFeatures is the admission plugin NodeDeclaredFeatureValidator: a pod on a node may not be changed in a way that
// takes a feature which the node does not declare. Set its field before use.
type NodeFeatures struct {
	// Lookup returns a stored object of the core group, or nil.
	Lookup func(resource, namespace, name string) map[string]any
}

var _ admission.Validator = NodeFeatures{}

// Validate refuses a change of a pod for which its node lacks a feature.
func (p NodeFeatures) Validate(_ context.Context, a *admission.Attributes) error {
	if a.Operation != admission.Update || a.Group != "" || a.Plural != "pods" ||
		a.Subresource != "" && a.Subresource != "resize" || object.Generation(a.Object) == object.Generation(a.Old) {
		return nil
	}
	a.Given.Put(a.Object)
	defer a.Given.Take(a.Object)
	spec, was := tree.Object(a.Object, "spec"), tree.Object(a.Old, "spec")
	name, taken := tree.Text(spec, "nodeName"), features(spec, was)
	if name == "" || len(taken) == 0 {
		return nil
	}
	node := p.Lookup("nodes", "", name)
	if node == nil {
		return a.Forbidden(fmt.Sprintf("node %q not found", name))
	}
	declared := tree.Texts(tree.Object(node, "status"), "declaredFeatures")
	taken = slices.DeleteFunc(taken, func(feature string) bool { return slices.Contains(declared, feature) })
	if len(taken) == 0 {
		return nil
	}
	return a.Forbidden(fmt.Sprintf("pod update requires features %s which are not available on node %q",
		strings.Join(taken, ", "), name))
}

// features returns the names of the features that a change takes, sorted.
func features(spec, was map[string]any) (taken []string) {
	if !object.Equal(spec["resources"], was["resources"]) {
		taken = append(taken, "InPlacePodLevelResourcesVerticalScaling")
	}
	now := tree.Objects(spec, "initContainers")
	for i, c := range tree.Objects(was, "initContainers") {
		if tree.Text(c, "restartPolicy") != "Always" && i < len(now) &&
			!object.Identical(now[i]["resources"], c["resources"]) {
			return append(taken, "InPlacePodVerticalScalingInitContainers")
		}
	}
	return taken
}
