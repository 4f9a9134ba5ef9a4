package device

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

var sliceDevice = rule.Fields{
	{Key: "name", Is: rule.Form(syntax.Label)},
	{Is: rule.Object(func(device map[string]any, at field.Path) field.ErrorList {
		attributes, capacity := tree.Object(device, "attributes"), tree.Object(device, "capacity")
		var errs field.ErrorList
		if n := len(attributes) + len(capacity); n > 32 {
			errs.Add(field.Invalid(at, n, "the total number of attributes and capacities must not exceed 32"))
		}
		if n := len(attributes); n > 48 {
			errs.Add(field.Invalid(at, n, "the total number of attribute values must not exceed 48"))
		}
		errs.Add(named(attributes, at.Child("attributes"), validateAttribute)...)
		return append(errs, named(capacity, at.Child("capacity"), func(m map[string]any, at field.Path) field.ErrorList {
			at = at.Child("requestPolicy")
			if policy := tree.Object(m, "requestPolicy"); policy != nil {
				if !tree.Bool(device, "allowMultipleAllocations") {
					return field.ErrorList{field.Forbidden(at, "allowMultipleAllocations must be true")}
				}
				return validateRequestPolicy(m["value"], policy, at)
			}
			return nil
		})...)
	})},
	{Key: "taints", Is: rule.All{rule.MaxItems(16), rule.Each{Is: rule.Fields{
		{Key: "key", Is: rule.Form(syntax.LabelKey)},
		{Key: "value", Is: rule.Form(syntax.LabelValue)},
		{Key: "effect", Is: rule.All{rule.Required{}, rule.Enum(enum.DeviceTaintEffect)}},
	}}}},
	{Key: "consumesCounters", Is: rule.All{rule.MaxItems(2), rule.Each{Is: rule.Fields{
		{Key: "counterSet", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
		{Is: rule.Func(validateCounters)},
	}}, rule.UniqueKey("counterSet")}},
	{Is: rule.Compare(func(spec map[string]any, v any, at field.Path) field.ErrorList {
		const nodes = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` " +
			"is set to true in the ResourceSlice spec"
		device := tree.Map(v)
		if !tree.Bool(spec, "perDeviceNodeSelection") {
			if device["nodeName"] != nil || device["nodeSelector"] != nil || device["allNodes"] != nil {
				return field.ErrorList{field.Invalid(at, nil,
					"`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the "+
						"ResourceSlice spec")}
			}
			return nil
		}
		errs, given := onNodes(device, at, "must not be empty", "nodeName", "nodeSelector", "allNodes")
		switch len(given) {
		case 0:
			errs.Add(field.Required(at, nodes))
		case 1:
		default:
			errs.Add(field.Invalid(at, "{"+strings.Join(given, ", ")+"}", nodes))
		}
		return errs
	})},
	{Is: bindingConditions},
}

// named checks the entries of a map and their names. Long names are shortened in the violations of
// the entries.
func named(m map[string]any, at field.Path, check rule.Object) field.ErrorList {
	var errs field.ErrorList
	for _, name := range tree.SortedKeys(m) {
		errs.Add(qualifiedName(name, at)...)
		shown := name
		if len(name) > 96 {
			shown = name[:47] + "..." + name[len(name)-46:]
		}
		errs.Add(check(tree.Object(m, name), at.Key(shown))...)
	}
	return errs
}

func validateAttribute(m map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	const maxValue = 64
	n := 0
	for _, key := range []string{"bool", "int", "string", "version"} {
		if m[key] == nil {
			continue
		}
		n++
		text := tree.Text(m, key)
		if key == "version" && !semanticVersion(text) {
			errs.Add(field.Invalid(at.Child(key), text, "must be a string compatible with semver.org spec 2.0.0"))
		}
		if len(text) > maxValue {
			errs.Add(field.TooLong(at.Child(key), maxValue))
		}
	}
	const one = "exactly one value must be specified"
	switch n {
	case 0:
		errs.Add(field.Invalid(at, "", one))
	case 1:
	default:
		errs.Add(field.Invalid(at, shape.DeviceAttribute.Print(m), one))
	}
	return errs
}

// semanticVersion reports whether a text is a version as semver.org defines it.
func semanticVersion(text string) bool {
	text, build, built := strings.Cut(text, "+")
	text, early, before := strings.Cut(text, "-")
	const digits, all = "0123456789", "0123456789-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return strings.Count(text, ".") == 2 && versionParts(text, digits, digits) &&
		(!before || versionParts(early, all, digits)) && (!built || versionParts(build, all, ""))
}

// versionParts checks the parts of a version between dots. Numeric parts may not have leading
// zeros.
func versionParts(text, characters, numeric string) bool {
	for _, part := range strings.Split(text, ".") {
		if part == "" || strings.Trim(part, characters) != "" ||
			len(part) > 1 && part[0] == '0' && strings.Trim(part, numeric) == "" {
			return false
		}
	}
	return true
}
