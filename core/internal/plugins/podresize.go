package plugins

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// PodResize is the admission plugin PodResizeValidator: a pod may not be resized beyond what its node has.
//
// Set its field before use.
type PodResize struct {
	// Lookup returns a stored object of the core group, or nil.
	Lookup func(resource, namespace, name string) map[string]any
}

var _ admission.Validator = PodResize{}

// Validate refuses the resize of a pod for which its node is too small, or no Linux node.
func (p PodResize) Validate(_ context.Context, a *admission.Attributes) error {
	spec := tree.Object(a.Object, "spec")
	name := tree.Text(spec, "nodeName")
	if a.Operation != admission.Update || a.Group != "" || a.Plural != "pods" || a.Subresource != "resize" ||
		name == "" || object.Generation(a.Object) == object.Generation(a.Old) {
		return nil
	}
	node := p.Lookup("nodes", "", name)
	if node == nil {
		return a.Forbidden(fmt.Sprintf("node %q not found", name))
	}
	if os, ok := object.Labels(node)["kubernetes.io/os"]; ok && os != "linux" {
		return refuseResize(a, "UnsupportedPlatform",
			fmt.Sprintf("pod resize is only supported on linux nodes, node %q is %q", name, os))
	}
	requests, allocatable := pod.Requests(spec), tree.At(node, "status.allocatable")
	var wrong []string
	for _, r := range []struct {
		name string
		unit float64
	}{{"cpu", 1000}, {"memory", 1}} {
		amount := func(amounts map[string]any) any {
			if v := amounts[r.name]; v != nil {
				return v
			}
			return "0"
		}
		if asked, has := amount(requests), amount(allocatable); valid.MoreThan(asked, has) {
			in := func(v any) int64 { q, _ := valid.Quantity(v); return int64(math.Ceil(q.Float() * r.unit)) }
			wrong = append(wrong, fmt.Sprintf("%s, requested: %d, allocatable: %d", r.name, in(asked), in(has)))
		}
	}
	if wrong == nil {
		return nil
	}
	return refuseResize(a, "NodeCapacity", "node didn't have enough allocatable resources: "+strings.Join(wrong, "; "))
}

// refuseResize returns the 403 with a cause.
func refuseResize(a *admission.Attributes, reason, why string) error {
	err := a.Forbidden(why)
	err.Status.Details.Causes = append(err.Status.Details.Causes, status.Cause{Reason: reason})
	return err
}
