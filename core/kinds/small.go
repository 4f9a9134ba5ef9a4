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

// resource.k8s.io

var deviceClass = Rules{
	Validate:       validateDeviceClass,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateDeviceClass(obj) },
}

func validateDeviceClass(obj map[string]any) field.ErrorList {
	return validateDeviceSelectors(dict(obj, "spec"), "spec")
}

var resourceClaim = Rules{
	Default:  func(obj map[string]any) { defaultRequests(dict(obj, "spec")) },
	Validate: func(obj map[string]any) field.ErrorList { return validateDevices(dict(obj, "spec"), "spec") },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return unchanged(obj, old, "spec")
	},
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		status := dict(obj, "status")
		if len(list(status, "reservedFor")) > 0 && status["allocation"] == nil {
			return field.ErrorList{field.Forbidden("status.reservedFor", "may not be specified when `allocated` is not set")}
		}
		return nil
	},
}

var resourceClaimTemplate = Rules{
	Default:        func(obj map[string]any) { defaultRequests(deep(obj, "spec.spec")) },
	Validate:       func(obj map[string]any) field.ErrorList { return validateDevices(deep(obj, "spec.spec"), "spec.spec") },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList { return unchanged(obj, old, "spec") },
}

// defaultRequests says how many devices a request is for: one, unless it says
// otherwise.
func defaultRequests(spec map[string]any) {
	for _, request := range entries(dict(spec, "devices"), "requests") {
		choices := entries(request, "firstAvailable")
		if exactly := dict(request, "exactly"); exactly != nil {
			choices = append(choices, exactly)
		}
		for _, choice := range choices {
			def(choice, "allocationMode", "ExactCount")
			if n, _ := num(choice, "count"); n == 0 && str(choice, "allocationMode") == "ExactCount" {
				choice["count"] = int64(1)
			}
		}
	}
}

var resourceSlice = Rules{
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return specKept(dict(obj, "spec"), dict(old, "spec"), "driver", "nodeName")
	},
}

// flowcontrol.apiserver.k8s.io

var flowSchema = Rules{
	Default: func(obj map[string]any) {
		if spec := sub(obj, "spec"); spec["matchingPrecedence"] == nil || spec["matchingPrecedence"] == int64(0) {
			spec["matchingPrecedence"] = int64(1000)
		}
	},
	Validate:       func(obj map[string]any) field.ErrorList { return validateFlowSchema(dict(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateFlowSchema(dict(obj, "spec")) },
}

func validateFlowSchema(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	n, _ := num(spec, "matchingPrecedence")
	if n <= 0 {
		errs.Add(field.Invalid(p.Child("matchingPrecedence"), n, "must be a positive value"))
	}
	if n > 10000 {
		errs.Add(field.Invalid(p.Child("matchingPrecedence"), n, "must not be greater than 10000"))
	}
	errs.Add(required(dict(spec, "priorityLevelConfiguration"), p.Child("priorityLevelConfiguration"), "name")...)
	for i, rule := range entries(spec, "rules") {
		at := p.Child("rules").Index(i)
		if len(list(rule, "subjects")) == 0 {
			errs.Add(field.Required(at.Child("subjects"), "subjects must contain at least one value"))
		}
		for j, subject := range entries(rule, "subjects") {
			errs.Add(oneOf(subject, at.Child("subjects").Index(j), "kind", "Group", "ServiceAccount", "User")...)
		}
		if len(list(rule, "resourceRules"))+len(list(rule, "nonResourceRules")) == 0 {
			errs.Add(field.Required(at, "at least one of resourceRules and nonResourceRules has to be non-empty"))
		}
		for _, kind := range []string{"resourceRules", "nonResourceRules"} {
			for j, r := range entries(rule, kind) {
				if len(list(r, "verbs")) == 0 {
					errs.Add(field.Required(at.Child(kind).Index(j).Child("verbs"), "verbs must contain at least one value"))
				}
			}
		}
	}
	return errs
}

var priorityLevel = Rules{
	Default: func(obj map[string]any) {
		limited := deep(obj, "spec.limited")
		if limited == nil {
			return
		}
		def(limited, "nominalConcurrencyShares", int64(30))
		def(limited, "lendablePercent", int64(0))
		if queuing := deep(limited, "limitResponse.queuing"); queuing != nil {
			for name, value := range map[string]int64{"queues": 64, "handSize": 8, "queueLengthLimit": 50} {
				if n, _ := num(queuing, name); n == 0 {
					queuing[name] = value
				}
			}
		}
	},
	Validate:       func(obj map[string]any) field.ErrorList { return validatePriorityLevel(deep(obj, "spec.limited")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validatePriorityLevel(deep(obj, "spec.limited")) },
}

func validatePriorityLevel(limited map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec.limited")
	if n, _ := num(limited, "nominalConcurrencyShares"); n < 0 {
		errs.Add(field.Invalid(p.Child("nominalConcurrencyShares"), n, "must be a non-negative integer"))
	}
	queuing := deep(limited, "limitResponse.queuing")
	hand, _ := num(queuing, "handSize")
	if queues, _ := num(queuing, "queues"); hand > queues {
		errs.Add(field.Invalid(p.Child("limitResponse", "queuing", "handSize"), hand, "should not be greater than queues ("+jsonText(queues)+")"))
	}
	return errs
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
