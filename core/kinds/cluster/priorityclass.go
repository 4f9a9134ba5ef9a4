package cluster

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds/enum"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// userPriorities is the maximum value of a class that is not the system's.
const userPriorities = 1000000000

// PriorityClass is the strategy of PriorityClasses.
var PriorityClass = strategy.Strategy{
	Default: func(obj map[string]any) { tree.DefaultNil(obj, "preemptionPolicy", "PreemptLowerPriority") },
	Raises:  func(_, _ map[string]any) bool { return false },
	Validate: func(obj map[string]any) field.ErrorList {
		name, value := object.Name(obj), obj["value"]
		if n, _ := tree.Int(obj, "value"); n > userPriorities && valid.SystemPriority[name] != n {
			return field.ErrorList{field.Forbidden("value", "maximum allowed value of a user defined priority is 1000000000")}
		}
		if want, reserved := valid.SystemPriority[name]; reserved && value != want {
			return field.ErrorList{field.Forbidden("metadata.name",
				"priority class names with 'system-' prefix are reserved for system use only")}
		}
		return rule.RequireOneOf(obj, "", "preemptionPolicy", enum.PreemptionPolicy...)
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		if !object.Equal(obj["value"], old["value"]) {
			errs.Add(field.Forbidden("value", "may not be changed in an update."))
		}
		return append(errs, rule.Immutable(obj, old, "preemptionPolicy")...)
	},
}
