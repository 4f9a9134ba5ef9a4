package device

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

func validateClaimStatus(obj, old map[string]any) field.ErrorList {
	const at = field.Path("status")
	status, was := tree.Object(obj, "status"), tree.Object(old, "status")
	errs := claimStatus.Check(status, at)
	allocation, reserved := status["allocation"], tree.List(status, "reservedFor")
	var before rule.Seen[field.Raw]
	for i, device := range tree.Objects(status, "devices") {
		id := deviceID(device)
		if before.Again(id) {
			errs.Add(field.Duplicate(at.Child("devices").Index(i), id))
		}
	}
	switch {
	case len(reserved) == 0:
	case allocation == nil:
		errs.Add(field.Forbidden(at.Child("reservedFor"), "may not be specified when `allocated` is not set"))
	case object.Meta(obj)["deletionTimestamp"] != nil && !within(reserved, tree.List(was, "reservedFor")):
		errs.Add(field.Forbidden(at.Child("reservedFor"),
			"new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"))
	}
	switch {
	case allocation == nil:
	case was["allocation"] == nil:
		errs.Add(allocationResult.CheckIn(tree.Object(obj, "spec"), tree.Map(allocation), at.Child("allocation"))...)
	case !object.Equal(allocation, was["allocation"]):
		errs.Add(field.Invalid(at.Child("allocation"), shape.AllocationResult.Print(tree.Map(allocation)),
			rule.FieldImmutable))
	}
	return errs
}

var claimStatus = rule.Fields{
	{Key: "reservedFor", Is: rule.All{rule.MaxItems(256), rule.Each{Is: rule.Fields{
		{Key: "resource", Is: rule.Required{}},
		{Key: "name", Is: rule.Required{}},
		{Key: "uid", Is: rule.Required{}},
	}}, rule.UniqueKey("uid")}},
	{Key: "devices", Is: rule.Each{Is: rule.Fields{
		{Key: "driver", Is: driverName},
		{Key: "pool", Is: rule.Func(poolName)},
		{Key: "device", Is: rule.Form(syntax.Label)},
		{Key: "shareID", Is: rule.All{rule.IfSet{}, rule.Func(uuid)}},
		{Is: rule.Compare(func(status map[string]any, v any, at field.Path) field.ErrorList {
			if id := deviceID(tree.Map(v)); !slices.Contains(allocatedDevices(status), id) {
				return field.ErrorList{field.Invalid(at, id, "must be an allocated device in the claim")}
			}
			return nil
		})},
		{Key: "conditions", Is: rule.Func(func(v any, at field.Path) field.ErrorList {
			var errs field.ErrorList
			l, _ := v.([]any)
			if len(l) > 8 {
				errs.Add(field.TooMany(at, len(l), 8))
			}
			return append(errs, valid.Conditions(l, at, valid.ConditionRules)...)
		})},
		{Key: "data", Is: rule.All{rule.IfSet{}, rule.Func(validateParameters)}},
		{Key: "networkData", Is: rule.Fields{
			{Key: "interfaceName", Is: rule.MaxBytes(256)},
			{Key: "hardwareAddress", Is: rule.MaxBytes(128)},
			{Key: "ips", Is: rule.All{rule.MaxItems(16), rule.Each{Is: rule.Func(interfaceAddress)}, rule.UniqueKey("")}},
		}},
	}}},
}

var allocationResult = rule.Fields{
	{Key: "devices", Is: rule.Fields{
		{Key: "results", Is: rule.All{rule.MaxItems(32), rule.Each{Is: rule.Fields{
			{Key: "request", Is: rule.Compare(requestName)},
			{Key: "driver", Is: driverName},
			{Key: "pool", Is: rule.Func(poolName)},
			{Key: "device", Is: rule.Form(syntax.Label)},
			{Is: bindingConditions},
			{Key: "shareID", Is: rule.All{rule.IfSet{}, rule.Func(uuid)}},
		}}}},
		{Key: "config", Is: rule.All{rule.MaxItems(64), rule.Each{Is: rule.Fields{
			{Key: "source", Is: rule.All{rule.Required{}, rule.Enum(enum.AllocationConfigSource)}},
			requestNames,
			opaqueConfig,
		}}}},
	}},
	{Key: "nodeSelector", Is: rule.All{rule.IfSet{}, rule.Object(valid.NodeSelector)}},
}

var bindingConditions = rule.Fields{
	{Key: "bindingConditions", Is: rule.All{rule.MaxItems(4), rule.Each{Is: rule.Form(syntax.LabelKey)}}},
	{Key: "bindingFailureConditions", Is: rule.All{rule.MaxItems(4), rule.Each{Is: rule.Form(syntax.LabelKey)}}},
	{Is: rule.Object(func(m map[string]any, at field.Path) field.ErrorList {
		good, bad := at.Child("bindingConditions"), at.Child("bindingFailureConditions")
		conditions, failures := tree.List(m, "bindingConditions"), tree.List(m, "bindingFailureConditions")
		given := map[any]bool{}
		for _, condition := range conditions {
			given[condition] = true
		}
		var again rule.Seen[any]
		errs := rule.Duplicates(conditions, "", good)
		for i, failure := range failures {
			if again.Again(failure) {
				errs.Add(field.Duplicate(bad.Index(i), failure))
			}
			if given[failure] {
				errs.Add(field.Invalid(bad.Index(i), failure, "bindingFailureConditions must not overlap with bindingConditions"))
			}
		}
		if len(conditions) == 0 && len(failures) > 0 {
			errs.Add(field.Invalid(good, m["bindingConditions"],
				"bindingConditions are required to use bindingFailureConditions"))
		}
		if len(failures) == 0 && len(conditions) > 0 {
			errs.Add(field.Invalid(bad, m["bindingFailureConditions"],
				"bindingFailureConditions are required to use bindingConditions"))
		}
		return errs
	})},
}

// deviceID returns the identity of a device as errors show it.
func deviceID(m map[string]any) field.Raw { return deviceIDShape.Print(m) }

var deviceIDShape = shape.Of(`Driver" Pool" Device" ShareID"`)

func allocatedDevices(status map[string]any) []field.Raw {
	var ids []field.Raw
	for _, result := range tree.Objects(tree.At(status, "allocation.devices"), "results") {
		ids = append(ids, deviceID(result))
	}
	return ids
}

// interfaceAddress checks an address of a network device, with the length of its
// prefix.
func interfaceAddress(v any, at field.Path) field.ErrorList {
	text, _ := v.(string)
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return field.ErrorList{field.Invalid(at, text,
			"must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)")}
	}
	if canonical := prefix.String(); canonical != text {
		return field.ErrorList{field.Invalid(at, text, fmt.Sprintf("must be in canonical form (%q)", canonical))}
	}
	return nil
}

// within reports whether a list has only values of another one.
func within(list, other []any) bool {
	known := map[string]bool{}
	for _, v := range other {
		known[object.Key(v)] = true
	}
	return !slices.ContainsFunc(list, func(v any) bool { return !known[object.Key(v)] })
}
