// Package cluster has the strategies of namespaces, nodes, runtime and priority classes, leases and
// events.
package cluster

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Namespace is the strategy of Namespaces.
var Namespace = strategy.Strategy{
	Default: labelNamespace,
	PrepareCreate: func(_ *strategy.Context, obj map[string]any) {
		spec := tree.Make(obj, "spec")
		if !slices.Contains(tree.Texts(spec, "finalizers"), "kubernetes") {
			spec["finalizers"] = append(tree.List(spec, "finalizers"), "kubernetes")
		}
		obj["status"] = map[string]any{"phase": "Active"}
	},
	PrepareUpdate: func(_ *strategy.Context, obj, old map[string]any) {
		// Only the finalize subresource changes the finalizers.
		tree.Keep(tree.Make(obj, "spec"), tree.Object(old, "spec"), "finalizers")
	},
	Validate: func(obj map[string]any) field.ErrorList {
		var errs field.ErrorList
		at := field.Path("spec.finalizers")
		for _, f := range tree.Texts(tree.Object(obj, "spec"), "finalizers") {
			errs.Add(namespaceFinalizer(f, at)...)
		}
		return errs
	},
	ValidateUpdate: strategy.Unchecked,
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		phase, want, when := tree.Text(tree.Object(obj, "status"), "phase"), "Active", "empty"
		if object.Meta(obj)["deletionTimestamp"] != nil {
			want, when = "Terminating", "not empty"
		}
		if phase == want {
			return nil
		}
		return field.ErrorList{field.Invalid("status.Phase", phase, "may only be '"+want+"' if `deletionTimestamp` is "+when)}
	},
	Subresources: map[string]func(c *strategy.Context, obj, old map[string]any) field.ErrorList{
		"finalize": finalizeNamespace,
	},
}

func labelNamespace(obj map[string]any) {
	// A generated name does not exist yet when the manifest is read.
	if name := object.Name(obj); name != "" {
		tree.Make(object.Meta(obj), "labels")[namespaceLabel] = name
	}
}

// namespaceLabel is the label with a namespace's own name, for selectors.
const namespaceLabel = "kubernetes.io/metadata.name"

// finalizeNamespace is the update of the finalize subresource, which changes the finalizers of the
// spec and nothing else but metadata.
func finalizeNamespace(_ *strategy.Context, obj, old map[string]any) field.ErrorList {
	tree.Keep(obj, old, "status")
	tree.Keep(object.Meta(obj), object.Meta(old), "generation")
	namespaces := &schema.Resource{Behaviour: schema.Behaviour{NameRule: schema.PathSegment}}
	metadata.Carry(obj, old)
	errs := append(metadata.AnyUpdate(namespaces, obj, old), metadata.ValidateUpdate(obj, old)...)
	for i, f := range tree.Texts(tree.Object(obj, "spec"), "finalizers") {
		errs.Add(namespaceFinalizer(f, field.Path("spec.finalizers").Index(i))...)
	}
	return errs
}

func namespaceFinalizer(f string, at field.Path) field.ErrorList {
	errs := metadata.ValidateFinalizers([]string{f}, at)
	if !metadata.StandardFinalizer(f) {
		errs.Add(field.Invalid(at, f, metadata.UnqualifiedFinalizer))
	}
	return errs
}
