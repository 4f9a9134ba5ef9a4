package extension

import (
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/structural"
)

// Restore makes of a custom object as it is stored what clients of a version see: in
// the version it was stored in it lacks what that does not know any more and has the
// present defaults, and then it is given the form of t.
func Restore(obj map[string]any, t *schema.Resource) {
	if from := t.Form(object.APIVersion(obj)); from != nil {
		structural.Prune(obj, from.Custom.Schema)
		structural.Default(obj, from.Custom.Schema)
	}
	ConvertCustom(obj, t)
}

// ConvertCustom gives a custom object another version. What that one does not know
// is lost.
func ConvertCustom(obj map[string]any, to *schema.Resource) {
	if object.APIVersion(obj) != to.APIVersion() {
		object.SetTypeMeta(obj, to.APIVersion(), to.Kind)
		structural.Prune(obj, to.Custom.Schema)
	}
}
