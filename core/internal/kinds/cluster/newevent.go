package cluster

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// NewEvent is the strategy of Events of the group events.k8s.io, which are immutable.
var NewEvent = strategy.Strategy{
	Leaf:          true,
	Updates:       []strategy.Check{strategy.CheckFirst, strategy.CheckMeta, strategy.CheckChange},
	ValidateFirst: func(obj map[string]any) field.ErrorList { return validateEvent(obj, &newEventWords) },
	Validate: func(obj map[string]any) field.ErrorList {
		errs := validateSeries(tree.Object(obj, "series"))
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
		var errs field.ErrorList
		if !object.Equal(obj["series"], old["series"]) {
			errs.Add(validateSeries(tree.Object(obj, "series"))...)
		}
		for _, name := range eventFixed {
			shown, key, zero := name, name, any("")
			if i := strings.IndexByte(name, ':'); i > 0 {
				shown, key = name[:i], name[i+1:]
			}
			if object.Equal(obj[key], old[key]) && (key != "related" || (obj[key] == nil) == (old[key] == nil)) {
				continue
			}
			v := obj[key]
			if v == nil {
				v = zero
			}
			switch key {
			case "regarding", "related":
				v = shape.ObjectReference.Print(tree.Object(obj, key))
				if key == "related" && obj[key] == nil {
					v = nil
				}
			case "deprecatedSource":
				v = shape.EventSource.Print(tree.Object(obj, key))
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

// validateSeries checks the series of an event.
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

// eventFixed are the immutable fields of an event, under their names in errors and, if different,
// in the object.
var eventFixed = []string{
	"involvedObject:regarding", "reason", "message:note", "source:deprecatedSource",
	"firstTimestamp:deprecatedFirstTimestamp", "lastTimestamp:deprecatedLastTimestamp",
	"count:deprecatedCount", "reason", "type", "eventTime", "action", "related",
	"reportingController", "reportingInstance",
}
