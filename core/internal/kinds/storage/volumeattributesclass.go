package storage

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object"
)

// VolumeAttributesClass is the strategy of VolumeAttributesClasses.
var VolumeAttributesClass = strategy.Strategy{
	Updates:  []strategy.Check{strategy.CheckMeta, strategy.CheckChange, strategy.CheckNew},
	Validate: func(obj map[string]any) field.ErrorList { return validateClass(obj, "driverName", 1) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		for _, name := range []string{"driverName", "parameters"} {
			if !object.Equal(obj[name], old[name]) {
				errs.Add(field.Forbidden(field.Path(name), "updates to "+name+" are forbidden."))
			}
		}
		return errs
	},
}
