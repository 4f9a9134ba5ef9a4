package device

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// opaqueConfig is the field for driver-specific parameters.
var opaqueConfig = rule.Field{Key: "opaque", Is: rule.All{rule.Required{}, rule.Fields{
	{Key: "driver", Is: driverName},
	{Key: "parameters", Is: rule.Func(validateParameters)},
}}}

// validateParameters checks the JSON parameters of a driver: an object.
func validateParameters(v any, at field.Path) field.ErrorList {
	_, isObject := object.Parsed(v).(map[string]any)
	switch {
	case v == nil:
		return field.ErrorList{field.Required(at, "")}
	case len(tree.JSON(v)) > maxText:
		return field.ErrorList{field.TooLong(at, maxText)}
	case !isObject:
		return field.ErrorList{field.Invalid(at, "<value omitted>", "must be a valid JSON object")}
	}
	return nil
}

// maxText is the maximum length of a selector's expression or a driver's parameters.
const maxText = 10 * 1024
