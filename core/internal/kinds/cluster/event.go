package cluster

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// Event is the strategy of the core group's Events, which have the validation that Events of both
// groups share.
var Event = strategy.Strategy{
	Leaf:     true,
	Validate: func(obj map[string]any) field.ErrorList { return validateEvent(obj, &oldEventWords) },
}

var (
	oldEventWords = eventWords{"involvedObject", "message", "reportingComponent", "reportingComponent"}
	newEventWords = eventWords{"regarding", "note", "reportingController", "reportingController"}
)

// eventWords are the names of fields of events in an API group.
type eventWords struct{ involved, message, controller, controllerName string }

func validateEvent(obj map[string]any, names *eventWords) field.ErrorList {
	var errs field.ErrorList
	ns, involved := object.Namespace(obj), tree.Text(tree.Object(obj, names.involved), "namespace")
	timed := obj["eventTime"] != nil
	if involved == "" && ns != "default" && (!timed || ns != "kube-system") || involved != "" && !timed && involved != ns {
		errs.Add(field.Invalid("involvedObject.namespace", involved, "does not match event.namespace"))
	}
	if timed {
		controller, at := tree.Text(obj, names.controller), field.Path(names.controllerName)
		if controller == "" {
			errs.Add(field.Required(at, ""))
		}
		errs.Add(rule.Invalid(at, controller, syntax.LabelKey(controller))...)
		for _, name := range []string{"reportingInstance", "action", "reason"} {
			if v := tree.Text(obj, name); v == "" {
				errs.Add(field.Required(field.Path(name), ""))
			} else if len(v) > 128 {
				errs.Add(field.Invalid(field.Path(name), "", "can have at most 128 characters"))
			}
		}
		if len(tree.Text(obj, names.message)) > 1024 {
			errs.Add(field.Invalid("message", "", "can have at most 1024 characters"))
		}
	}
	return append(errs, rule.Invalid("namespace", ns, syntax.Subdomain(ns))...)
}

// eventNames map fields of an events.k8s.io Event to those of a core one.
var eventNames = [][2]string{
	{"regarding", "involvedObject"}, {"note", "message"}, {"reportingController", "reportingComponent"},
	{"deprecatedSource", "source"}, {"deprecatedFirstTimestamp", "firstTimestamp"},
	{"deprecatedLastTimestamp", "lastTimestamp"}, {"deprecatedCount", "count"},
}

// EventToCore converts an events.k8s.io Event to a core one.
func EventToCore(obj map[string]any) {
	for _, names := range eventNames {
		rename(obj, names[0], names[1])
	}
}

// EventFromCore converts a core Event to an events.k8s.io one.
func EventFromCore(obj map[string]any) {
	for _, names := range eventNames {
		rename(obj, names[1], names[0])
	}
}

func rename(obj map[string]any, from, to string) {
	if v, ok := obj[from]; ok {
		delete(obj, from)
		obj[to] = v
	}
}
