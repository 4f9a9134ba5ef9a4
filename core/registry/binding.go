package registry

import (
	"context"

	"github.com/tabernetes/tabernetes/core/kinds"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// Bind carries out a Binding: it assigns the target's pod to a node.
func (r *Registry) Bind(ctx context.Context, t Target, binding map[string]any, o WriteOptions) error {
	change := func(pod map[string]any) (map[string]any, error) {
		object.RemoveNested(pod, "metadata", "resourceVersion") // whatever version is there
		faults, conflict := kinds.BindPod(r.kindContext(o), pod, binding)
		if conflict != nil {
			return nil, status.NewConflict(status.GroupResource{Group: t.Group, Resource: t.Plural + "/binding"}, t.Name, conflict.Error())
		}
		return pod, faults.Err()
	}
	t.Subresource = "binding"
	_, _, err := r.Update(ctx, t, change, false, o)
	return err
}
