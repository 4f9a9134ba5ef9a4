package device

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// ResourceSlice is the strategy of ResourceSlices, which list the devices of nodes.
var ResourceSlice = strategy.Strategy{
	PrepareCreate: func(c *strategy.Context, obj map[string]any) { prepareSlice(c, obj, nil) },
	PrepareUpdate: prepareSlice,
	Raises:        func(_, _ map[string]any) bool { return false },
	Validate:      func(obj map[string]any) field.ErrorList { return validateSlice(tree.Object(obj, "spec"), nil) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return validateSlice(tree.Object(obj, "spec"), tree.Object(old, "spec"))
	},
}

// prepareSlice sets the times of taints, and drops fields of disabled features; before that, they count as a change of
// the old slice.
func prepareSlice(c *strategy.Context, obj, old map[string]any) {
	spec := tree.Object(obj, "spec")
	if driver := tree.Text(spec, "driver"); driver != strings.ToLower(driver) {
		c.Warn(fmt.Sprintf("spec.driver: driver names should be lowercase; %q contains uppercase characters", driver))
	}
	for _, device := range tree.Objects(spec, "devices") {
		for _, taint := range tree.Objects(device, "taints") {
			tree.Default(taint, "timeAdded", c.Timestamp())
		}
	}
	if old != nil {
		strategy.Raise(obj, old)
	}
	for _, device := range tree.Objects(spec, "devices") {
		delete(device, "nodeAllocatableResourceMappings")
		for _, attribute := range tree.Object(device, "attributes") {
			for _, list := range []string{"bools", "ints", "strings", "versions"} {
				delete(tree.Map(attribute), list)
			}
		}
	}
}

func validateSlice(spec, was map[string]any) field.ErrorList {
	errs := slicePool.Check(spec, "spec")
	if was != nil {
		if name := tree.At(spec, "pool")["name"]; name != tree.At(was, "pool")["name"] {
			errs.Add(field.Invalid("spec.pool.name", name, rule.FieldImmutable))
		}
		errs.Add(valid.ImmutableSpec(spec, was, "driver", "nodeName")...)
	}
	return append(errs, sliceDevices.Check(spec, "spec")...)
}

// slicePool is checked before the immutable fields.
var slicePool = rule.Fields{
	{Key: "driver", Is: driverName},
	{Key: "pool", Is: rule.Fields{
		{Key: "name", Is: rule.Func(poolName)},
		{Key: "resourceSliceCount", Is: rule.AtLeast{Min: 1, Detail: "must be greater than zero"}},
		{Key: "generation", Is: rule.AtLeast{Min: 0, Detail: "must be greater than or equal to zero"}},
	}},
}

// sliceDevices is checked after them.
var sliceDevices = rule.Fields{
	{Is: rule.Object(func(spec map[string]any, at field.Path) field.ErrorList {
		const nodes = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
		errs, given := onNodes(spec, at, "must be either unset or set to a non-empty string", "nodeName", "nodeSelector",
			"allNodes", "perDeviceNodeSelection")
		switch len(given) {
		case 0:
			errs.Add(field.Required(at, nodes))
		case 1:
		default:
			errs.Add(field.Invalid(at, "{"+strings.Join(given, ", ")+"}", nodes+", but multiple fields are set"))
		}
		if spec["sharedCounters"] != nil && spec["devices"] != nil {
			errs.Add(field.Invalid(at, "", "only one of `sharedCounters` or `devices` is allowed"))
		}
		most := rule.MaxItems(128)
		for _, device := range tree.Objects(spec, "devices") {
			if len(tree.List(device, "taints"))+len(tree.List(device, "consumesCounters")) > 0 {
				most = 64
			}
		}
		return append(errs,
			rule.CheckIn(spec, spec["devices"], at.Child("devices"),
				rule.All{most, rule.Each{Is: sliceDevice}, rule.UniqueKey("name")})...)
	})},
	{Key: "sharedCounters", Is: rule.All{rule.MaxItems(8), rule.Each{Is: rule.Fields{
		{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
		{Is: rule.Func(validateCounters)},
	}}, rule.UniqueKey("name")}},
}

// onNodes checks the fields that assign something to nodes. It also returns those that are set.
func onNodes(m map[string]any, at field.Path, empty string, keys ...string) (errs field.ErrorList, given []string) {
	for _, key := range keys {
		switch v, at := m[key], at.Child(key); v := v.(type) {
		case nil:
			continue
		case string:
			if v == "" {
				errs.Add(field.Invalid(at, v, empty))
				continue
			}
			errs.Add(rule.Invalid(at, v, syntax.Subdomain(v))...)
		case map[string]any:
			errs.Add(valid.NodeSelector(v, at)...)
			// Only for a slice as a whole is it this simple.
			if terms := tree.List(v, "nodeSelectorTerms"); len(keys) == 4 && len(terms) != 1 {
				var shown any
				if terms != nil {
					shown = shape.NodeSelectorTerm.PrintList(terms)
				}
				errs.Add(field.Invalid(at.Child("nodeSelectorTerms"), shown, "must have exactly one node selector term"))
			}
		case bool:
			if !v {
				errs.Add(field.Invalid(at, v, "must be either unset or set to true"))
				continue
			}
		}
		given = append(given, "`"+key+"`")
	}
	return errs, given
}

// validateCounters checks the counters of a set, or those that a device takes from one.
func validateCounters(v any, at field.Path) field.ErrorList {
	at, counters := at.Child("counters"), tree.Object(tree.Map(v), "counters")
	switch n := len(counters); {
	case n == 0:
		return field.ErrorList{field.Required(at, "")}
	case n > 32:
		return field.ErrorList{field.TooMany(at, n, 32)}
	}
	var errs field.ErrorList
	for _, name := range tree.SortedKeys(counters) {
		errs.Add(rule.Invalid(at, name, syntax.Label(name))...)
	}
	return errs
}
