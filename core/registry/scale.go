package registry

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/selector"
	"github.com/tabernetes/tabernetes/core/status"
)

// ScaleOf is an object as its scale subresource shows it: an autoscaling/v1
// Scale. All types that have one keep the numbers in spec.replicas and
// status.replicas; the selector is a label selector or, in the oldest type, the
// labels themselves.
func ScaleOf(obj map[string]any) map[string]any {
	meta := map[string]any{}
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp"} {
		if value, ok := object.Get(obj, "metadata", name); ok {
			meta[name] = value
		}
	}
	wanted, _ := object.GetInt(obj, "spec", "replicas")
	present, _ := object.GetInt(obj, "status", "replicas")
	tree := object.GetMap(obj, "spec", "selector")
	if object.Kind(obj) == "ReplicationController" {
		tree = map[string]any{"matchLabels": tree}
	}
	state := map[string]any{"replicas": present}
	if labels, ok, err := selector.FromLabelSelector(tree); ok && err == nil && !labels.Empty() {
		state["selector"] = labels.String()
	}
	return map[string]any{
		"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": meta,
		"spec": map[string]any{"replicas": wanted}, "status": state,
	}
}

// SetScale puts what a Scale asks for into the object that it is of.
func SetScale(obj, scale map[string]any) (map[string]any, error) {
	replicas, _ := object.GetInt(scale, "spec", "replicas")
	if replicas < 0 {
		return nil, status.NewInvalid(status.GroupKind{Group: "autoscaling", Kind: "Scale"}, object.Name(obj), field.ErrorList{
			field.Invalid("spec.replicas", replicas, "must be greater than or equal to 0")})
	}
	object.SetNested(obj, replicas, "spec", "replicas")
	meta := object.Meta(obj)
	for _, name := range []string{"uid", "resourceVersion"} {
		if value := object.GetString(scale, "metadata", name); value != "" {
			meta[name] = value
		}
	}
	return obj, nil
}
