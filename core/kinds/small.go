package kinds

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/object"
)

// Kinds whose rules are a few lines, by group.

// coordination.k8s.io

var lease = Rules{
	// Coordinated leader election is switched off in the server we follow.
	PrepareCreate:  func(_ *Context, obj map[string]any) { dropElection(obj) },
	PrepareUpdate:  func(_ *Context, obj, _ map[string]any) { dropElection(obj) },
	Validate:       func(obj map[string]any) field.ErrorList { return validateLease(dict(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateLease(dict(obj, "spec")) },
}

func dropElection(obj map[string]any) {
	delete(dict(obj, "spec"), "strategy")
	delete(dict(obj, "spec"), "preferredHolder")
}

func validateLease(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	if n, ok := num(spec, "leaseDurationSeconds"); ok && n <= 0 {
		errs.Add(field.Invalid("spec.leaseDurationSeconds", n, "must be greater than 0"))
	}
	return append(errs, notBelowZero(spec, "spec", "leaseTransitions")...)
}

// scheduling.k8s.io

// userPriorities is the greatest value of a class that is not the system's.
const userPriorities = 1000000000

var priorityClass = Rules{
	Default: func(obj map[string]any) { def(obj, "preemptionPolicy", "PreemptLowerPriority") },
	Validate: func(obj map[string]any) field.ErrorList {
		name, value := object.Name(obj), obj["value"]
		if n, _ := num(obj, "value"); n > userPriorities && SystemPriority[name] != n {
			return field.ErrorList{field.Forbidden("value", "maximum allowed value of a user defined priority is 1000000000")}
		}
		if want, reserved := SystemPriority[name]; reserved && value != want {
			return field.ErrorList{field.Forbidden("metadata.name", "priority class names with 'system-' prefix are reserved for system use only")}
		}
		return oneOf(obj, "", "preemptionPolicy", "PreemptLowerPriority", "Never")
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		if !object.Equal(obj["value"], old["value"]) {
			errs.Add(field.Forbidden("value", "may not be changed in an update."))
		}
		return append(errs, unchanged(obj, old, "preemptionPolicy")...)
	},
	Raises: func(_, _ map[string]any) bool { return false },
}

// SystemPriority are the values of the classes that every cluster has, by name.
var SystemPriority = map[string]int64{"system-cluster-critical": 2000000000, "system-node-critical": 2000001000}

// core

var serviceAccount = Rules{
	PrepareCreate: func(c *Context, obj map[string]any) {
		nameSecrets(obj)
		warnServiceAccount(c, obj, nil)
	},
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
		nameSecrets(obj)
		warnServiceAccount(c, obj, old)
	},
}

// nameSecrets takes all but the names out of the references to secrets.
func nameSecrets(obj map[string]any) {
	for i, secret := range entries(obj, "secrets") {
		named := map[string]any{}
		if name := str(secret, "name"); name != "" {
			named["name"] = name
		}
		obj["secrets"].([]any)[i] = named
	}
}

var endpoints = Rules{
	Default: func(obj map[string]any) {
		for _, subset := range entries(obj, "subsets") {
			for _, port := range entries(subset, "ports") {
				def(port, "protocol", "TCP")
			}
		}
	},
	Validate: func(obj map[string]any) field.ErrorList { return validateEndpoints(obj, nil) },
	// Subsets may be that were there before.
	ValidateUpdate: validateEndpoints,
}

func validateEndpoints(obj, old map[string]any) field.ErrorList {
	var errs field.ErrorList
	if old != nil && object.Equal(obj["subsets"], old["subsets"]) {
		return errs
	}
	for i, subset := range entries(obj, "subsets") {
		at := field.Path("subsets").Index(i)
		if len(list(subset, "addresses"))+len(list(subset, "notReadyAddresses")) == 0 {
			errs.Add(field.Required(at, "must specify `addresses` or `notReadyAddresses`"))
		}
		for _, name := range []string{"addresses", "notReadyAddresses"} {
			for j, address := range entries(subset, name) {
				ip, at := str(address, "ip"), at.Child(name).Index(j)
				errs.Add(validateIP(ip, at.Child("ip"))...)
				errs.Add(endpointsRules.Check(address, at)...)
				if node, ok := address["nodeName"].(string); ok {
					errs.Add(rule.Invalid(at.Child("nodeName"), node, syntax.Subdomain(node))...)
				}
				errs.Add(validateEndpointIP(ip, at.Child("ip"))...)
			}
		}
		for j, port := range entries(subset, "ports") {
			at := at.Child("ports").Index(j)
			n, _ := num(port, "port")
			if str(port, "name") == "" && len(list(subset, "ports")) > 1 {
				errs.Add(field.Required(at.Child("name"), ""))
			}
			errs.Add(endpointSliceNameRules.Check(port, at)...)
			errs.Add(rule.Invalid(at.Child("port"), n, syntax.PortNumber(n))...)
			errs.Add(oneOf(port, at, "protocol", "SCTP", "TCP", "UDP")...)
			if protocol, ok := port["appProtocol"].(string); ok {
				errs.Add(rule.Invalid(at.Child("appProtocol"), protocol, syntax.LabelKey(protocol))...)
			}
		}
	}
	return errs
}

var endpointsRules = rule.Fields{
	{Key: "hostname", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

// An event is looked at by the rules that all events have, in whatever group it is,
// and no more in the old one.
var event = Rules{
	Leaf:           true,
	Validate:       func(obj map[string]any) field.ErrorList { return validateEvent(obj, &oldEventWords) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateEvent(obj, &oldEventWords) },
}

// eventWords are what fields of events are called in an API group.
type eventWords struct{ involved, message, controller, controllerName string }

var (
	oldEventWords = eventWords{"involvedObject", "message", "reportingComponent", "reportingComponent"}
	newEventWords = eventWords{"regarding", "note", "reportingController", "reportingController"}
)

func validateEvent(obj map[string]any, names *eventWords) field.ErrorList {
	var errs field.ErrorList
	ns, involved := object.Namespace(obj), str(dict(obj, names.involved), "namespace")
	timed := obj["eventTime"] != nil
	if involved == "" && ns != "default" && (!timed || ns != "kube-system") || involved != "" && !timed && involved != ns {
		errs.Add(field.Invalid("involvedObject.namespace", involved, "does not match event.namespace"))
	}
	if timed {
		controller, at := str(obj, names.controller), field.Path(names.controllerName)
		if controller == "" {
			errs.Add(field.Required(at, ""))
		}
		errs.Add(rule.Invalid(at, controller, syntax.LabelKey(controller))...)
		for _, name := range []string{"reportingInstance", "action", "reason"} {
			if v := str(obj, name); v == "" {
				errs.Add(field.Required(field.Path(name), ""))
			} else if len(v) > 128 {
				errs.Add(field.Invalid(field.Path(name), "", "can have at most 128 characters"))
			}
		}
		if len(str(obj, names.message)) > 1024 {
			errs.Add(field.Invalid("message", "", "can have at most 1024 characters"))
		}
	}
	return append(errs, rule.Invalid("namespace", ns, syntax.Subdomain(ns))...)
}

// events.k8s.io

// newEvent holds the rules of the newer group, whose objects are what happened
// and so do not change.
var newEvent = Rules{
	Leaf: true,
	Validate: func(obj map[string]any) field.ErrorList {
		errs := append(validateEvent(obj, &newEventWords), validateSeries(dict(obj, "series"))...)
		if obj["eventTime"] == nil {
			errs.Add(field.Required("eventTime", ""))
		}
		if t := str(obj, "type"); t != "Normal" && t != "Warning" {
			errs.Add(field.Invalid("type", "", "has invalid value: "+t))
		}
		for _, name := range []string{"firstTimestamp", "lastTimestamp", "count", "source"} {
			old := obj["deprecated"+strings.ToUpper(name[:1])+name[1:]]
			if old != nil && !emptyValue(old) && old != int64(0) {
				errs.Add(field.Invalid(field.Path(name), "", "needs to be unset"))
			}
		}
		return errs
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := validateEvent(obj, &newEventWords)
		if !object.Equal(obj["series"], old["series"]) {
			errs.Add(validateSeries(dict(obj, "series"))...)
		}
		for _, name := range eventFixed {
			shown, key, zero := name, name, any("")
			if i := strings.IndexByte(name, ':'); i > 0 {
				shown, key = name[:i], name[i+1:]
			}
			if object.Equal(obj[key], old[key]) {
				continue
			}
			v := obj[key]
			if v == nil {
				v = zero
			}
			switch key {
			case "regarding", "related":
				v = goStruct(dict(obj, key), `Kind=""`, `Namespace=""`, `Name=""`, `UID:uid=""`, `APIVersion:apiVersion=""`, `ResourceVersion=""`, `FieldPath=""`)
				if key == "related" && obj[key] == nil {
					v = nil
				}
			case "deprecatedSource":
				v = goStruct(dict(obj, key), `Component=""`, `Host=""`)
			case "deprecatedFirstTimestamp", "deprecatedLastTimestamp", "eventTime":
				v = obj[key]
			case "deprecatedCount":
				n, _ := num(obj, key)
				v = n
			}
			errs.Add(field.Invalid(field.Path(shown), v, immutable))
		}
		return errs
	},
}

// eventFixed are the fields of an event that do not change, under the names that
// they have in errors and, where that is another, in the object.
var eventFixed = strings.Fields(`involvedObject:regarding reason message:note source:deprecatedSource firstTimestamp:deprecatedFirstTimestamp
	lastTimestamp:deprecatedLastTimestamp count:deprecatedCount reason type eventTime action related reportingController reportingInstance`)

// validateSeries checks how often an event was seen.
func validateSeries(series map[string]any) field.ErrorList {
	var errs field.ErrorList
	if series == nil {
		return nil
	}
	if n, _ := num(series, "count"); n < 2 {
		errs.Add(field.Invalid("series.count", "", "should be at least 2"))
	}
	return append(errs, required(series, "series", "lastObservedTime")...)
}

// node.k8s.io

var runtimeClass = Rules{
	PrepareCreate: warnRuntimeClass,
	PrepareUpdate: func(c *Context, obj, _ map[string]any) { warnRuntimeClass(c, obj) },
	Validate:      validateRuntimeClass,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return append(validateRuntimeClass(obj), unchanged(obj, old, "handler")...)
	},
}

func validateRuntimeClass(obj map[string]any) field.ErrorList {
	errs := runtimeClassRules.Check(obj, "")
	if overhead := dict(obj, "overhead"); overhead != nil {
		errs.Add((&podCheck{}).resources(map[string]any{"limits": overhead["podFixed"]}, "overhead", validateResource)...)
	}
	scheduling, p := dict(obj, "scheduling"), field.Path("scheduling")
	errs.Add(validateLabels(dict(scheduling, "nodeSelector"), p.Child("nodeSelector"))...)
	tolerations := entries(scheduling, "tolerations")
	for i, t := range tolerations {
		errs.Add(validateToleration(t, p.Child("tolerations").Index(i))...)
	}
	var before rule.Seen[string]
	for i, t := range tolerations {
		if before.Again(object.Key(withoutKeys(t, "tolerationSeconds"))) {
			errs.Add(field.Duplicate(p.Child("tolerations").Index(i), goStruct(t, `Key=""`, `Operator=""`, `Value=""`, `Effect=""`, "TolerationSeconds")))
		}
	}
	return errs
}

var runtimeClassRules = rule.Fields{
	{Key: "handler", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
}

// apiregistration.k8s.io

var apiService = Rules{
	// A group that the API server serves itself is always there.
	PrepareCreate: func(c *Context, obj map[string]any) {
		if deep(obj, "spec.service") == nil {
			obj["status"] = map[string]any{"conditions": []any{map[string]any{
				"type": "Available", "status": "True", "reason": "Local",
				"message": "Local APIServices are always available", "lastTransitionTime": c.now(),
			}}}
		}
	},
	Validate:       validateAPIService,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateAPIService(obj) },
}

func validateAPIService(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	spec, p := dict(obj, "spec"), field.Path("spec")
	group, version := str(spec, "group"), str(spec, "version")
	if name := object.Name(obj); name != version+"."+group {
		errs.Add(field.Invalid("metadata.name", name, "must be `spec.version+\".\"+spec.group`: "+strconv.Quote(version+"."+group)))
	}
	if group != "" {
		errs.Add(aPIServiceRules.Check(spec, p)...)
	} else if version != "v1" {
		errs.Add(field.Required(p.Child("group"), "only v1 may have an empty group and it better be legacy kube"))
	}
	errs.Add(rule.Invalid(p.Child("version"), version, syntax.Label1035(version))...)
	if n, _ := num(spec, "groupPriorityMinimum"); n <= 0 || n > 20000 {
		errs.Add(field.Invalid(p.Child("groupPriorityMinimum"), n, "must be positive and less than 20000"))
	}
	if n, _ := num(spec, "versionPriority"); n <= 0 || n > 1000 {
		errs.Add(field.Invalid(p.Child("versionPriority"), n, "must be positive and less than 1000"))
	}
	if spec["service"] != nil {
		service, at := dict(spec, "service"), p.Child("service")
		errs.Add(required(service, at, "namespace", "name")...)
		n, some := num(service, "port")
		if some && len(syntax.PortNumber(n)) > 0 {
			errs.Add(field.Invalid(at.Child("port"), n, "port is not valid: "+syntax.PortNumber(n)[0]))
		}
		if flag(spec, "insecureSkipTLSVerify") && str(spec, "caBundle") != "" {
			errs.Add(field.Invalid(p.Child("insecureSkipTLSVerify"), true, "may not be true if caBundle is present"))
		}
		return errs
	}
	if n := decodedLen(str(spec, "caBundle")); n > 0 {
		errs.Add(field.Invalid(p.Child("caBundle"), fmt.Sprintf("%d bytes", n), "local APIServices may not have a caBundle"))
	}
	if flag(spec, "insecureSkipTLSVerify") {
		errs.Add(field.Invalid(p.Child("insecureSkipTLSVerify"), true, "local APIServices may not have insecureSkipTLSVerify"))
	}
	return errs
}

var aPIServiceRules = rule.Fields{
	{Key: "group", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
}
