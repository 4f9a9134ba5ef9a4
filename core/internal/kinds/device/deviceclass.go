package device

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// DeviceClass is the strategy of DeviceClasses.
var DeviceClass = strategy.Strategy{
	Validate: func(obj map[string]any) field.ErrorList { return deviceClass.Check(obj, "") },
	// Its metadata is validated again as for a new object.
}

var deviceClass = rule.Fields{
	{Key: "spec", Is: rule.Fields{
		selectors,
		{Key: "config", Is: rule.All{rule.MaxItems(32), rule.Each{Is: rule.Fields{opaqueConfig}}}},
		{Key: "extendedResourceName", Is: rule.All{rule.IfSet{}, rule.Func(func(v any, at field.Path) field.ErrorList {
			name, _ := v.(string)
			if !valid.IsExtended(name) {
				return field.ErrorList{field.Invalid(at, name, "must be a valid extended resource name")}
			}
			return nil
		})}},
	}},
}
