package workload

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object"
)

// ControllerRevision is the strategy of ControllerRevisions.
var ControllerRevision = strategy.Strategy{
	Validate: func(obj map[string]any) field.ErrorList {
		errs := rule.NotNegative(obj, "", "revision")
		switch object.Parsed(obj["data"]).(type) {
		case map[string]any:
		case nil:
			errs.Add(field.Required("data", "data is mandatory"))
		default:
			errs.Add(field.Required("data", "data must be a valid JSON object"))
		}
		return errs
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := rule.NotNegative(obj, "", "revision")
		return append(errs, rule.Immutable(obj, old, "data")...)
	},
}
