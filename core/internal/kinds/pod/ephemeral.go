package pod

import (
	"fmt"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// mirrorPod is the annotation of a static pod, which its node has created from a file.
const mirrorPod = "kubernetes.io/config.mirror"

// updateEphemeral is the update of pods/ephemeralcontainers: ephemeral containers may be added to a
// pod, and neither changed nor removed. All other changes are dropped.
func updateEphemeral(_ *strategy.Context, obj, old map[string]any) field.ErrorList {
	spec := object.DeepCopy(tree.Make(old, "spec"))
	tree.Keep(spec, tree.Object(obj, "spec"), "ephemeralContainers")
	errs := replacePodSpec(obj, old, spec)
	if object.GetString(old, "metadata", "annotations", mirrorPod) != "" {
		return field.ErrorList{field.Forbidden("", "static pods do not support ephemeral containers")}
	}
	at := field.Path("spec.ephemeralContainers")
	present := tree.ByName(tree.Objects(spec, "ephemeralContainers"))
	for _, was := range tree.Objects(tree.Object(old, "spec"), "ephemeralContainers") {
		name := tree.Text(was, "name")
		switch now := present[name]; {
		case now == nil:
			errs.Add(field.Forbidden(at, fmt.Sprintf("existing ephemeral containers %q may not be removed\n", name)))
		case !object.Equal(now, was):
			errs.Add(field.Forbidden(at, fmt.Sprintf(
				"existing ephemeral containers %q may not be changed\n%s", name, shape.EphemeralContainer.Diff(was, now))))
		}
	}
	return errs
}

// replacePodSpec makes obj the old pod with another spec, for subresources that change a part of
// it, and returns its violations.
func replacePodSpec(obj, old, spec map[string]any) field.ErrorList {
	obj["spec"] = spec
	tree.Keep(obj, old, "status")
	meta, was := object.Meta(obj), object.Meta(old)
	strategy.KeepMeta(meta, was)
	metadata.Carry(obj, old)
	if !object.Equal(spec, old["spec"]) {
		meta["generation"] = object.Generation(old) + 1
	}
	errs := metadata.ValidateUpdate(obj, old)
	errs.Add(metadata.ValidateUpdate(obj, old)...)
	return append(errs, validatePod(obj)...)
}
