package kinds

import (
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
	"autoscaling/v1/HorizontalPodAutoscaler": {autoscalerToV2, autoscalerToV1},
	"events.k8s.io/v1/Event":                 {renamed(eventNames, false), renamed(eventNames, true)},
}

// Convert gives obj, which has the form of one row, the form of another row that
// shows the same objects. What the other cannot tell is kept in annotations, as in
// the real server.
func Convert(obj map[string]any, from, to *schema.Resource) {
	if from == to {
		return
	}
	if to.Custom != nil {
		convertCustom(obj, to)
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

// eventNames are the fields of an events.k8s.io Event and those of a core one.
var eventNames = [][2]string{
	{"regarding", "involvedObject"}, {"note", "message"}, {"reportingController", "reportingComponent"},
	{"deprecatedSource", "source"}, {"deprecatedFirstTimestamp", "firstTimestamp"},
	{"deprecatedLastTimestamp", "lastTimestamp"}, {"deprecatedCount", "count"},
}

// renamed moves fields to their other names, or back.
func renamed(names [][2]string, back bool) func(map[string]any) {
	return func(obj map[string]any) {
		for _, pair := range names {
			from, to := pair[0], pair[1]
			if back {
				from, to = to, from
			}
			if v, ok := obj[from]; ok {
				delete(obj, from)
				obj[to] = v
			}
		}
	}
}
