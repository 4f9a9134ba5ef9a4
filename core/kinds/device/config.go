package device

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
)

var deviceConfig = rule.Fields{
	{Key: "opaque", Is: rule.All{rule.Required{}, rule.Fields{
		{Key: "driver", Is: driverName},
		{Key: "parameters", Is: rule.Func(deviceObject)},
	}}},
}

// deviceObject checks JSON of a driver: an object.
func deviceObject(v any, at field.Path) field.ErrorList {
	_, isObject := v.(map[string]any)
	switch {
	case v == nil:
		return field.ErrorList{field.Required(at, "")}
	case len(tree.JsonText(v)) > maxDeviceText:
		return field.ErrorList{field.TooLong(at, maxDeviceText)}
	case !isObject:
		return field.ErrorList{field.Invalid(at, "<value omitted>", "must be a valid JSON object")}
	}
	return nil
}

// maxDeviceText is how long the expression of a selector, or the parameters of a
// driver, may be.
const maxDeviceText = 10 * 1024
