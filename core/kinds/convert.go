package kinds

import (
	"github.com/tabernetes/tabernetes/core/kinds/autoscaling"
	"github.com/tabernetes/tabernetes/core/kinds/cluster"
	"github.com/tabernetes/tabernetes/core/kinds/extension"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A form is another shape of a kind's objects than the one that is stored. Both
// functions change the object they are given, which has no part in common with
// others.
type form struct {
	toStored, fromStored func(obj map[string]any)
}

// forms are the shapes that are not the stored one, by apiVersion and kind.
var forms = map[string]form{
	"autoscaling/v1/HorizontalPodAutoscaler": {autoscaling.AutoscalerToV2, autoscaling.AutoscalerToV1},
	"events.k8s.io/v1/Event":                 {cluster.EventToCore, cluster.EventFromCore},
}

// Convert gives obj, which has the form of one row, the form of another row that
// shows the same objects. What the other cannot tell is kept in annotations, as in
// the real server.
func Convert(obj map[string]any, from, to *schema.Resource) {
	if from == to {
		return
	}
	if to.Custom != nil {
		extension.ConvertCustom(obj, to)
		return
	}
	if f, ok := forms[from.APIVersion()+"/"+from.Kind]; ok {
		f.toStored(obj)
	}
	if f, ok := forms[to.APIVersion()+"/"+to.Kind]; ok {
		f.fromStored(obj)
	}
	object.SetTypeMeta(obj, to.APIVersion(), to.Kind)
}
