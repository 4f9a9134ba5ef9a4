package cluster

import (
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// userPriorities is the maximum value of a class that is not the system's.
const userPriorities = 1000000000

// PriorityClass is the strategy of PriorityClasses.
var PriorityClass = strategy.Strategy{
	Default: func(obj map[string]any) { tree.DefaultNil(obj, "preemptionPolicy", "PreemptLowerPriority") },
	Raises:  func(_, _ map[string]any) bool { return false },
	Validate: func(obj map[string]any) field.ErrorList {
		var errs field.ErrorList
		name := object.Name(obj)
		switch n, _ := tree.Int(obj, "value"); {
		case strings.HasPrefix(name, "system-"):
			if wrong := notSystem(name, n, tree.Bool(obj, "globalDefault")); wrong != "" {
				errs.Add(field.Forbidden("metadata.name",
					"priority class names with 'system-' prefix are reserved for system use only. error: "+wrong))
			}
		case n > userPriorities:
			errs.Add(field.Forbidden("value", "maximum allowed value of a user defined priority is 1000000000"))
		}
		return append(errs, rule.RequireOneOf(obj, "", "preemptionPolicy", enum.PreemptionPolicy...)...)
	},
	Lasting: func(name string) string {
		if systemPriorities[name] == 0 {
			return ""
		}
		return "this is a system priority class and cannot be deleted"
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		if !object.Equal(obj["value"], old["value"]) {
			errs.Add(field.Forbidden("value", "may not be changed in an update."))
		}
		return append(errs, rule.Immutable(obj, old, "preemptionPolicy")...)
	},
}

// systemPriorities are the values of the system's classes, by name.
var systemPriorities = map[string]int64{"system-cluster-critical": 2000000000, "system-node-critical": 2000001000}

// notSystem returns what is wrong with a class of a reserved name; empty if it is one of the system's.
func notSystem(name string, value int64, byDefault bool) string {
	switch want := systemPriorities[name]; {
	case want == 0:
		return name + " is not a known system priority class"
	case value != want:
		return "value of " + name + " PriorityClass must be " + strconv.FormatInt(want, 10)
	case byDefault:
		return "globalDefault of " + name + " PriorityClass must be false"
	}
	return ""
}
