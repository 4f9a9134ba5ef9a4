package pod

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// PodTemplate is the strategy of PodTemplates.
var PodTemplate = strategy.Strategy{
	Default: func(obj map[string]any) { DefaultTemplate(tree.Make(obj, "template")) },
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		DropDisabledFields(tree.At(obj, "template.spec"))
		WarnTemplate(c, tree.Object(obj, "template"), "template")
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		DropDisabledFields(tree.At(obj, "template.spec"))
		if !object.Equal(obj["template"], old["template"]) {
			WarnTemplate(c, tree.Object(obj, "template"), "template")
		}
	},
	Validate: func(obj map[string]any) field.ErrorList {
		return ValidateTemplate(tree.Object(obj, "template"), "template")
	},
}
