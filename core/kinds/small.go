package kinds

import (
	"fmt"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
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
	MetaTwice:      true,
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
		if n, _ := num(obj, "value"); n > userPriorities && systemPriority[name] != n {
			return field.ErrorList{field.Forbidden("value", "maximum allowed value of a user defined priority is 1000000000")}
		}
		if want, reserved := systemPriority[name]; reserved && value != want {
			return field.ErrorList{field.Forbidden("metadata.name", "priority class names with 'system-' prefix are reserved for system use only")}
		}
		return oneOf(obj, "", "preemptionPolicy", "Never", "PreemptLowerPriority")
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

var systemPriority = map[string]int64{"system-cluster-critical": 2000000000, "system-node-critical": 2000001000}

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
	MetaTwice: true,
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
	Validate:       validateEndpoints,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateEndpoints(obj) },
}

func validateEndpoints(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	for i, subset := range entries(obj, "subsets") {
		at := field.Path("subsets").Index(i)
		if len(list(subset, "addresses"))+len(list(subset, "notReadyAddresses")) == 0 {
			errs.Add(field.Required(at, "must specify `addresses` or `notReadyAddresses`"))
		}
		for _, name := range []string{"addresses", "notReadyAddresses"} {
			for j, address := range entries(subset, name) {
				ip, at := str(address, "ip"), at.Child(name).Index(j).Child("ip")
				if wrong := validateIP(ip, at); wrong != nil {
					// It is looked at twice, in different words.
					errs.Add(wrong...)
					errs.Add(field.Invalid(at, ip, "must be a valid IP address"))
				}
			}
		}
		for j, port := range entries(subset, "ports") {
			at := at.Child("ports").Index(j)
			n, _ := num(port, "port")
			if str(port, "name") == "" && len(list(subset, "ports")) > 1 {
				errs.Add(field.Required(at.Child("name"), ""))
			}
			errs.Add(invalid(at.Child("port"), n, syntax.PortNumber(n))...)
			errs.Add(oneOf(port, at, "protocol", "SCTP", "TCP", "UDP")...)
		}
	}
	return errs
}

var limitRange = Rules{
	Default: func(obj map[string]any) {
		for _, item := range entries(dict(obj, "spec"), "limits") {
			if str(item, "type") != "Container" {
				continue
			}
			for _, fill := range [][2]string{{"default", "max"}, {"defaultRequest", "default"}, {"defaultRequest", "min"}} {
				for name, v := range dict(item, fill[1]) {
					def(sub(item, fill[0]), name, v)
				}
			}
		}
	},
	Validate:       func(obj map[string]any) field.ErrorList { return validateLimits(dict(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateLimits(dict(obj, "spec")) },
}

func validateLimits(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, item := range entries(spec, "limits") {
		at, kind := field.Path("spec.limits").Index(i), str(item, "type")
		if seen[kind] {
			errs.Add(field.Duplicate(at.Child("type"), kind))
		}
		seen[kind] = true
		names := map[string]any{}
		for _, list := range []string{"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"} {
			for name := range dict(item, list) {
				names[name] = true
			}
		}
		if kind == "PersistentVolumeClaim" && deep(item, "min")["storage"] == nil && deep(item, "max")["storage"] == nil {
			errs.Add(field.Required(at.Child("limits"), "either minimum or maximum storage value is required, but neither was provided"))
		}
		for _, name := range sortedKeys(names) {
			errs.Add(validateLimit(item, name, at)...)
		}
	}
	return errs
}

// validateLimit checks that the bounds and defaults of one resource go together.
func validateLimit(item map[string]any, name string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	of := func(list string) any { return dict(item, list)[name] }
	low, high, request, limit := of("min"), of("max"), of("defaultRequest"), of("default")
	order := func(list, what string, a any, than string, b any, shown any) {
		if moreThan(a, b) {
			errs.Add(field.Invalid(at.Child(list).Key(name), shown, fmt.Sprintf("%s value %v is greater than %s value %v", what, a, than, b)))
		}
	}
	order("min", "min", low, "max", high, low)
	order("defaultRequest", "min", low, "default request", request, request)
	order("defaultRequest", "default request", request, "max", high, request)
	order("defaultRequest", "default request", request, "default limit", limit, request)
	order("default", "min", low, "default", limit, limit)
	order("default", "default", limit, "max", high, high)
	if r, ok := quantity(of("maxLimitRequestRatio")); ok {
		at, shown, ratio := at.Child("maxLimitRequestRatio").Key(name), of("maxLimitRequestRatio"), r.Float()
		if ratio < 1 {
			errs.Add(field.Invalid(at, shown, fmt.Sprintf("ratio %v is less than 1", shown)))
		}
		a, hasLow := quantity(low)
		b, hasHigh := quantity(high)
		if most := b.Float() / a.Float(); hasLow && hasHigh && positive(low) && ratio > most {
			errs.Add(field.Invalid(at, shown, fmt.Sprintf("ratio %v is greater than max/min = %f", shown, most)))
		}
	}
	return errs
}

var event = Rules{
	Validate:       validateEvent,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateEvent(obj) },
}

func validateEvent(obj map[string]any) field.ErrorList {
	involved := str(dict(obj, "involvedObject"), "namespace")
	if ns := object.Namespace(obj); ns != involved && (involved != "" || ns != "default") {
		return field.ErrorList{field.Invalid("involvedObject.namespace", involved, "does not match event.namespace")}
	}
	return nil
}

var resourceQuota = Rules{
	PrepareCreate: warnQuota,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return specKept(dict(obj, "spec"), dict(old, "spec"), "scopes")
	},
}

// events.k8s.io

// newEvent holds the rules of the newer group, whose objects are what happened
// and so do not change.
var newEvent = Rules{
	Validate: func(obj map[string]any) field.ErrorList {
		errs := required(obj, "", "reportingController", "reportingInstance", "action", "reason", "type")
		if obj["eventTime"] == nil {
			errs = append(field.ErrorList{field.Required("eventTime", "")}, errs...)
		}
		return errs
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := unchanged(obj, old, "reason")
		if !object.Equal(obj["note"], old["note"]) {
			errs.Add(field.Invalid("message", str(obj, "note"), immutable))
		}
		errs.Add(unchanged(obj, old, "reason", "action", "type", "eventTime")...)
		return errs
	},
}

// node.k8s.io

var runtimeClass = Rules{
	PrepareCreate:  warnRuntimeClass,
	PrepareUpdate:  func(c *Context, obj, _ map[string]any) { warnRuntimeClass(c, obj) },
	Validate:       func(obj map[string]any) field.ErrorList { return required(obj, "", "handler") },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList { return unchanged(obj, old, "handler") },
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
	Validate:       func(obj map[string]any) field.ErrorList { return validateAPIService(dict(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateAPIService(dict(obj, "spec")) },
}

func validateAPIService(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	if n, _ := num(spec, "groupPriorityMinimum"); n <= 0 || n > 20000 {
		errs.Add(field.Invalid(p.Child("groupPriorityMinimum"), n, "must be positive and less than 20000"))
	}
	if n, _ := num(spec, "versionPriority"); n <= 0 || n > 1000 {
		errs.Add(field.Invalid(p.Child("versionPriority"), n, "must be positive and less than 1000"))
	}
	if spec["service"] != nil {
		return append(errs, required(dict(spec, "service"), p.Child("service"), "namespace", "name")...)
	}
	if str(spec, "caBundle") != "" {
		errs.Add(field.Invalid(p.Child("caBundle"), "too long", "local APIServices may not have a caBundle"))
	}
	if flag(spec, "insecureSkipTLSVerify") {
		errs.Add(field.Invalid(p.Child("insecureSkipTLSVerify"), true, "local APIServices may not have insecureSkipTLSVerify"))
	}
	return errs
}
