package kinds

import (
	"maps"
	"strconv"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/object"
)

var deployment = Rules{
	Default: func(obj map[string]any) {
		spec := sub(obj, "spec")
		defaultTemplate(sub(spec, "template"))
		def(spec, "replicas", int64(1))
		def(spec, "revisionHistoryLimit", int64(10))
		def(spec, "progressDeadlineSeconds", int64(600))
		strategy := sub(spec, "strategy")
		def(strategy, "type", "RollingUpdate")
		if str(strategy, "type") == "RollingUpdate" {
			rolling := sub(strategy, "rollingUpdate")
			def(rolling, "maxUnavailable", "25%")
			def(rolling, "maxSurge", "25%")
		}
	},
	PrepareCreate: warnNewWorkload,
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
		if deploymentRaises(obj, old) {
			warnTemplate(c, obj)
		}
	},
	PrepareStatus: func(_ *Context, obj, old map[string]any) {
		keepField(object.Meta(obj), object.Meta(old), "labels")
	},
	Validate: func(obj map[string]any) field.ErrorList { return validateDeployment(dict(obj, "spec")) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return append(validateDeployment(dict(obj, "spec")), selectorKept(obj, old)...)
	},
	ValidateStatus: func(obj, old map[string]any) field.ErrorList {
		status := dict(obj, "status")
		errs := notBelowZero(status, "status", "observedGeneration", "replicas", "updatedReplicas", "readyReplicas",
			"availableReplicas", "unavailableReplicas", "terminatingReplicas", "collisionCount")
		errs.Add(countsWithin(status, "updatedReplicas", "readyReplicas", "availableReplicas")...)
		errs.Add(readyWithin(status, "readyReplicas")...)
		return append(errs, collisionsKept(status, dict(old, "status"))...)
	},
	Raises: deploymentRaises,
}

// deploymentRaises counts annotations as well: they are copied to the ReplicaSets.
func deploymentRaises(obj, old map[string]any) bool {
	return common.raises(obj, old) || !object.Equal(dict(object.Meta(obj), "annotations"), dict(object.Meta(old), "annotations"))
}

func validateDeployment(spec map[string]any) field.ErrorList {
	p := field.Path("spec")
	errs := notBelowZero(spec, p, "replicas")
	errs.Add(validateSelectorOf(spec, "deployment")...)
	errs.Add(validateTemplateOf(spec, "ReplicaSet")...)
	strategy, at := dict(spec, "strategy"), p.Child("strategy")
	switch rolling := dict(strategy, "rollingUpdate"); str(strategy, "type") {
	case "Recreate":
		if rolling != nil {
			errs.Add(field.Forbidden(at.Child("rollingUpdate"), "may not be specified when strategy `type` is 'Recreate'"))
		}
	case "RollingUpdate":
		errs.Add(validateRolling(rolling, at.Child("rollingUpdate"))...)
	default:
		errs.Add(field.NotSupported(at, printStrategy(strategy, "MaxUnavailable=0", "MaxSurge=0"), "Recreate", "RollingUpdate"))
	}
	errs.Add(notBelowZero(spec, p, "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")...)
	deadline, _ := num(spec, "progressDeadlineSeconds")
	if ready, _ := num(spec, "minReadySeconds"); spec["progressDeadlineSeconds"] != nil && deadline <= ready {
		errs.Add(field.Invalid(p.Child("progressDeadlineSeconds"), deadline, "must be greater than minReadySeconds"))
	}
	return errs
}

var replicaSet = Rules{
	Default: func(obj map[string]any) {
		spec := sub(obj, "spec")
		defaultTemplate(sub(spec, "template"))
		def(spec, "replicas", int64(1))
	},
	PrepareCreate: warnNewWorkload,
	PrepareUpdate: warnChangedWorkload,
	Validate:      func(obj map[string]any) field.ErrorList { return validateReplicaSet(dict(obj, "spec")) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return append(validateReplicaSet(dict(obj, "spec")), selectorKept(obj, old)...)
	},
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList { return validateReplicaStatus(dict(obj, "status")) },
}

func validateReplicaSet(spec map[string]any) field.ErrorList {
	errs := notBelowZero(spec, "spec", "replicas", "minReadySeconds")
	errs.Add(validateSelectorOf(spec, "deployment")...)
	return append(errs, validateTemplateOf(spec, "ReplicaSet")...)
}

func validateReplicaStatus(status map[string]any) field.ErrorList {
	errs := notBelowZero(status, "status", "replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas",
		"observedGeneration", "terminatingReplicas")
	errs.Add(countsWithin(status, "fullyLabeledReplicas", "readyReplicas", "availableReplicas")...)
	return append(errs, readyWithin(status, "readyReplicas")...)
}

var replicationController = Rules{
	Default: func(obj map[string]any) {
		spec := sub(obj, "spec")
		template := dict(spec, "template")
		defaultTemplate(template)
		if labels := dict(dict(template, "metadata"), "labels"); len(labels) > 0 {
			if len(dict(spec, "selector")) == 0 {
				spec["selector"] = object.DeepCopy(labels)
			}
			if len(dict(object.Meta(obj), "labels")) == 0 {
				object.Meta(obj)["labels"] = object.DeepCopy(labels)
			}
		}
		def(spec, "replicas", int64(1))
	},
	PrepareCreate: warnNewWorkload,
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
		if !object.Equal(obj["spec"], old["spec"]) {
			warnTemplate(c, old) // as the real server does
		}
	},
	Validate:       func(obj map[string]any) field.ErrorList { return validateReplicationController(dict(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateReplicationController(dict(obj, "spec")) },
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList { return validateReplicaStatus(dict(obj, "status")) },
}

func validateReplicationController(spec map[string]any) field.ErrorList {
	errs := notBelowZero(spec, "spec", "minReadySeconds")
	labels := dict(spec, "selector")
	if len(labels) == 0 {
		errs.Add(field.Required("spec.selector", ""))
	}
	errs.Add(notBelowZero(spec, "spec", "replicas")...)
	template := dict(spec, "template")
	if template == nil {
		return append(errs, field.Required("spec.template", ""))
	}
	pods := deep(template, "metadata.labels")
	for key, value := range labels {
		if has, ok := pods[key]; !ok || has != value {
			errs.Add(field.Invalid("spec.template.metadata.labels", pods, "`selector` does not match template `labels`"))
			break
		}
	}
	errs.Add(validateTemplate(template, "spec.template")...)
	return append(errs, validateForever(template, "ReplicationController")...)
}

var daemonSet = Rules{
	Default: func(obj map[string]any) {
		// The field is always there where it is a number: clients own its zero.
		if annotations := sub(object.Meta(obj), "annotations"); annotations[templateGeneration] == nil {
			countTemplates(obj, 0)
		}
		spec := sub(obj, "spec")
		defaultTemplate(sub(spec, "template"))
		def(spec, "revisionHistoryLimit", int64(10))
		strategy := sub(spec, "updateStrategy")
		def(strategy, "type", "RollingUpdate")
		if str(strategy, "type") == "RollingUpdate" {
			rolling := sub(strategy, "rollingUpdate")
			def(rolling, "maxUnavailable", int64(1))
			def(rolling, "maxSurge", int64(0))
		}
	},
	PrepareCreate: func(c *Context, obj map[string]any) {
		countTemplates(obj, max(1, templateCount(obj)))
		warnTemplate(c, obj)
	},
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
		n := templateCount(old)
		if !object.Equal(dict(obj, "spec")["template"], dict(old, "spec")["template"]) {
			warnTemplate(c, obj)
			n++
		}
		countTemplates(obj, n)
	},
	PrepareStatus: func(_ *Context, obj, old map[string]any) { countTemplates(obj, templateCount(old)) },
	Validate:      func(obj map[string]any) field.ErrorList { return validateDaemonSet(dict(obj, "spec")) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return append(selectorKept(obj, old), validateDaemonSet(dict(obj, "spec"))...)
	},
	ValidateStatus: func(obj, old map[string]any) field.ErrorList {
		status := dict(obj, "status")
		errs := notBelowZero(status, "status", "currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady",
			"observedGeneration", "updatedNumberScheduled", "numberAvailable", "numberUnavailable", "collisionCount")
		return append(errs, collisionsKept(status, dict(old, "status"))...)
	},
}

// templateGeneration is where a DaemonSet counts its templates: a field once, an
// annotation now.
const templateGeneration = "deprecated.daemonset.template.generation"

func templateCount(obj map[string]any) int64 {
	n, _ := strconv.ParseInt(str(dict(object.Meta(obj), "annotations"), templateGeneration), 10, 64)
	return n
}

func countTemplates(obj map[string]any, n int64) {
	sub(object.Meta(obj), "annotations")[templateGeneration] = strconv.FormatInt(n, 10)
}

func validateDaemonSet(spec map[string]any) field.ErrorList {
	s, template := dict(spec, "selector"), dict(spec, "template")
	errs := validateLabelSelector(s, "spec.selector")
	finds, _ := validateSelects(spec)
	errs.Add(finds...)
	if s != nil && len(dict(s, "matchLabels"))+len(list(s, "matchExpressions")) == 0 {
		errs.Add(field.Invalid("spec.selector", printSelector(s), "empty selector is invalid for daemonset"))
	}
	errs.Add(validateTemplate(template, "spec.template")...)
	errs.Add(validateForever(template, "DaemonSet")...)
	errs.Add(notBelowZero(spec, "spec", "minReadySeconds")...)
	strategy, at := dict(spec, "updateStrategy"), field.Path("spec.updateStrategy")
	switch rolling := dict(strategy, "rollingUpdate"); str(strategy, "type") {
	case "OnDelete":
	case "RollingUpdate":
		at := at.Child("rollingUpdate")
		errs.Add(countOrPercent(rolling["maxUnavailable"], at.Child("maxUnavailable"))...)
		errs.Add(countOrPercent(rolling["maxSurge"], at.Child("maxSurge"))...)
		errs.Add(atMostAll(rolling["maxUnavailable"], at.Child("maxUnavailable"))...)
		errs.Add(atMostAll(rolling["maxSurge"], at.Child("maxSurge"))...)
		missing, _ := countOf(rolling["maxUnavailable"])
		extra, _ := countOf(rolling["maxSurge"])
		switch {
		case missing != 0 && extra != 0:
			errs.Add(field.Invalid(at.Child("maxSurge"), rolling["maxSurge"], "may not be set when maxUnavailable is non-zero"))
		case missing == 0 && extra == 0:
			errs.Add(field.Required(at.Child("maxUnavailable"), "cannot be 0 when maxSurge is 0"))
		}
	default:
		errs.Add(field.NotSupported(at, printStrategy(strategy, "MaxUnavailable=0", "MaxSurge=0"), "RollingUpdate", "OnDelete"))
	}
	return append(errs, notBelowZero(spec, "spec", "revisionHistoryLimit")...)
}

var statefulSet = Rules{
	Default: func(obj map[string]any) {
		spec := sub(obj, "spec")
		defaultTemplate(sub(spec, "template"))
		def(spec, "podManagementPolicy", "OrderedReady")
		def(spec, "replicas", int64(1))
		def(spec, "revisionHistoryLimit", int64(10))
		strategy := sub(spec, "updateStrategy")
		if str(strategy, "type") == "" {
			strategy["type"] = "RollingUpdate"
			sub(strategy, "rollingUpdate")
		}
		if rolling := dict(strategy, "rollingUpdate"); rolling != nil && str(strategy, "type") == "RollingUpdate" {
			def(rolling, "partition", int64(0))
		}
		keep := sub(spec, "persistentVolumeClaimRetentionPolicy")
		def(keep, "whenDeleted", "Retain")
		def(keep, "whenScaled", "Retain")
		for _, claim := range entries(spec, "volumeClaimTemplates") {
			defaultClaim(claim)
			claim["kind"], claim["apiVersion"] = "PersistentVolumeClaim", "v1"
		}
	},
	PrepareCreate: func(c *Context, obj map[string]any) {
		dropMaxUnavailable(obj, nil)
		warnTemplate(c, obj)
		warnClaims(c, obj)
	},
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
		dropMaxUnavailable(obj, old)
		warnChangedWorkload(c, obj, old)
		warnClaims(c, obj, "Spec")
	},
	Validate: func(obj map[string]any) field.ErrorList { return validateStatefulSet(dict(obj, "spec"), nil) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := validateStatefulSet(dict(obj, "spec"), dict(old, "spec"))
		if !object.Equal(withoutKeys(dict(obj, "spec"), statefulSetMay...), withoutKeys(dict(old, "spec"), statefulSetMay...)) {
			errs.Add(field.Forbidden("spec", "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"))
		}
		return errs
	},
	ValidateStatus: func(obj, old map[string]any) field.ErrorList {
		status := dict(obj, "status")
		errs := notBelowZero(status, "status", "replicas", "readyReplicas", "currentReplicas", "updatedReplicas",
			"availableReplicas", "observedGeneration", "collisionCount")
		errs.Add(countsWithin(status, "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")...)
		errs.Add(readyWithin(status, "status.readyReplicas")...)
		return append(errs, collisionsKept(status, dict(old, "status"))...)
	},
}

// dropMaxUnavailable leaves out a field that is behind a gate which is closed in
// the server we follow, unless the object has it already.
func dropMaxUnavailable(obj, old map[string]any) {
	if deep(old, "spec.updateStrategy.rollingUpdate")["maxUnavailable"] == nil {
		delete(deep(obj, "spec.updateStrategy.rollingUpdate"), "maxUnavailable")
	}
}

// statefulSetMay are the fields of the spec that may change.
var statefulSetMay = []string{"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
	"persistentVolumeClaimRetentionPolicy", "minReadySeconds"}

func validateStatefulSet(spec, was map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	if policy := str(spec, "podManagementPolicy"); policy != "OrderedReady" && policy != "Parallel" {
		errs.Add(field.Invalid(p.Child("podManagementPolicy"), policy, "must be 'OrderedReady' or 'Parallel'"))
	}
	strategy, at := dict(spec, "updateStrategy"), p.Child("updateStrategy")
	switch kind := str(strategy, "type"); kind {
	case "":
		errs.Add(field.Required(at, ""))
	case "RollingUpdate":
		rolling := dict(strategy, "rollingUpdate")
		errs.Add(notBelowZero(rolling, at.Child("rollingUpdate"), "partition")...)
		if v := rolling["maxUnavailable"]; v != nil {
			at := at.Child("rollingUpdate", "maxUnavailable")
			errs.Add(countOrPercent(v, at)...)
			if n, _ := countOf(v); n == 0 {
				errs.Add(field.Invalid(at, v, "cannot be 0"))
			}
			errs.Add(atMostAll(v, at)...)
		}
	case "OnDelete":
		if rolling := dict(strategy, "rollingUpdate"); rolling != nil {
			errs.Add(field.Invalid(at.Child("rollingUpdate"), goStruct(rolling, "Partition=0", "MaxUnavailable"), "only allowed for updateStrategy 'RollingUpdate'"))
		}
	default:
		errs.Add(field.Invalid(at, printStrategy(strategy, "Partition=0", "MaxUnavailable"), "must be 'RollingUpdate' or 'OnDelete'"))
	}
	keep := dict(spec, "persistentVolumeClaimRetentionPolicy")
	for _, name := range []string{"whenDeleted", "whenScaled"} {
		if v := str(keep, name); keep != nil && v != "Retain" && v != "Delete" {
			errs.Add(field.NotSupported(p.Child("persistentVolumeClaimRetentionPolicy", name), v, "Retain", "Delete"))
		}
	}
	claims := entries(spec, "volumeClaimTemplates")
	if was == nil {
		for i, claim := range claims {
			errs.Add(validateClaim(dict(claim, "spec"), p.Child("volumeClaimTemplates").Index(i).Child("spec"))...)
		}
	}
	errs.Add(notBelowZero(spec, p, "replicas", "minReadySeconds")...)
	if start, _ := num(dict(spec, "ordinals"), "start"); start < 0 {
		errs.Add(field.Invalid(p.Child("ordinals.start"), start, notNegative))
	}
	if was == nil {
		errs.Add(statefulSetRules.Check(spec, p)...)
	}
	errs.Add(validateSelectorOf(spec, "statefulset")...)
	template := dict(spec, "template")
	if finds, ok := validateSelects(spec); !ok {
		errs.Add(field.Invalid(p.Child("selector"), printSelector(dict(spec, "selector")), ""))
	} else {
		errs.Add(finds...)
		errs.Add(validateClaimed(template, claims, was)...)
	}
	return append(errs, validateForever(template, "StatefulSet")...)
}

var statefulSetRules = rule.Fields{
	{Key: "serviceName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

// validateClaimed checks the template of a StatefulSet, whose pods have volumes
// of its claims. One that was wrong already may stay so.
func validateClaimed(template map[string]any, claims []map[string]any, was map[string]any) field.ErrorList {
	as := maps.Clone(template)
	claiming := maps.Clone(dict(template, "spec"))
	as["spec"] = claiming
	delete(claiming, "subdomain")
	delete(claiming, "hostname")
	var volumes []any
	named := byName(nil)
	for _, claim := range claims {
		name := object.Name(claim)
		if named[name] != nil {
			continue
		}
		named[name] = claim
		volumes = append(volumes, map[string]any{"name": name, "persistentVolumeClaim": map[string]any{"claimName": name}})
	}
	for _, v := range entries(claiming, "volumes") {
		if named[str(v, "name")] == nil {
			volumes = append(volumes, v)
		}
	}
	claiming["volumes"] = volumes
	var errs field.ErrorList
	const at = "spec.template"
	if was == nil || len(validateClaimed(dict(was, "template"), entries(was, "volumeClaimTemplates"), nil)) == 0 {
		errs = validateTemplate(as, at)
	}
	errs.Add(validateTemplateMeta(template, at)...)
	c := podCheck{spec: claiming}
	return append(errs, c.annotations(deep(template, "metadata.annotations"), field.Path(at).Child("annotations"))...)
}

// printStrategy prints a strategy as the real server does, with the fields of a
// rolling update.
func printStrategy(strategy map[string]any, fields ...string) field.Raw {
	strategy = maps.Clone(strategy)
	if rolling := dict(strategy, "rollingUpdate"); rolling != nil {
		strategy["rollingUpdate"] = goStruct(rolling, fields...)
	}
	return goStruct(strategy, `Type=""`, "RollingUpdate")
}

var controllerRevision = Rules{
	Validate: func(obj map[string]any) field.ErrorList {
		errs := notBelowZero(obj, "", "revision")
		switch obj["data"].(type) {
		case map[string]any:
		case nil:
			errs.Add(field.Required("data", "data is mandatory"))
		default:
			errs.Add(field.Required("data", "data must be a valid JSON object"))
		}
		return errs
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := notBelowZero(obj, "", "revision")
		return append(errs, unchanged(obj, old, "data")...)
	},
}
