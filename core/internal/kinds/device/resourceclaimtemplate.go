package device

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// ResourceClaimTemplate is the strategy of ResourceClaimTemplates.
var ResourceClaimTemplate = strategy.Strategy{
	Default: func(obj map[string]any) { defaultRequests(tree.At(obj, "spec.spec")) },
	Authorize: func(c *strategy.Context, obj, _ map[string]any) field.ErrorList {
		return requestsAdmin(c, obj, tree.At(obj, "spec.spec"))
	},
	Updates:  []strategy.Check{strategy.CheckNew, strategy.CheckMeta, strategy.CheckChange},
	Validate: validateClaimTemplate,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		if !object.Equal(obj["spec"], old["spec"]) {
			errs.Add(field.Invalid("spec", shape.ResourceClaimTemplateSpec.Print(tree.Object(obj, "spec")), rule.FieldImmutable))
		}
		return errs
	},
}

func validateClaimTemplate(obj map[string]any) field.ErrorList {
	meta, at := tree.At(obj, "spec.metadata"), field.Path("spec.metadata")
	errs := metadata.ValidateAnnotations(tree.Object(meta, "annotations"), at.Child("annotations"))
	errs.Add(metadata.ValidateLabels(tree.Object(meta, "labels"), at.Child("labels"))...)
	for _, name := range []string{
		"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp",
		"deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences", "finalizers", "managedFields",
	} {
		if v := meta[name]; v != nil && v != "" && (v != int64(0) || name != "generation") {
			errs.Add(field.Forbidden(at.Child(strings.Replace(name, "uid", "uID", 1)), "cannot be set"))
		}
	}
	return append(errs, claimSpec.Check(tree.At(obj, "spec.spec"), "spec.spec")...)
}
