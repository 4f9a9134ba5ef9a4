// Package device has the strategies of the group resource.k8s.io: claims of devices, their
// classes, and the slices in which drivers offer devices.
package device

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// resource.k8s.io: claims of devices, their templates, and the classes they are
// made of. What offers devices is in resourceslice.go.

var DeviceClass = strategy.Strategy{
	Validate: func(obj map[string]any) field.ErrorList { return classRules.Check(obj, "") },
	// Its metadata is looked at as if it were new once more.
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return classRules.Check(obj, "") },
}

var classRules = rule.Fields{
	{Key: "spec", Is: deviceSelectors},
	{Key: "spec", Is: rule.Fields{
		{Key: "config", Is: rule.All{rule.MaxItems(32), rule.Each{Is: deviceConfig}}},
		{Key: "extendedResourceName", Is: rule.All{rule.IfSet{}, rule.Func(func(v any, at field.Path) field.ErrorList {
			name, _ := v.(string)
			if !valid.IsExtended(name) {
				return field.ErrorList{field.Invalid(at, name, "must be a valid extended resource name")}
			}
			return nil
		})}},
	}},
}

var deviceSelectors = rule.Fields{
	{Key: "selectors", Is: rule.All{rule.MaxItems(32), rule.Each{Is: rule.Fields{
		{Key: "cel", Is: rule.All{rule.Required{}, rule.Fields{
			{Key: "expression", Is: rule.Compare(deviceExpression)},
		}}},
	}}}},
}

// maxDeviceText is how long the expression of a selector, or the parameters of a
// driver, may be.
const maxDeviceText = 10 * 1024

func deviceExpression(_ map[string]any, v any, at field.Path) field.ErrorList {
	text, _ := v.(string)
	if len(text) > maxDeviceText {
		return field.ErrorList{field.TooLong(at, maxDeviceText)}
	}
	errs := valid.Compiled(text, at, []string{"device"}, "bool")
	for _, err := range errs {
		err.Detail = strings.Replace(err.Detail, "must evaluate to bool but got ", "must evaluate to bool or the unknown type, not ", 1)
	}
	return errs
}

var deviceConfig = rule.Fields{
	{Key: "opaque", Is: rule.All{rule.Required{}, rule.Fields{
		{Key: "driver", Is: driverName},
		{Key: "parameters", Is: rule.Compare(deviceObject)},
	}}},
}

// driverName is what the name of a driver must be.
var driverName = rule.All{rule.Required{}, rule.MaxBytes(63), rule.Form(valid.LowerSubdomain)}

// deviceObject checks JSON of a driver: an object.
func deviceObject(_ map[string]any, v any, at field.Path) field.ErrorList {
	_, isObject := v.(map[string]any)
	switch {
	case v == nil:
		return field.ErrorList{field.Required(at, "")}
	case len(tree.JSON(v)) > maxDeviceText:
		return field.ErrorList{field.TooLong(at, maxDeviceText)}
	case !isObject:
		return field.ErrorList{field.Invalid(at, "<value omitted>", "must be a valid JSON object")}
	}
	return nil
}

var ResourceClaim = strategy.Strategy{
	Default:  func(obj map[string]any) { defaultRequests(tree.Object(obj, "spec")) },
	Validate: func(obj map[string]any) field.ErrorList { return claimRules.Check(tree.Object(obj, "spec"), "spec") },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		if object.Equal(obj["spec"], old["spec"]) {
			return nil
		}
		return field.ErrorList{field.Invalid("spec", tree.GoTree(tree.Object(obj, "spec"), claimTree), rule.FieldImmutable)}
	},
	PrepareStatus:  dropDevices,
	ValidateStatus: validateClaimStatus,
}

var ResourceClaimTemplate = strategy.Strategy{
	Default:  func(obj map[string]any) { defaultRequests(tree.At(obj, "spec.spec")) },
	Validate: validateClaimTemplate,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := validateClaimTemplate(obj)
		if !object.Equal(obj["spec"], old["spec"]) {
			meta := string(tree.Ordered(tree.At(obj, "spec.metadata"), "name", "generateName", "namespace", "labels", "annotations", "finalizers"))
			spec := "\"Spec\":" + string(tree.GoTree(tree.At(obj, "spec.spec"), claimTree)) + "}"
			if len(meta) > 2 {
				spec = "," + spec
			}
			errs.Add(field.Invalid("spec", field.Raw(meta[:len(meta)-1]+spec), rule.FieldImmutable))
		}
		return errs
	},
}

func validateClaimTemplate(obj map[string]any) field.ErrorList {
	meta, at := tree.At(obj, "spec.metadata"), field.Path("spec.metadata")
	errs := metadata.ValidateAnnotations(tree.Object(meta, "annotations"), at.Child("annotations"))
	errs.Add(metadata.ValidateLabels(tree.Object(meta, "labels"), at.Child("labels"))...)
	for _, name := range []string{"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp",
		"deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences", "finalizers", "managedFields"} {
		if v := meta[name]; v != nil && v != "" && v != int64(0) {
			errs.Add(field.Forbidden(at.Child(strings.Replace(name, "uid", "uID", 1)), "cannot be set"))
		}
	}
	return append(errs, claimRules.Check(tree.At(obj, "spec.spec"), "spec.spec")...)
}

// claimTree is how the spec of a claim is printed.
const claimTree = `Devices{Requests[Name="" Exactly*{DeviceClassName="" ` + requestTree + ` AllocationMode="" Count=0 AdminAccess ` + tolerationTree +
	`} FirstAvailable[Name="" DeviceClassName="" ` + requestTree + ` AllocationMode="" Count=0 ` + tolerationTree +
	`]] Constraints[Requests MatchAttribute DistinctAttribute] Config[Requests Opaque*{Driver="" Parameters}]}`

const (
	requestTree    = `Selectors[CEL:cel*{Expression=""}]`
	tolerationTree = `Tolerations[Key="" Operator="" Value="" Effect="" TolerationSeconds] Capacity*{Requests}`
)

// defaultRequests says how many devices a request is for: one, unless it says
// otherwise.
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

// claimRules are about the spec of a claim.
var claimRules = rule.Fields{
	{Key: "devices", Is: rule.Fields{
		{Key: "requests", Is: rule.All{rule.MaxItems(32), rule.Each{Is: rule.Fields{
			{Key: "name", Is: rule.Form(syntax.Label)},
			{Is: rule.Compare(validateDeviceRequest)},
		}}, rule.UniqueKey("name")}},
		{Key: "constraints", Is: rule.All{rule.MaxItems(32), rule.Each{Is: rule.Fields{
			requestNames,
			{Is: rule.Compare(validateConstraint)},
		}}}},
		{Key: "config", Is: rule.All{rule.MaxItems(32), rule.Each{Is: rule.Fields{
			requestNames,
			deviceConfig[0],
		}}}},
	}},
}

var requestNames = rule.Field{Key: "requests", Is: rule.All{rule.MaxItems(32), rule.Each{Is: rule.Compare(requestName)}, rule.UniqueKey("")}}

const noRequest = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"

// requestName checks the name of a request of a claim, or of a choice of one behind
// a slash.
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
	// Of several of the same name, the last one counts.
	requests := tree.Objects(tree.Object(spec, "devices"), "requests")
	slices.Reverse(requests)
	i := slices.IndexFunc(requests, named(parts[0]))
	if i < 0 || len(parts) > 1 && !slices.ContainsFunc(tree.Objects(requests[i], "firstAvailable"), named(parts[1])) {
		errs.Add(field.Invalid(at, name, noRequest))
	}
	return errs
}

func validateDeviceRequest(_ map[string]any, v any, at field.Path) field.ErrorList {
	const oneOfBoth = "exactly one of `exactly` or `firstAvailable` is required"
	request := tree.Map(v)
	choices, exactly := tree.List(request, "firstAvailable"), tree.Object(request, "exactly")
	switch {
	case exactly == nil && len(choices) == 0:
		return field.ErrorList{field.Required(at, oneOfBoth)}
	case exactly == nil:
		return choicesRules.Check(request, at)
	case len(choices) == 0:
		return exactlyRules.Check(exactly, at.Child("exactly"))
	}
	return field.ErrorList{field.Invalid(at, nil, oneOfBoth+", but multiple fields are set")}
}

var (
	choicesRules = rule.Fields{
		{Key: "firstAvailable", Is: rule.All{rule.MaxItems(8), rule.Each{Is: rule.Fields{
			{Key: "name", Is: rule.Form(syntax.Label)},
			{Is: exactlyRules},
		}}, rule.UniqueKey("name")}},
	}
	exactlyRules = rule.Fields{
		{Key: "deviceClassName", Is: rule.All{rule.Required{}, rule.Form(syntax.Subdomain)}},
		deviceSelectors[0],
		{Is: rule.Func(func(v any, at field.Path) field.ErrorList {
			n, _ := tree.Int(tree.Map(v), "count")
			switch mode := tree.Text(tree.Map(v), "allocationMode"); {
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
			{Is: rule.Func(func(v any, at field.Path) field.ErrorList {
				value := tree.Text(tree.Map(v), "value")
				switch tree.Text(tree.Map(v), "operator") {
				case "Exists":
					if value == "" {
						return nil
					}
					return field.ErrorList{field.Invalid(at.Child("value"), value, "must be empty for operator `Exists`")}
				case "Equal":
					return rule.Check(value, at.Child("value"), rule.Form(syntax.LabelValue))
				}
				return rule.RequireOneOf(tree.Map(v), at, "operator", "Equal", "Exists")
			})},
			{Key: "effect", Is: rule.All{rule.IfNotEmpty{}, rule.OneOf{"NoExecute", "NoSchedule", "None"}}},
		}}},
	}
)

func validateConstraint(_ map[string]any, v any, at field.Path) field.ErrorList {
	for _, key := range []string{"matchAttribute", "distinctAttribute"} {
		if v := tree.Map(v)[key]; v != nil {
			name, _ := v.(string)
			errs := qualifiedName(name, at.Child(key))
			if !strings.Contains(name, "/") {
				errs.Add(field.Invalid(at.Child(key), name, "a fully qualified name must be a domain and a name separated by a slash"))
			}
			return errs
		}
	}
	return field.ErrorList{field.Required(at, `exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set`)}
}

// qualifiedName checks the name of an attribute or a capacity, which may have a
// domain before it. More than one slash is let pass.
func qualifiedName(name string, at field.Path) field.ErrorList {
	domain, id, qualified := strings.Cut(name, "/")
	if strings.Contains(id, "/") {
		return nil
	}
	if !qualified {
		return identifier(name, at)
	}
	var errs field.ErrorList
	if domain == "" {
		errs.Add(field.Invalid(at, "", "the domain must not be empty"))
	} else {
		errs.Add(rule.Check(domain, at, driverName)...)
	}
	if id == "" {
		return append(errs, field.Invalid(at, "", "the name must not be empty"))
	}
	return append(errs, identifier(id, at)...)
}

func identifier(id string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(id) > 32 {
		errs.Add(field.TooLong(at, 32))
	}
	return append(errs, rule.Invalid(at, id, syntax.Identifier(id))...)
}

// dropDevices forgets what was said of devices that are no longer allocated.
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

// deviceID is which device something is about, as errors have it.
func deviceID(m map[string]any) field.Raw {
	return tree.GoStruct(m, `Driver=""`, `Pool=""`, `Device=""`, `ShareID:shareID=""`)
}

func allocatedDevices(status map[string]any) []field.Raw {
	var ids []field.Raw
	for _, result := range tree.Objects(tree.At(status, "allocation.devices"), "results") {
		ids = append(ids, deviceID(result))
	}
	return ids
}

func validateClaimStatus(obj, old map[string]any) field.ErrorList {
	const at = field.Path("status")
	status, was := tree.Object(obj, "status"), tree.Object(old, "status")
	errs := claimStatusRules.Check(status, at)
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
	case object.Meta(obj)["deletionTimestamp"] != nil && slices.ContainsFunc(reserved, func(v any) bool {
		return !slices.ContainsFunc(tree.List(was, "reservedFor"), func(w any) bool { return object.Equal(v, w) })
	}):
		errs.Add(field.Forbidden(at.Child("reservedFor"), "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"))
	}
	switch {
	case allocation == nil:
	case was["allocation"] == nil:
		errs.Add(allocationRules.CheckIn(tree.Object(obj, "spec"), tree.Map(allocation), at.Child("allocation"))...)
	case !object.Equal(allocation, was["allocation"]):
		errs.Add(field.Invalid(at.Child("allocation"), tree.GoTree(tree.Map(allocation), allocationTree), rule.FieldImmutable))
	}
	return errs
}

// allocationTree is how an allocation is printed.
const allocationTree = `Devices{Results[Request="" Driver="" Pool="" Device="" AdminAccess Tolerations[Key="" Operator="" Value="" Effect="" TolerationSeconds] ` +
	`BindingConditions BindingFailureConditions ShareID ConsumedCapacity] Config[Source="" Requests Opaque*{Driver="" Parameters}]} NodeSelector AllocationTimestamp`

var claimStatusRules = rule.Fields{
	{Key: "reservedFor", Is: rule.All{rule.MaxItems(256), rule.Each{Is: rule.Fields{
		{Key: "resource", Is: rule.Required{}},
		{Key: "name", Is: rule.Required{}},
		{Key: "uid", Is: rule.Required{}},
	}}, rule.UniqueKey("uid")}},
	{Key: "devices", Is: rule.Each{Is: rule.Fields{
		{Key: "driver", Is: driverName},
		{Key: "pool", Is: rule.Compare(poolName)},
		{Key: "device", Is: rule.Form(syntax.Label)},
		{Key: "shareID", Is: rule.All{rule.IfSet{}, rule.Compare(uuid)}},
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
		{Key: "data", Is: rule.All{rule.IfSet{}, rule.Compare(deviceObject)}},
		{Key: "networkData", Is: rule.Fields{
			{Key: "interfaceName", Is: rule.MaxBytes(256)},
			{Key: "hardwareAddress", Is: rule.MaxBytes(128)},
			{Key: "ips", Is: rule.All{rule.MaxItems(16), rule.Each{Is: rule.Compare(interfaceAddress)}, rule.UniqueKey("")}},
		}},
	}}},
}

var allocationRules = rule.Fields{
	{Key: "devices", Is: rule.Fields{
		{Key: "results", Is: rule.All{rule.MaxItems(32), rule.Each{Is: rule.Fields{
			{Key: "request", Is: rule.Compare(requestName)},
			{Key: "driver", Is: driverName},
			{Key: "pool", Is: rule.Compare(poolName)},
			{Key: "device", Is: rule.Form(syntax.Label)},
			{Is: bindingRules},
			{Key: "shareID", Is: rule.All{rule.IfSet{}, rule.Compare(uuid)}},
		}}}},
		{Key: "config", Is: rule.All{rule.MaxItems(64), rule.Each{Is: rule.Fields{
			{Key: "source", Is: rule.All{rule.Required{}, rule.OneOf{"FromClaim", "FromClass"}}},
			requestNames,
			deviceConfig[0],
		}}}},
	}},
	{Key: "nodeSelector", Is: rule.All{rule.IfSet{}, rule.Func(func(v any, at field.Path) field.ErrorList {
		return valid.NodeSelector(tree.Map(v), at)
	})}},
}

var bindingRules = rule.Fields{
	{Key: "bindingConditions", Is: rule.All{rule.MaxItems(4), rule.Each{Is: rule.Form(syntax.LabelKey)}}},
	{Key: "bindingFailureConditions", Is: rule.All{rule.MaxItems(4), rule.Each{Is: rule.Form(syntax.LabelKey)}}},
	{Is: rule.Func(func(v any, at field.Path) field.ErrorList {
		good, bad := at.Child("bindingConditions"), at.Child("bindingFailureConditions")
		conditions, failures := tree.List(tree.Map(v), "bindingConditions"), tree.List(tree.Map(v), "bindingFailureConditions")
		errs := rule.Duplicates(conditions, "", good)
		for i, failure := range failures {
			if slices.Contains(failures[:i], failure) {
				errs.Add(field.Duplicate(bad.Index(i), failure))
			}
			if slices.Contains(conditions, failure) {
				errs.Add(field.Invalid(bad.Index(i), failure, "bindingFailureConditions must not overlap with bindingConditions"))
			}
		}
		if len(conditions) == 0 && len(failures) > 0 {
			errs.Add(field.Invalid(good, tree.Map(v)["bindingConditions"], "bindingConditions are required to use bindingFailureConditions"))
		}
		if len(failures) == 0 && len(conditions) > 0 {
			errs.Add(field.Invalid(bad, tree.Map(v)["bindingFailureConditions"], "bindingFailureConditions are required to use bindingConditions"))
		}
		return errs
	})},
}

// poolName checks the name of a pool of devices: subdomains with slashes between.
func poolName(_ map[string]any, v any, at field.Path) field.ErrorList {
	name, _ := v.(string)
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs field.ErrorList
	if len(name) > syntax.MaxSubdomain {
		errs.Add(field.TooLong(at, syntax.MaxSubdomain))
	}
	for _, part := range strings.Split(name, "/") {
		errs.Add(rule.Invalid(at, part, syntax.Subdomain(part))...)
	}
	return errs
}

// uuid checks a UUID in lower case with dashes. Its other forms are told apart.
func uuid(_ map[string]any, v any, at field.Path) field.ErrorList {
	text, _ := v.(string)
	plain := text
	switch len(text) {
	case 36 + 9:
		plain = text[9:]
		if !strings.EqualFold(text[:9], "urn:uuid:") {
			return field.ErrorList{field.Invalid(at, text, fmt.Sprintf("error validating uid: invalid urn prefix: %q", text[:9]))}
		}
	case 36 + 2:
		plain = text[1:37]
		if text[0] != '{' || text[37] != '}' {
			return field.ErrorList{field.Invalid(at, text, "error validating uid: invalid bracketed UUID format")}
		}
	case 32:
		plain = text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
	case 36:
	default:
		return field.ErrorList{field.Invalid(at, text, fmt.Sprintf("error validating uid: invalid UUID length: %d", len(text)))}
	}
	for i := range len(plain) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (plain[i] == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(plain[i])) {
			return field.ErrorList{field.Invalid(at, text, "error validating uid: invalid UUID format")}
		}
	}
	if text != strings.ToLower(plain) {
		return field.ErrorList{field.Invalid(at, text, "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters")}
	}
	return nil
}

// interfaceAddress checks an address of a network device, with the length of its
// prefix.
func interfaceAddress(_ map[string]any, v any, at field.Path) field.ErrorList {
	text, _ := v.(string)
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return field.ErrorList{field.Invalid(at, text, "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)")}
	}
	if canonical := prefix.String(); canonical != text {
		return field.ErrorList{field.Invalid(at, text, fmt.Sprintf("must be in canonical form (%q)", canonical))}
	}
	return nil
}
