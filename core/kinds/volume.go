package kinds

import (
	"encoding/json"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/object"
)

// PersistentVolumes and the claims for them

var persistentVolume = Rules{
	Default: func(obj map[string]any) {
		spec := sub(obj, "spec")
		def(sub(obj, "status"), "phase", "Pending")
		def(spec, "persistentVolumeReclaimPolicy", "Retain")
		def(spec, "volumeMode", "Filesystem")
		defaultVolumeSource(spec)
	},
	Admit: func(_ *Context, obj map[string]any) field.ErrorList {
		addFinalizer(obj, "kubernetes.io/pv-protection")
		return nil
	},
	PrepareCreate: func(c *Context, obj map[string]any) {
		obj["status"] = map[string]any{"phase": "Pending", "lastPhaseTransitionTime": c.now()}
		warnVolume(c, obj)
	},
	PrepareUpdate: func(c *Context, obj, _ map[string]any) { warnVolume(c, obj) },
	PrepareStatus: func(c *Context, obj, old map[string]any) {
		status, was := sub(obj, "status"), dict(old, "status")
		if str(status, "phase") != str(was, "phase") && status["lastPhaseTransitionTime"] == nil ||
			str(status, "phase") != str(was, "phase") && object.Equal(status["lastPhaseTransitionTime"], was["lastPhaseTransitionTime"]) {
			status["lastPhaseTransitionTime"] = c.now()
		} else if status["lastPhaseTransitionTime"] == nil {
			keepField(status, was, "lastPhaseTransitionTime")
		}
	},
	Validate: func(obj map[string]any) field.ErrorList {
		return validateVolumeSpec(dict(obj, "spec"), "spec", object.Name(obj), false)
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec, was := dict(obj, "spec"), dict(old, "spec")
		errs := validateVolumeSpec(spec, "spec", object.Name(obj), false)
		source, before := withoutKeys(spec, volumeFields...), withoutKeys(was, volumeFields...)
		if csi := dict(source, "csi"); csi != nil && dict(before, "csi") != nil && dict(before, "csi")["controllerExpandSecretRef"] == nil {
			source["csi"] = withoutKeys(csi, "controllerExpandSecretRef")
		}
		if !object.Equal(source, before) {
			errs.Add(field.Forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation\n"+structDiff(before, source, volumeTree)))
		}
		if !object.Equal(spec["volumeMode"], was["volumeMode"]) {
			errs.Add(field.Invalid("volumeMode", spec["volumeMode"], immutable))
		}
		if was["volumeAttributesClassName"] != nil && spec["volumeAttributesClassName"] == nil {
			errs.Add(field.Forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden"))
		}
		return errs
	},
}

// volumeFields are the fields of a PersistentVolume's spec that are not where its
// data is.
var volumeFields = []string{"capacity", "accessModes", "claimRef", "persistentVolumeReclaimPolicy", "storageClassName",
	"mountOptions", "volumeMode", "nodeAffinity", "volumeAttributesClassName"}

// persistentSources are the kinds of PersistentVolumes, in the order in which the
// real server looks for them.
var persistentSources = strings.Fields(`hostPath gcePersistentDisk awsElasticBlockStore glusterfs flocker nfs rbd quobyte cephfs iscsi cinder fc
	flexVolume azureFile vsphereVolume photonPersistentDisk portworxVolume azureDisk scaleIO local storageos csi`)

// validateVolumeSpec checks the spec of a PersistentVolume, or one that stands
// inline in an attachment.
func validateVolumeSpec(spec map[string]any, p field.Path, name string, inline bool) field.ErrorList {
	var errs field.ErrorList
	capacity := dict(spec, "capacity")
	forbidden := func(key, detail string) { errs.Add(field.Forbidden(p.Child(key), detail)) }
	const notInline = "may not be specified in the context of inline volumes"
	if inline {
		if spec["claimRef"] != nil {
			forbidden("claimRef", notInline)
		}
		if len(capacity) > 0 {
			forbidden("capacity", notInline)
		}
		if spec["csi"] == nil {
			errs.Add(field.Required(p.Child("csi"), "has to be specified in the context of inline volumes"))
		}
	}
	errs.Add(volumeSpecRules.Check(spec, p)...)
	errs.Add(accessModes(strs(spec, "accessModes"), p.Child("accessModes"))...)
	if !inline {
		if len(capacity) == 0 {
			errs.Add(field.Required(p.Child("capacity"), ""))
		}
		if _, storage := capacity["storage"]; !storage || len(capacity) > 1 {
			shown := any(capacity)
			if capacity == nil {
				shown = field.Raw("null")
			}
			errs.Add(field.NotSupported(p.Child("capacity"), shown, "storage"))
		}
		for _, name := range sortedKeys(capacity) {
			errs.Add(basicResource(capacity[name], p.Child("capacity").Key(name))...)
			if !positive(capacity[name]) {
				errs.Add(field.Invalid(p.Child("capacity").Key(name), capacity[name], "must be greater than zero"))
			}
		}
	}
	policy := str(spec, "persistentVolumeReclaimPolicy")
	switch {
	case !inline:
		if policy != "" {
			errs.Add(volumeSpecPersistentVolumeReclaimPolicyRules.Check(spec, p)...)
		}
	case policy != "" && policy != "Retain":
		forbidden("persistentVolumeReclaimPolicy", "may only be Retain in the context of inline volumes")
	}
	affinity, at := dict(spec, "nodeAffinity"), p.Child("nodeAffinity")
	switch {
	case affinity == nil:
	case inline:
		forbidden("nodeAffinity", notInline)
	case affinity["required"] == nil:
		errs.Add(field.Required(at.Child("required"), "must specify required node constraints"))
	default:
		errs.Add(validateNodeSelector(dict(affinity, "required"), at.Child("required"))...)
	}
	errs.Add(persistentSource(spec, p, name, affinity != nil && !inline)...)
	if root := str(dict(spec, "hostPath"), "path"); root != "" && path.Clean(root) == "/" && policy == "Recycle" {
		forbidden("persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'")
	}
	if inline && str(spec, "storageClassName") != "" {
		forbidden("storageClassName", notInline)
	} else {
		errs.Add(volumeSpecStorageClassNameRules.Check(spec, p)...)
	}
	if mode := spec["volumeMode"]; !inline {
		errs.Add(volumeSpecVolumeModeRules.Check(spec, p)...)
	} else if mode != nil && mode != "Filesystem" {
		forbidden("volumeMode", "may not specify volumeMode other than Filesystem in the context of inline volumes")
	}
	if class, ok := spec["volumeAttributesClassName"].(string); ok && !inline {
		if class == "" {
			errs.Add(field.Required(p.Child("volumeAttributesClassName"), "an empty string is disallowed"))
		}
		errs.Add(volumeSpecVolumeAttributesClassNameRules.Check(spec, p)...)
		if spec["csi"] == nil {
			errs.Add(field.Required(p.Child("csi"), "has to be specified when using volumeAttributesClassName"))
		}
	}
	return errs
}

var volumeSpecRules = rule.Fields{
	{Key: "accessModes", Is: rule.Required{}},
}

var volumeSpecPersistentVolumeReclaimPolicyRules = rule.Fields{
	{Key: "persistentVolumeReclaimPolicy", Is: rule.All{rule.IfSet{}, rule.OneOf{"Delete", "Recycle", "Retain"}}},
}

var volumeSpecStorageClassNameRules = rule.Fields{
	{Key: "storageClassName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
}

var volumeSpecVolumeModeRules = rule.Fields{
	{Key: "volumeMode", Is: rule.All{rule.IfSet{}, rule.OneOf{"Block", "Filesystem"}}},
}

var volumeSpecVolumeAttributesClassNameRules = rule.Fields{
	{Key: "volumeAttributesClassName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
}

// persistentSource checks where the data of a PersistentVolume is.
func persistentSource(spec map[string]any, p field.Path, name string, bound bool) field.ErrorList {
	var errs field.ErrorList
	some := false
	for _, source := range persistentSources {
		s, ok := spec[source].(map[string]any)
		if !ok {
			continue
		}
		if some && source != "flexVolume" {
			if other := secondSources[source]; other != "" {
				source = other
			}
			errs.Add(field.Forbidden(p.Child(source), "may not specify more than 1 volume type"))
			continue
		}
		some = true
		at := p.Child(source)
		switch source {
		case "csi":
			errs.Add(validateDriver(str(s, "driver"), at.Child("driver"))...)
			errs.Add(persistentCsiRules.Check(s, at)...)
		case "iscsi":
			wrong := iscsiPortalRules.Check(s, at)
			portal := str(s, "targetPortal")
			if s["initiatorName"] != nil && len(name+":"+portal) > 64 {
				wrong.Add(field.Invalid(at.Child("targetportal"), portal, "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified."))
			}
			wrong.Add(iscsiTargetRules.Check(s, at)...)
			wrong.Add(moreSourceRules[source](s, at)...)
			for _, e := range wrong {
				if strings.HasPrefix(e.Detail, "must be valid format") {
					e.Detail = "must be valid format"
				}
			}
			errs.Add(wrong...)
		case "cinder", "storageos", "local":
			errs.Add(persistentRules[source].Check(s, at)...)
			if source == "local" && !bound {
				errs.Add(field.Required(p.Child("nodeAffinity"), "Local volume requires node affinity"))
			}
		default:
			errs.Add(validateSource(source, s, p)...)
			if namespace, ok := s["secretNamespace"].(string); ok && namespace == "" {
				errs.Add(field.Required(at.Child("secretNamespace"), ""))
			}
			if namespace, ok := s["endpointsNamespace"].(string); ok && namespace == "" {
				errs.Add(field.Invalid(at.Child("endpointsNamespace"), "", "if the endpointnamespace is set, it must be a valid namespace name"))
			}
			errs.Add(endpointsNamespaceRules.Check(s, at)...)
		}
	}
	if !some {
		errs.Add(field.Required(p, "must specify a volume type"))
	}
	return errs
}

var iscsiPortalRules = rule.Fields{
	{Key: "targetPortal", Is: rule.Required{}},
}

var iscsiTargetRules = rule.Fields{
	{Key: "iqn", Is: rule.All{rule.Required{}, rule.Form(qualifiedISCSI)}},
	{Key: "lun", Is: rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: 255}}},
	{Key: "secretRef", Is: rule.All{rule.IfSet{}, namedRules}},
}

var endpointsNamespaceRules = rule.Fields{
	{Key: "endpointsNamespace", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

// basicResource checks that there is not less than nothing of something.
func basicResource(v any, at field.Path) field.ErrorList {
	if q, ok := quantity(v); ok && q.Float() <= -1 {
		return field.ErrorList{field.Invalid(at, int64(math.Floor(q.Float())), "must be a valid resource quantity")}
	}
	return nil
}

// accessModes checks in which ways a volume is to be used.
func accessModes(modes []string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	known := []string{"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}
	once, other := false, false
	for _, mode := range modes {
		switch i := slices.Index(known, mode); {
		case i < 0:
			errs.Add(field.NotSupported(at, mode, known...))
		case i == 3:
			once = true
		default:
			other = true
		}
	}
	if once && other {
		errs.Add(field.Forbidden(at, "may not use ReadWriteOncePod with other access modes"))
	}
	return errs
}

var persistentVolumeClaim = Rules{
	Default: defaultClaim,
	Admit: func(_ *Context, obj map[string]any) field.ErrorList {
		addFinalizer(obj, "kubernetes.io/pvc-protection")
		return nil
	},
	PrepareCreate: func(c *Context, obj map[string]any) {
		obj["status"] = map[string]any{"phase": "Pending"}
		settleSources(dict(obj, "spec"), nil)
		warnClaim(c, obj)
	},
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
		settleSources(dict(obj, "spec"), dict(old, "spec"))
		warnClaim(c, obj)
	},
	Validate: func(obj map[string]any) field.ErrorList { return validateClaim(dict(obj, "spec"), "spec") },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec, was := dict(obj, "spec"), dict(old, "spec")
		errs := validateClaim(spec, "spec")
		was, now := object.DeepCopy(was), object.DeepCopy(spec)
		bound := str(dict(old, "status"), "phase") == "Bound"
		if str(was, "volumeName") == "" {
			keepField(was, now, "volumeName")
		}
		class, before := now["storageClassName"], was["storageClassName"]
		annotation, had := dict(object.Meta(old), "annotations")[oldClass].(string)
		kept, has := dict(object.Meta(obj), "annotations")[oldClass].(string)
		switch {
		case had && before == nil && class == annotation && (!has || kept == annotation):
			delete(now, "storageClassName")
		default:
			if kept != annotation {
				errs.Add(field.Invalid(field.Path("metadata.annotations").Key(oldClass), kept, immutable))
			}
			if class != nil && before == nil && (!had || class == annotation) {
				was["storageClassName"] = class
			}
		}
		if bound {
			if requests := deep(now, "resources.requests"); requests != nil {
				keepField(requests, deep(was, "resources.requests"), "storage")
			}
			keepField(now, was, "volumeAttributesClassName")
		}
		if !object.Equal(now, was) {
			errs.Add(field.Forbidden("spec", "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n"+claimDiff(was, now)))
		}
		was = dict(old, "spec")
		size, had2 := deep(spec, "resources.requests")["storage"], deep(was, "resources.requests")["storage"]
		if size == nil {
			size = "0"
		}
		if holds := deep(old, "status.capacity")["storage"]; moreThan(had2, size) && (!positive(size) || holds != nil && !moreThan(size, holds)) {
			errs.Add(field.Forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"))
		}
		if !object.Equal(spec["volumeMode"], was["volumeMode"]) {
			errs.Add(field.Invalid("volumeMode", spec["volumeMode"], immutable))
		}
		if class := spec["volumeAttributesClassName"]; dict(old, "status")["currentVolumeAttributesClassName"] != nil && class != was["volumeAttributesClassName"] {
			switch class {
			case nil:
				errs.Add(field.Forbidden("spec.volumeAttributesClassName", "update to nil is forbidden when status.currentVolumeAttributesClassName is not nil"))
			case "":
				errs.Add(field.Forbidden("spec.volumeAttributesClassName", "update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil"))
			}
		}
		return errs
	},
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList { return validateVolumeClaimStatus(dict(obj, "status")) },
}

func addFinalizer(obj map[string]any, name string) {
	finalizers := object.Finalizers(obj)
	for _, f := range finalizers {
		if f == name {
			return
		}
	}
	object.SetFinalizers(obj, append(finalizers, name))
}

func defaultClaim(obj map[string]any) {
	def(sub(obj, "spec"), "volumeMode", "Filesystem")
	def(sub(obj, "status"), "phase", "Pending")
}

// settleSources drops what a claim cannot be filled from: a reference to another
// namespace, which is switched off in the server we follow, and in the older field
// what is neither a claim nor a snapshot. Then it copies the one reference into the
// field that lacks it: the two mean the same.
func settleSources(spec, was map[string]any) {
	ref := dict(spec, "dataSourceRef")
	if str(ref, "namespace") != "" && was["dataSourceRef"] == nil {
		delete(spec, "dataSourceRef")
	}
	ref, source := dict(spec, "dataSourceRef"), dict(spec, "dataSource")
	kind := str(source, "apiGroup") + "/" + str(source, "kind")
	if source != nil && ref == nil && was["dataSource"] == nil && was["dataSourceRef"] == nil &&
		kind != "/PersistentVolumeClaim" && kind != "snapshot.storage.k8s.io/VolumeSnapshot" {
		delete(spec, "dataSource")
		source = nil
	}
	copied := func(to string, from map[string]any) {
		spec[to] = map[string]any{"apiGroup": from["apiGroup"], "kind": from["kind"], "name": from["name"]}
		from["apiGroup"] = from["apiGroup"] // null where it was missing
	}
	switch {
	case source != nil && ref == nil:
		copied("dataSourceRef", source)
	case source == nil && ref != nil && str(ref, "namespace") == "":
		copied("dataSource", ref)
	}
}

// oldClass is where the class of a claim was before it was a field.
const oldClass = "volume.beta.kubernetes.io/storage-class"

// claimDiff tells how the specs of two claims differ.
func claimDiff(was, now map[string]any) string {
	for _, spec := range []map[string]any{was, now} {
		if s := dict(spec, "selector"); s != nil {
			spec["selector"] = json.RawMessage(printSelector(s))
		}
	}
	return structDiff(was, now, claimSpecTree)
}

func validateVolumeClaimStatus(status map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("status")
	for _, name := range sortedKeys(dict(status, "capacity")) {
		errs.Add(basicResource(dict(status, "capacity")[name], p.Child("capacity").Key(name))...)
	}
	claimed := func(name string, at field.Path) field.ErrorList {
		errs := rule.Invalid(at, name, syntax.LabelKey(name))
		if errs == nil && isNative(name) && name != "storage" {
			errs.Add(field.NotSupported(at, name, "storage"))
		}
		return errs
	}
	known := []string{"ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"}
	slices.Sort(known)
	at, states := p.Child("allocatedResourceStatuses"), dict(status, "allocatedResourceStatuses")
	for _, name := range sortedKeys(states) {
		errs.Add(claimed(name, at)...)
		if !slices.Contains(known, str(states, name)) {
			errs.Add(field.NotSupported(at, name, known...))
		}
	}
	at = p.Child("allocatedResources")
	for name, v := range dict(status, "allocatedResources") {
		wrong := claimed(name, at)
		if wrong == nil {
			wrong = basicResource(v, at.Key(name))
		}
		if wrong == nil && negative(v) {
			wrong.Add(field.Invalid(at.Key(name), v, notNegative))
		}
		errs.Add(wrong...)
	}
	return errs
}

func validateClaim(spec map[string]any, p field.Path) field.ErrorList {
	var errs field.ErrorList
	modes := strs(spec, "accessModes")
	if len(modes) == 0 {
		errs.Add(field.Required(p.Child("accessModes"), "at least 1 access mode is required"))
	}
	errs.Add(validateLabelSelector(dict(spec, "selector"), p.Child("selector"))...)
	errs.Add(accessModes(modes, p.Child("accessModes"))...)
	storage := deep(spec, "resources.requests")["storage"]
	switch at := p.Child("resources").Key("storage"); {
	case storage == nil:
		errs.Add(field.Required(at, ""))
	case !positive(storage):
		errs.Add(field.Invalid(at, storage, "must be greater than zero"))
	}
	errs.Add(claimSpecRules.Check(spec, p)...)
	source, ref := dict(spec, "dataSource"), dict(spec, "dataSourceRef")
	for _, key := range []string{"dataSource", "dataSourceRef"} {
		of, at := dict(spec, key), p.Child(key)
		if of == nil {
			continue
		}
		errs.Add(claimNameRules.Check(of, at)...)
		if kind := str(of, "kind"); str(of, "apiGroup") == "" && kind != "PersistentVolumeClaim" {
			errs.Add(field.Invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
		}
		errs.Add(claimApiGroupRules.Check(of, at)...)
	}
	switch {
	case source == nil || ref == nil:
	case str(ref, "namespace") != "":
		errs.Add(field.Invalid(p, field.Raw("{}"), "may not be specified when dataSourceRef.namespace is specified"))
	case source["apiGroup"] != ref["apiGroup"] || str(source, "kind") != str(ref, "kind") || str(source, "name") != str(ref, "name"):
		errs.Add(field.Invalid(p, field.Raw("{}"), "must match dataSourceRef"))
	}
	return append(errs, volumeSpecVolumeAttributesClassNameRules.Check(spec, p)...)
}

var claimSpecRules = rule.Fields{
	{Key: "storageClassName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
	{Key: "volumeMode", Is: rule.All{rule.IfSet{}, rule.OneOf{"Block", "Filesystem"}}},
}

var claimNameRules = rule.Fields{
	{Key: "name", Is: rule.Required{}},
	{Key: "kind", Is: rule.Required{}},
}

var claimApiGroupRules = rule.Fields{
	{Key: "apiGroup", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
	{Key: "namespace", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}
