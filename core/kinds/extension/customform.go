package extension

import (
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/structural"
)

// Restore converts a stored custom object to a version: it drops fields that the schema it was
// stored with does not know any more, sets the current defaults, and then converts it to the
// version of t.
func Restore(obj map[string]any, t *schema.Resource) {
	if from := t.Form(object.APIVersion(obj)); from != nil {
		structural.Prune(obj, from.Custom.Schema)
		structural.Default(obj, from.Custom.Schema)
	}
	ConvertCustom(obj, t)
}

// ConvertCustom converts a custom object to another version. Fields that it does not know are
// dropped.
func ConvertCustom(obj map[string]any, to *schema.Resource) {
	if object.APIVersion(obj) != to.APIVersion() {
		object.SetTypeMeta(obj, to.APIVersion(), to.Kind)
		structural.Prune(obj, to.Custom.Schema)
	}
}
