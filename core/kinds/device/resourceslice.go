package device

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
)

// A ResourceSlice says which devices there are, and where.
var ResourceSlice = strategy.Strategy{
	PrepareCreate: prepareSlice,
	PrepareUpdate: func(c *strategy.Context, obj, _ map[string]any) { prepareSlice(c, obj) },
	Validate:      func(obj map[string]any) field.ErrorList { return validateSlice(tree.Object(obj, "spec"), nil) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return validateSlice(tree.Object(obj, "spec"), tree.Object(old, "spec"))
	},
}

// prepareSlice says since when taints are there, and drops what is behind gates
// that are shut.
func prepareSlice(c *strategy.Context, obj map[string]any) {
	spec := tree.Object(obj, "spec")
	if driver := tree.Text(spec, "driver"); driver != strings.ToLower(driver) {
		c.Warn(fmt.Sprintf("spec.driver: driver names should be lowercase; %q contains uppercase characters", driver))
	}
	for _, device := range tree.Objects(spec, "devices") {
		delete(device, "nodeAllocatableResourceMappings")
		for _, attribute := range tree.Object(device, "attributes") {
			for _, list := range []string{"bools", "ints", "strings", "versions"} {
				delete(tree.Map(attribute), list)
			}
		}
		for _, taint := range tree.Objects(device, "taints") {
			tree.Default(taint, "timeAdded", c.Timestamp())
		}
	}
}

func validateSlice(spec, was map[string]any) field.ErrorList {
	errs := sliceRules[:2].Check(spec, "spec")
	if was != nil {
		if name := tree.At(spec, "pool")["name"]; name != tree.At(was, "pool")["name"] {
			errs.Add(field.Invalid("spec.pool.name", name, rule.FieldImmutable))
		}
		errs.Add(valid.ImmutableSpec(spec, was, "driver", "nodeName")...)
	}
	return append(errs, sliceRules[2:].Check(spec, "spec")...)
}

// sliceRules are about the spec of a slice; the first two come before what may not
// change.
var sliceRules = rule.Fields{
	{Key: "driver", Is: driverName},
	{Key: "pool", Is: rule.Fields{
		{Key: "name", Is: rule.Compare(poolName)},
		{Key: "resourceSliceCount", Is: rule.AtLeast{Min: 1, Detail: "must be greater than zero"}},
		{Key: "generation", Is: rule.AtLeast{Min: 0, Detail: "must be greater than or equal to zero"}},
	}},
	{Is: rule.Func(func(v any, at field.Path) field.ErrorList {
		const nodes = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
		spec := tree.Map(v)
		errs, given := onNodes(spec, at, "must be either unset or set to a non-empty string", "nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
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
		return append(errs, rule.CheckIn(spec, spec["devices"], at.Child("devices"), rule.All{most, rule.Each{Is: deviceRules}, rule.UniqueKey("name")})...)
	})},
	{Key: "sharedCounters", Is: rule.All{rule.MaxItems(8), rule.Each{Is: rule.Fields{
		{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
		{Is: rule.Compare(validateCounters)},
	}}, rule.UniqueKey("name")}},
}

// requirementTree is how a requirement of a selector is printed.
const requirementTree = `Key="" Operator="" Values`

// onNodes checks where something is: the fields that say so. It also names those
// that are given.
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
			// Only that of a slice as a whole is as simple as this.
			if terms := tree.List(v, "nodeSelectorTerms"); len(keys) == 4 && len(terms) != 1 {
				errs.Add(field.Invalid(at.Child("nodeSelectorTerms"), tree.GoTrees(terms, "MatchExpressions["+requirementTree+"] MatchFields["+requirementTree+"]"), "must have exactly one node selector term"))
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

var deviceRules = rule.Fields{
	{Key: "name", Is: rule.Form(syntax.Label)},
	{Is: rule.Func(func(v any, at field.Path) field.ErrorList {
		device := tree.Map(v)
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
		{Key: "effect", Is: rule.All{rule.Required{}, rule.OneOf{"NoExecute", "NoSchedule", "None"}}},
	}}}},
	{Key: "consumesCounters", Is: rule.All{rule.MaxItems(2), rule.Each{Is: rule.Fields{
		{Key: "counterSet", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
		{Is: rule.Compare(validateCounters)},
	}}, rule.UniqueKey("counterSet")}},
	{Is: rule.Compare(func(spec map[string]any, v any, at field.Path) field.ErrorList {
		const nodes = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
		device := tree.Map(v)
		if !tree.Bool(spec, "perDeviceNodeSelection") {
			if device["nodeName"] != nil || device["nodeSelector"] != nil || device["allNodes"] != nil {
				return field.ErrorList{field.Invalid(at, nil, "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec")}
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
	{Is: bindingRules},
}

// named checks the entries of a map and their names. Long names are cut short in
// what is said of the entries.
func named(m map[string]any, at field.Path, check func(m map[string]any, at field.Path) field.ErrorList) field.ErrorList {
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
		errs.Add(field.Invalid(at, tree.GoStruct(m, "IntValue:int", "BoolValue:bool", "StringValue:string", "VersionValue:version", "IntValues", "BoolValues", "StringValues", "VersionValues"), one))
	}
	return errs
}

// semanticVersion reports whether a text is a version as semver.org has it.
func semanticVersion(text string) bool {
	text, build, built := strings.Cut(text, "+")
	text, early, before := strings.Cut(text, "-")
	const digits, all = "0123456789", "0123456789-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return strings.Count(text, ".") == 2 && versionParts(text, digits, digits) &&
		(!before || versionParts(early, all, digits)) && (!built || versionParts(build, all, ""))
}

// versionParts checks the parts of a version between dots. Those that are made of
// numeric characters only may not begin with a zero that counts nothing.
func versionParts(text, of, numeric string) bool {
	for _, part := range strings.Split(text, ".") {
		if part == "" || strings.Trim(part, of) != "" || len(part) > 1 && part[0] == '0' && strings.Trim(part, numeric) == "" {
			return false
		}
	}
	return true
}

// validateCounters checks the counters of a set, or those that a device takes from
// one.
func validateCounters(_ map[string]any, v any, at field.Path) field.ErrorList {
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

// validateRequestPolicy checks how much of a capacity may be asked for.
func validateRequestPolicy(capacity any, policy map[string]any, at field.Path) field.ErrorList {
	values, limits, usual := tree.List(policy, "validValues"), tree.Object(policy, "validRange"), policy["default"]
	key := "validValues"
	switch {
	case len(values) > 0 && limits != nil:
		return field.ErrorList{field.Forbidden(at, `exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`)}
	case len(values) == 0 && limits == nil:
		return nil
	case limits != nil:
		key = "validRange"
	}
	if usual == nil {
		return field.ErrorList{field.Required(at.Child("default"), "required when "+key+" is defined")}
	}
	at = at.Child(key)
	if limits != nil {
		return validateRequestRange(capacity, usual, limits, at)
	}
	var errs field.ErrorList
	for i := range values[1:] {
		if valid.MoreThan(values[i], values[i+1]) {
			errs.Add(field.Invalid(at.Index(i+1), values[i+1], "values must be sorted in ascending order"))
		}
	}
	if len(values) > 10 {
		errs.Add(field.TooMany(at, len(values), 10))
		values = nil
	}
	found := false
	for i, v := range values {
		if valid.MoreThan(v, capacity) {
			errs.Add(field.Invalid(at.Index(i), v, fmt.Sprintf("option is larger than capacity value: %v", capacity)))
		}
		found = found || !valid.MoreThan(v, usual) && !valid.MoreThan(usual, v)
	}
	var before rule.Seen[any]
	for i, v := range values {
		if before.Again(wholeOf(v)) {
			errs.Add(field.Duplicate(at.Index(i), fmt.Sprint(wholeOf(v))))
		}
	}
	if !found {
		errs.Add(field.Invalid(at, usual, "default value is not valid according to the requestPolicy"))
	}
	return errs
}

func validateRequestRange(capacity, usual any, limits map[string]any, at field.Path) field.ErrorList {
	low, high, step := limits["min"], limits["max"], limits["step"]
	if low == nil {
		return field.ErrorList{field.Required(at.Child("min"), "required when validRange is defined")}
	}
	var errs field.ErrorList
	order := func(key string, a, b, shown any, than string, v any) {
		if valid.MoreThan(a, b) {
			errs.Add(field.Invalid(at.Child(key), shown, fmt.Sprintf("%s: %v", than, v)))
		}
	}
	order("min", low, capacity, low, "min is larger than capacity value", capacity)
	order("min", low, usual, usual, "default is less than min", low)
	order("max", low, high, low, "min is larger than max", high)
	order("max", high, capacity, high, "max is larger than capacity value", capacity)
	order("max", usual, high, usual, "default is more than max", high)
	if step == nil || wholeOf(step) == 0 {
		return errs
	}
	if sum := wholeOf(low) + wholeOf(step); sum > wholeOf(capacity) {
		errs.Add(field.Invalid(at.Child("step"), step, fmt.Sprintf("one step %d is larger than capacity value: %v", sum, capacity)))
	}
	for _, v := range []any{usual, high} {
		if v != nil && (wholeOf(v)-wholeOf(low))%wholeOf(step) != 0 {
			errs.Add(field.Invalid(at.Child("step"), v, fmt.Sprintf("value is not a multiple of a given step (%v) from (%v)", step, low)))
		}
	}
	return errs
}

// wholeOf is the number of a quantity.
func wholeOf(v any) int64 {
	q, _ := valid.Quantity(v)
	return int64(q.Float())
}
