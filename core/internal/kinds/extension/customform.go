package extension

import (
	"context"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Restore converts a stored custom object to a version: it drops fields that the schema it was
// stored with does not know any more, sets the current defaults, and then converts it to the
// version of t. The error is that of its webhook.
func Restore(ctx context.Context, obj map[string]any, t *schema.Resource) error {
	if from := t.Form(object.APIVersion(obj)); from != nil {
		structural.Prune(obj, from.Custom.Schema)
		structural.Default(obj, from.Custom.Schema)
	}
	return ConvertCustom(ctx, obj, t)
}

// ConvertCustom converts a custom object to another version, by the definition's webhook if it has one. Fields
// that the version does not know are dropped. Defaults are not set: a conversion has to.
func ConvertCustom(ctx context.Context, obj map[string]any, to *schema.Resource) error {
	if object.APIVersion(obj) == to.APIVersion() {
		return nil
	}
	err := ConvertUnpruned(ctx, obj, to)
	if err == nil {
		structural.Prune(obj, to.Custom.Schema)
	}
	return err
}

// ConvertUnpruned is ConvertCustom without dropping anything.
func ConvertUnpruned(ctx context.Context, obj map[string]any, to *schema.Resource) error {
	if to.Custom.Converter == nil {
		object.SetTypeMeta(obj, to.APIVersion(), to.Kind)
		return nil
	}
	return to.Custom.Converter.Convert(ctx, obj)
}
