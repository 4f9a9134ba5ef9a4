package kinds

import (
	"math"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/object"
)

// storage.k8s.io

var storageClass = Rules{
	Default: func(obj map[string]any) {
		def(obj, "reclaimPolicy", "Delete")
		def(obj, "volumeBindingMode", "Immediate")
	},
	PrepareCreate: warnStorageClass,
	PrepareUpdate: func(c *Context, obj, _ map[string]any) { warnStorageClass(c, obj) },
	Validate:      validateStorageClass,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return append(validateStorageClass(obj), unchanged(obj, old, "parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")...)
	},
}

func validateStorageClass(obj map[string]any) field.ErrorList {
	errs := validateDriven(obj, "provisioner", 0)
	if str(obj, "reclaimPolicy") != "" {
		errs.Add(storageClassRules.Check(obj, "")...)
	}
	errs.Add(storageClassVolumeBindingModeRules.Check(obj, "")...)
	terms := entries(obj, "allowedTopologies")
	for i, term := range terms {
		at, same := field.Path("allowedTopologies").Index(i).Child("matchLabelExpressions"), 0
		var keys rule.Seen[string]
		for j, e := range entries(term, "matchLabelExpressions") {
			at, values, key := at.Index(j), strs(e, "values"), str(e, "key")
			errs.Add(storageClassValuesRules.Check(e, at)...)
			var before rule.Seen[string]
			for k, v := range values {
				if before.Again(v) {
					errs.Add(field.Duplicate(at.Child("values").Index(k), v))
				}
			}
			errs.Add(storageClassKeyRules.Check(e, at)...)
			if keys.Again(key) {
				errs.Add(field.Duplicate(at.Child("key"), key))
			}
		}
		if len(keys) == 0 {
			// The real server begins with as many empty terms as there will be.
			same = len(terms)
		}
		for _, earlier := range terms[:i] {
			if sameTopology(term, earlier) {
				same++
			}
		}
		for range same {
			errs.Add(field.Duplicate(at, ""))
		}
	}
	return errs
}

var storageClassRules = rule.Fields{
	{Key: "reclaimPolicy", Is: rule.All{rule.IfSet{}, rule.OneOf{"Delete", "Retain"}}},
}

var storageClassVolumeBindingModeRules = rule.Fields{
	{Key: "volumeBindingMode", Is: rule.All{rule.IfSet{}, rule.OneOf{"Immediate", "WaitForFirstConsumer"}}},
}

var storageClassValuesRules = rule.Fields{
	{Key: "values", Is: rule.Required{}},
}

var storageClassKeyRules = rule.Fields{
	{Key: "key", Is: rule.Form(syntax.LabelKey)},
}

// sameTopology reports whether two terms have the same values for the same keys.
func sameTopology(a, b map[string]any) bool {
	values := func(term map[string]any) map[string]any {
		all := map[string]any{}
		for _, e := range entries(term, "matchLabelExpressions") {
			set := map[string]any{}
			for _, v := range strs(e, "values") {
				set[v] = ""
			}
			all[str(e, "key")] = set
		}
		return all
	}
	return object.Equal(values(a), values(b))
}

// validateDriven checks a class that has a driver and parameters for it, of which
// there must be at least some.
func validateDriven(obj map[string]any, driver string, least int) field.ErrorList {
	errs := required(obj, "", driver)
	if name := strings.ToLower(str(obj, driver)); name != "" {
		errs.Add(rule.Invalid(field.Path(driver), name, syntax.LabelKey(name))...)
	}
	parameters, at := dict(obj, "parameters"), field.Path("parameters")
	if len(parameters) > 512 {
		return append(errs, field.TooLong(at, 512))
	}
	size := 0
	for key := range parameters {
		if key == "" {
			errs.Add(field.Invalid(at, key, "field can not be empty."))
		}
		size += len(key) + len(str(parameters, key))
	}
	if size > 256<<10 {
		errs.Add(field.TooLong(at, 256<<10))
	}
	if len(parameters) < least {
		errs.Add(field.Required(at, "must contain at least one key/value pair"))
	}
	return errs
}

var csiDriver = Rules{
	Default: func(obj map[string]any) {
		spec := sub(obj, "spec")
		def(spec, "attachRequired", true)
		def(spec, "podInfoOnMount", false)
		def(spec, "storageCapacity", false)
		def(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType")
		if len(list(spec, "volumeLifecycleModes")) == 0 {
			spec["volumeLifecycleModes"] = anyStrings("Persistent")
		}
		def(spec, "requiresRepublish", false)
		def(spec, "seLinuxMount", false)
	},
	// The generation counts changes only.
	PrepareCreate: func(c *Context, obj map[string]any) {
		delete(object.Meta(obj), "generation")
		dropScaling(obj)
		warnCSIDriver(c, obj, nil)
	},
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
		dropScaling(obj)
		warnCSIDriver(c, obj, old)
	},
	Validate: validateDriverSpec,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec, was := dict(obj, "spec"), dict(old, "spec")
		errs := validateDriverSpec(obj)
		if spec["attachRequired"] != was["attachRequired"] {
			errs.Add(field.Invalid("spec.attachedRequired", spec["attachRequired"], immutable))
		}
		if !object.Equal(spec["volumeLifecycleModes"], was["volumeLifecycleModes"]) {
			errs.Add(field.Invalid("spec.volumeLifecycleModes", spec["volumeLifecycleModes"], immutable))
		}
		return errs
	},
}

// dropScaling drops what belongs to the scaling by volumes, which is switched off in
// the server we follow.
func dropScaling(obj map[string]any) { delete(dict(obj, "spec"), "preventPodSchedulingIfMissing") }

func validateDriverSpec(obj map[string]any) field.ErrorList {
	spec, p := dict(obj, "spec"), field.Path("spec")
	errs := driverSpecRules.Check(spec, p)
	audiences := map[string]bool{}
	for i, request := range entries(spec, "tokenRequests") {
		at, audience := p.Child("tokenRequests").Index(i), str(request, "audience")
		if audiences[audience] {
			errs.Add(field.Duplicate(at.Child("audience"), audience))
			continue
		}
		audiences[audience] = true
		n, some := num(request, "expirationSeconds")
		at = at.Child("expirationSeconds")
		if some && n < 600 {
			errs.Add(field.Invalid(at, n, "may not specify a duration less than 10 minutes"))
		}
		if n > 1<<32 {
			errs.Add(field.Invalid(at, n, "may not specify a duration larger than 2^32 seconds"))
		}
	}
	for _, mode := range strs(spec, "volumeLifecycleModes") {
		if mode != "Persistent" && mode != "Ephemeral" {
			errs.Add(field.NotSupported(p.Child("volumeLifecycleModes"), mode, "Persistent", "Ephemeral"))
		}
	}
	if n, some := num(spec, "nodeAllocatableUpdatePeriodSeconds"); some && n < 10 {
		errs.Add(field.Invalid(p.Child("nodeAllocatableUpdatePeriodSeconds"), n, "must be greater than or equal to 10 seconds"))
	}
	if v := spec["serviceAccountTokenInSecrets"]; v != nil && len(audiences) == 0 {
		errs.Add(field.Invalid(p.Child("serviceAccountTokenInSecrets"), v, "serviceAccountTokenInSecrets is set but no tokenRequests are specified"))
	}
	return errs
}

var driverSpecRules = rule.Fields{
	{Key: "fsGroupPolicy", Is: rule.All{rule.IfSet{}, rule.OneOf{"File", "None", "ReadWriteOnceWithFSType"}}},
}

// csiNode lets drivers come and go, but not change in more than how much they
// can take.
var csiNode = Rules{
	Validate: validateNodeDrivers,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := validateNodeDrivers(obj)
		for _, driver := range entries(dict(obj, "spec"), "drivers") {
			for _, was := range entries(dict(old, "spec"), "drivers") {
				now, was := withoutKeys(driver, "allocatable"), withoutKeys(was, "allocatable")
				if str(now, "name") != str(was, "name") || object.Equal(now, was) {
					continue
				}
				text := goStruct(now, `Name=""`, `NodeID:nodeID=""`, "TopologyKeys", "Allocatable")
				errs.Add(field.Invalid("spec.drivers", text, immutable))
			}
		}
		return errs
	},
}

func validateNodeDrivers(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, driver := range entries(dict(obj, "spec"), "drivers") {
		at, name, id := field.Path("spec.drivers").Index(i), str(driver, "name"), str(driver, "nodeID")
		errs.Add(validateDriver(name, at.Child("name"))...)
		errs.Add(required(driver, at, "nodeID")...)
		if len(id) > 256 {
			errs.Add(field.Invalid(at.Child("nodeID"), id, "must be 256 characters or less"))
		}
		errs.Add(notBelowZero(dict(driver, "allocatable"), at.Child("allocatable"), "count")...)
		if names[name] {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
		names[name] = true
		keys := strs(driver, "topologyKeys")
		var before rule.Seen[string]
		for _, key := range keys {
			if key == "" {
				errs.Add(field.Required(at, key))
			}
			if before.Again(key) {
				errs.Add(field.Duplicate(at, key))
			}
			errs.Add(rule.Invalid(at, key, syntax.LabelKey(key))...)
		}
	}
	return errs
}

var csiStorageCapacity = Rules{
	PrepareCreate: warnCapacity,
	PrepareUpdate: func(c *Context, obj, _ map[string]any) { warnCapacity(c, obj) },
	Validate:      validateCapacity,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := validateCapacity(obj)
		switch s := dict(obj, "nodeTopology"); {
		case object.Equal(s, dict(old, "nodeTopology")):
		case s == nil:
			errs.Add(field.Invalid("nodeTopology", nil, immutable))
		default:
			errs.Add(field.Invalid("nodeTopology", printSelector(s), immutable))
		}
		return append(errs, unchanged(obj, old, "storageClassName")...)
	},
}

func validateCapacity(obj map[string]any) field.ErrorList {
	errs := validateLabelSelector(dict(obj, "nodeTopology"), "nodeTopology")
	errs.Add(capacityRules.Check(obj, "")...)
	if v := obj["capacity"]; negative(v) {
		errs.Add(field.Invalid("capacity", v, notNegative))
	}
	return errs
}

var capacityRules = rule.Fields{
	{Key: "storageClassName", Is: rule.Form(syntax.Subdomain)},
}

var volumeAttachment = Rules{
	Default: func(obj map[string]any) {
		if inline := deep(obj, "spec.source.inlineVolumeSpec"); inline != nil {
			defaultVolumeSource(inline)
		}
	},
	Validate: validateAttachment,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs, spec := validateAttachment(obj), dict(obj, "spec")
		if object.Equal(spec, dict(old, "spec")) {
			return errs
		}
		return append(errs, field.Invalid("spec", goTree(spec, attachmentTree), immutable))
	},
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList { return validateAttachment(obj) },
}

func validateAttachment(obj map[string]any) field.ErrorList {
	spec, at := dict(obj, "spec"), field.Path("spec.source")
	source := dict(spec, "source")
	inline, name := dict(source, "inlineVolumeSpec"), str(source, "persistentVolumeName")
	errs := validateDriver(str(spec, "attacher"), "spec.attacher")
	switch named := source["persistentVolumeName"] != nil; {
	case !named && inline == nil:
		errs.Add(field.Required(at, "must specify exactly one of inlineVolumeSpec and persistentVolumeName"))
	case named && inline != nil:
		errs.Add(field.Forbidden(at, "must specify exactly one of inlineVolumeSpec and persistentVolumeName"))
	case named && name == "":
		errs.Add(field.Required(at.Child("persistentVolumeName"), "must specify non empty persistentVolumeName"))
	case inline != nil:
		errs.Add(validateVolumeSpec(inline, at.Child("inlineVolumeSpec"), "", true)...)
	}
	errs.Add(attachmentRules.Check(spec, "spec")...)
	for _, name := range []string{"attachError", "detachError"} {
		at, e := field.Path("status").Child(name), deep(obj, "status."+name)
		if len(str(e, "message")) > 1024 {
			errs.Add(field.TooLong(at.Child("message"), 256<<10))
		}
		errs.Add(attachmentErrorCodeRules.Check(e, at)...)
	}
	if source["persistentVolumeName"] != nil {
		errs.Add(attachmentPersistentVolumeNameRules.Check(source, at)...)
	}
	return errs
}

var attachmentRules = rule.Fields{
	{Key: "nodeName", Is: rule.Form(syntax.Subdomain)},
}

var attachmentErrorCodeRules = rule.Fields{
	{Key: "errorCode", Is: rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: math.MaxInt32}}},
}

var attachmentPersistentVolumeNameRules = rule.Fields{
	{Key: "persistentVolumeName", Is: rule.Form(syntax.Subdomain)},
}

var volumeAttributesClass = Rules{
	Admit: func(_ *Context, obj map[string]any) field.ErrorList {
		addFinalizer(obj, "kubernetes.io/vac-protection")
		return nil
	},
	Validate: func(obj map[string]any) field.ErrorList { return validateDriven(obj, "driverName", 1) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		for _, name := range []string{"driverName", "parameters"} {
			if !object.Equal(obj[name], old[name]) {
				errs.Add(field.Forbidden(field.Path(name), "updates to "+name+" are forbidden."))
			}
		}
		return append(errs, validateDriven(obj, "driverName", 1)...)
	},
}
