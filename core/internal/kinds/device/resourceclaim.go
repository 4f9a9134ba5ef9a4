// Package device has the strategies of the group resource.k8s.io: claims of devices, their
// classes, and the slices in which drivers offer devices.
package device

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// ResourceClaim is the strategy of ResourceClaims.
var ResourceClaim = strategy.Strategy{
	Default:       func(obj map[string]any) { defaultRequests(tree.Object(obj, "spec")) },
	PrepareStatus: dropDevices,
	Authorize: func(c *strategy.Context, obj, old map[string]any) field.ErrorList {
		if old == nil {
			return requestsAdmin(c, obj, tree.Object(obj, "spec"))
		}
		results := func(obj map[string]any) []map[string]any {
			return tree.Objects(tree.At(obj, "status.allocation.devices"), "results")
		}
		var errs field.ErrorList
		if !slices.ContainsFunc(results(old), forAdmin) {
			errs = mayAdmin(c, obj, "status.allocation.devices.results", slices.IndexFunc(results(obj), forAdmin))
		}
		return append(errs, mayChangeStatus(c, obj, old)...)
	},
	Validate: func(obj map[string]any) field.ErrorList { return claimSpec.Check(tree.Object(obj, "spec"), "spec") },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		if object.Equal(obj["spec"], old["spec"]) {
			return nil
		}
		return field.ErrorList{field.Invalid("spec", shape.ResourceClaimSpec.Print(tree.Object(obj, "spec")),
			rule.FieldImmutable)}
	},
	ValidateStatus: validateClaimStatus,
}

// defaultRequests sets the number of devices of a request to its default: one.
func defaultRequests(spec map[string]any) {
	for _, request := range tree.Objects(tree.Object(spec, "devices"), "requests") {
		choices := tree.Objects(request, "firstAvailable")
		if exactly := tree.Object(request, "exactly"); exactly != nil {
			choices = append(choices, exactly)
		}
		for _, choice := range choices {
			tree.Default(choice, "allocationMode", "ExactCount")
			if n, _ := tree.Int(choice, "count"); n == 0 && tree.Text(choice, "allocationMode") == "ExactCount" {
				choice["count"] = int64(1)
			}
			for _, toleration := range tree.Objects(choice, "tolerations") {
				tree.Default(toleration, "operator", "Equal")
			}
		}
	}
}

// claimSpec is the rule for the spec of a claim.
var claimSpec = rule.Fields{
	{Key: "devices", Is: rule.Fields{
		{Key: "requests", Is: rule.All{rule.MaxItems(32), rule.Each{Is: rule.Fields{
			{Key: "name", Is: rule.Form(syntax.Label)},
			{Is: rule.Object(validateDeviceRequest)},
		}}, rule.UniqueKey("name")}},
		{Key: "constraints", Is: rule.All{rule.MaxItems(32), rule.Each{Is: rule.Fields{
			requestNames,
			{Is: rule.Func(validateConstraint)},
		}}}},
		{Key: "config", Is: rule.All{rule.MaxItems(32), rule.Each{Is: rule.Fields{
			requestNames,
			opaqueConfig,
		}}}},
	}},
}

var requestNames = rule.Field{Key: "requests", Is: rule.All{
	rule.MaxItems(32),
	rule.Each{Is: rule.Compare(requestName)},
	rule.UniqueKey(""),
}}

const noRequest = "must be the name of a request in the claim " +
	"or the name of a request and a subrequest separated by '/'"

// requestName checks the name of a request of a claim, or of a subrequest after a slash.
func requestName(spec map[string]any, v any, at field.Path) field.ErrorList {
	name, _ := v.(string)
	parts := strings.Split(name, "/")
	if len(parts) > 2 {
		return field.ErrorList{field.Invalid(at, name, noRequest)}
	}
	var errs field.ErrorList
	for _, part := range parts {
		errs.Add(rule.Invalid(at, part, syntax.Label(part))...)
	}
	named := func(name string) func(map[string]any) bool {
		return func(m map[string]any) bool { return tree.Text(m, "name") == name }
	}
	// Of several with the same name, the last one counts.
	requests := tree.List(tree.Object(spec, "devices"), "requests")
	i := len(requests) - 1
	for is := named(parts[0]); i >= 0 && !is(tree.Map(requests[i])); {
		i--
	}
	if i < 0 || len(parts) > 1 &&
		!slices.ContainsFunc(tree.Objects(tree.Map(requests[i]), "firstAvailable"), named(parts[1])) {
		errs.Add(field.Invalid(at, name, noRequest))
	}
	return errs
}

func validateDeviceRequest(request map[string]any, at field.Path) field.ErrorList {
	const oneOfBoth = "exactly one of `exactly` or `firstAvailable` is required"
	choices, exactly := tree.List(request, "firstAvailable"), tree.Object(request, "exactly")
	switch {
	case exactly == nil && len(choices) == 0:
		return field.ErrorList{field.Required(at, oneOfBoth)}
	case exactly == nil:
		return firstAvailable.Check(request, at)
	case len(choices) == 0:
		return exactRequest.Check(exactly, at.Child("exactly"))
	}
	return field.ErrorList{field.Invalid(at, nil, oneOfBoth+", but multiple fields are set")}
}

var (
	firstAvailable = rule.Fields{
		{Key: "firstAvailable", Is: rule.All{rule.MaxItems(8), rule.Each{Is: rule.Fields{
			{Key: "name", Is: rule.Form(syntax.Label)},
			{Is: exactRequest},
		}}, rule.UniqueKey("name")}},
	}
	exactRequest = rule.Fields{
		{Key: "deviceClassName", Is: rule.All{rule.Required{}, rule.Form(syntax.Subdomain)}},
		selectors,
		{Is: rule.Object(func(m map[string]any, at field.Path) field.ErrorList {
			n, _ := tree.Int(m, "count")
			switch mode := tree.Text(m, "allocationMode"); {
			case mode == "All" && n != 0:
				return field.ErrorList{field.Invalid(at.Child("count"), n, "must not be specified when allocationMode is 'All'")}
			case mode == "ExactCount" && n <= 0:
				return field.ErrorList{field.Invalid(at.Child("count"), n, "must be greater than zero")}
			case mode != "All" && mode != "ExactCount":
				return field.ErrorList{field.NotSupported(at.Child("allocationMode"), mode, "All", "ExactCount")}
			}
			return nil
		})},
		{Key: "tolerations", Is: rule.Each{Is: rule.Fields{
			{Key: "key", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.LabelKey)}},
			{Is: rule.Object(func(m map[string]any, at field.Path) field.ErrorList {
				value := tree.Text(m, "value")
				switch tree.Text(m, "operator") {
				case "Exists":
					if value == "" {
						return nil
					}
					return field.ErrorList{field.Invalid(at.Child("value"), value, "must be empty for operator `Exists`")}
				case "Equal":
					return rule.Check(value, at.Child("value"), rule.Form(syntax.LabelValue))
				}
				return rule.RequireOneOf(m, at, "operator", "Equal", "Exists")
			})},
			{Key: "effect", Is: rule.All{rule.IfNotEmpty{}, rule.Enum(enum.DeviceTaintEffect)}},
		}}},
	}
)

func validateConstraint(v any, at field.Path) field.ErrorList {
	for _, key := range []string{"matchAttribute", "distinctAttribute"} {
		if v := tree.Map(v)[key]; v != nil {
			name, _ := v.(string)
			errs := qualifiedName(name, at.Child(key))
			if !strings.Contains(name, "/") {
				errs.Add(field.Invalid(at.Child(key), name,
					"a fully qualified name must be a domain and a name separated by a slash"))
			}
			return errs
		}
	}
	return field.ErrorList{field.Required(at,
		`exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set`)}
}

// dropDevices removes the status of devices that are no longer allocated.
func dropDevices(_ *strategy.Context, obj, old map[string]any) {
	now, before := allocatedDevices(tree.Object(obj, "status")), allocatedDevices(tree.Object(old, "status"))
	status := tree.Object(obj, "status")
	kept := slices.DeleteFunc(tree.List(status, "devices"), func(v any) bool {
		id := deviceID(tree.Map(v))
		return slices.Contains(before, id) && !slices.Contains(now, id)
	})
	if len(kept) > 0 {
		status["devices"] = kept
	} else {
		delete(status, "devices")
	}
}
