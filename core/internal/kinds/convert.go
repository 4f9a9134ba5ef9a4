package kinds

import (
	"context"
	"maps"

	"github.com/tabernetes/tabernetes/core/internal/kinds/autoscaling"
	"github.com/tabernetes/tabernetes/core/internal/kinds/cluster"
	"github.com/tabernetes/tabernetes/core/internal/kinds/extension"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A form converts a kind's objects between the stored version and another one. Both functions
// change the object they are given, which shares nothing with others.
type form struct {
	toStored, fromStored func(obj map[string]any)
}

// forms are the versions that are not the stored one, by apiVersion and kind.
var forms = map[string]form{
	"autoscaling/v1/HorizontalPodAutoscaler": {autoscaling.AutoscalerToV2, autoscaling.AutoscalerToV1},
	"events.k8s.io/v1/Event":                 {cluster.EventToCore, cluster.EventFromCore},
}

// Convert converts obj from the version of one row to that of another row for the same objects.
// Fields that the other version lacks are kept in annotations, as in the real server.
// Only the conversion of a custom resource can fail, when its webhook does; then obj may be in either version.
// It costs an encoding and a decoding of the object.
func Convert(ctx context.Context, obj map[string]any, from, to *schema.Resource) error {
	if from == to {
		return nil
	}
	if to.Custom != nil {
		return extension.ConvertCustom(ctx, obj, to)
	}
	if f, ok := forms[from.APIVersion()+"/"+from.Kind]; ok {
		f.toStored(obj)
	}
	if f, ok := forms[to.APIVersion()+"/"+to.Kind]; ok {
		f.fromStored(obj)
	}
	// What one version always writes, another may leave out.
	whole, _, err := object.Normalize(obj, to.Type())
	if err != nil {
		return err
	}
	clear(obj)
	maps.Copy(obj, whole)
	object.SetTypeMeta(obj, to.APIVersion(), to.Kind)
	return nil
}
