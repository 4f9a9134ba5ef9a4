package cluster

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// EventNames are the fields of an events.k8s.io Event and those of a core one.
var EventNames = [][2]string{
	{"regarding", "involvedObject"}, {"note", "message"}, {"reportingController", "reportingComponent"},
	{"deprecatedSource", "source"}, {"deprecatedFirstTimestamp", "firstTimestamp"},
	{"deprecatedLastTimestamp", "lastTimestamp"}, {"deprecatedCount", "count"},
}

// Renamed moves fields to their other names, or back.
func Renamed(names [][2]string, back bool) func(map[string]any) {
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

// An event is looked at by the rules that all events have, in whatever group it is,
// and no more in the old one.
var Event = strategy.Strategy{
	Leaf:           true,
	Validate:       func(obj map[string]any) field.ErrorList { return validateEvent(obj, &oldEventWords) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateEvent(obj, &oldEventWords) },
}

// eventWords are what fields of events are called in an API group.
type eventWords struct{ involved, message, controller, controllerName string }

var (
	oldEventWords = eventWords{"involvedObject", "message", "reportingComponent", "reportingComponent"}
	newEventWords = eventWords{"regarding", "note", "reportingController", "reportingController"}
)

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

// events.k8s.io

// NewEvent holds the rules of the newer group, whose objects are what happened
// and so do not change.
var NewEvent = strategy.Strategy{
	Leaf: true,
	Validate: func(obj map[string]any) field.ErrorList {
		errs := append(validateEvent(obj, &newEventWords), validateSeries(tree.Object(obj, "series"))...)
		if obj["eventTime"] == nil {
			errs.Add(field.Required("eventTime", ""))
		}
		if t := tree.Text(obj, "type"); t != "Normal" && t != "Warning" {
			errs.Add(field.Invalid("type", "", "has invalid value: "+t))
		}
		for _, name := range []string{"firstTimestamp", "lastTimestamp", "count", "source"} {
			old := obj["deprecated"+strings.ToUpper(name[:1])+name[1:]]
			if old != nil && !tree.Empty(old) && old != int64(0) {
				errs.Add(field.Invalid(field.Path(name), "", "needs to be unset"))
			}
		}
		return errs
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := validateEvent(obj, &newEventWords)
		if !object.Equal(obj["series"], old["series"]) {
			errs.Add(validateSeries(tree.Object(obj, "series"))...)
		}
		for _, name := range eventFixed {
			shown, key, zero := name, name, any("")
			if i := strings.IndexByte(name, ':'); i > 0 {
				shown, key = name[:i], name[i+1:]
			}
			if object.Equal(obj[key], old[key]) {
				continue
			}
			v := obj[key]
			if v == nil {
				v = zero
			}
			switch key {
			case "regarding", "related":
				v = tree.GoStruct(tree.Object(obj, key), `Kind=""`, `Namespace=""`, `Name=""`, `UID:uid=""`, `APIVersion:apiVersion=""`, `ResourceVersion=""`, `FieldPath=""`)
				if key == "related" && obj[key] == nil {
					v = nil
				}
			case "deprecatedSource":
				v = tree.GoStruct(tree.Object(obj, key), `Component=""`, `Host=""`)
			case "deprecatedFirstTimestamp", "deprecatedLastTimestamp", "eventTime":
				v = obj[key]
			case "deprecatedCount":
				n, _ := tree.Int(obj, key)
				v = n
			}
			errs.Add(field.Invalid(field.Path(shown), v, rule.FieldImmutable))
		}
		return errs
	},
}

// eventFixed are the fields of an event that do not change, under the names that
// they have in errors and, where that is another, in the object.
var eventFixed = strings.Fields(`involvedObject:regarding reason message:note source:deprecatedSource firstTimestamp:deprecatedFirstTimestamp
	lastTimestamp:deprecatedLastTimestamp count:deprecatedCount reason type eventTime action related reportingController reportingInstance`)

// validateSeries checks how often an event was seen.
func validateSeries(series map[string]any) field.ErrorList {
	var errs field.ErrorList
	if series == nil {
		return nil
	}
	if n, _ := tree.Int(series, "count"); n < 2 {
		errs.Add(field.Invalid("series.count", "", "should be at least 2"))
	}
	return append(errs, rule.RequireTexts(series, "series", "lastObservedTime")...)
}
