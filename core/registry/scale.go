package registry

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// noReplicas marks a Scale of an object that has no replicas where they are required. It is never
// answered.
const noReplicas = -1 << 31

// ScaleOf returns the scale subresource of an object: an autoscaling/v1 Scale. All built-in types
// that have one have the numbers in spec.replicas and status.replicas; the selector is a label
// selector or, in the oldest type, the labels themselves. For custom resources, the definition has
// the paths.
func ScaleOf(t *schema.Resource, obj map[string]any) map[string]any {
	meta := map[string]any{}
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp"} {
		if value, ok := object.Get(obj, "metadata", name); ok {
			meta[name] = value
		}
	}
	paths := scalePaths(t)
	wanted, ok := object.GetInt(obj, paths.Spec...)
	if !ok && t.Custom != nil {
		wanted = noReplicas
	}
	present, _ := object.GetInt(obj, paths.Status...)
	state := map[string]any{"replicas": present}
	if text := scaleSelector(t, obj); text != "" {
		state["selector"] = text
	}
	return map[string]any{
		"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": meta,
		"spec": map[string]any{"replicas": wanted}, "status": state,
	}
}

var builtinScale = schema.ScalePaths{Spec: []string{"spec", "replicas"}, Status: []string{"status", "replicas"}}

// scalePaths returns the paths of the Scale's values in the objects of a type.
func scalePaths(t *schema.Resource) *schema.ScalePaths {
	if t.Custom != nil && t.Custom.Scale != nil {
		return t.Custom.Scale
	}
	return &builtinScale
}

// scaleSelector returns the selector of a Scale as text, empty for none.
func scaleSelector(t *schema.Resource, obj map[string]any) string {
	if t.Custom != nil {
		if path := scalePaths(t).Selector; path != nil {
			return object.GetString(obj, path...)
		}
		return ""
	}
	tree := object.GetMap(obj, "spec", "selector")
	if object.Kind(obj) == "ReplicationController" {
		tree = map[string]any{"matchLabels": tree}
	}
	labels, ok, err := selector.FromLabelSelector(tree)
	if !ok || err != nil {
		return ""
	}
	return labels.String()
}

// CheckScale returns the error of a Scale that cannot be shown: the object has no replicas at the
// path in its definition.
func CheckScale(t *schema.Resource, scale map[string]any) error {
	if n, _ := object.GetInt(scale, "spec", "replicas"); n != noReplicas {
		return nil
	}
	return status.NewInternal(fmt.Errorf("the spec replicas field %q does not exist", "."+
		strings.Join(scalePaths(t).Spec, ".")))
}

// SetScale applies a Scale to its object.
func SetScale(t *schema.Resource, obj, scale map[string]any) (map[string]any, error) {
	if want, have := object.UID(scale), object.UID(obj); want != "" && want != have && t.Custom == nil {
		return nil, status.NewConflict(status.GroupResource{Group: t.Group, Resource: t.Plural + "/scale"}, object.Name(obj),
			notMet("UID", want, have))
	}
	replicas, _ := object.GetInt(scale, "spec", "replicas")
	path := scalePaths(t).Spec
	switch {
	case t.Custom != nil && replicas == noReplicas:
		return nil, status.NewBadRequest(fmt.Sprintf("the spec replicas field %q cannot be empty", "."+
			strings.Join(path, ".")))
	case t.Custom == nil && replicas < 0: // of custom resources the object is checked
		return nil, status.NewInvalid(status.GroupKind{Group: "autoscaling", Kind: "Scale"}, object.Name(obj),
			field.ErrorList{
				field.Invalid("spec.replicas", replicas, "must be greater than or equal to 0")})
	}
	object.SetNested(obj, replicas, path...)
	meta := object.Meta(obj)
	for _, name := range []string{"uid", "resourceVersion"} {
		if value := object.GetString(scale, "metadata", name); value != "" {
			meta[name] = value
		}
	}
	return obj, nil
}
