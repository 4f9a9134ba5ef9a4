package kinds

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/object"
)

// storage.k8s.io, and the volumes of core

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
	Validate: func(obj map[string]any) field.ErrorList { return validateVolumeSpec(dict(obj, "spec")) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec, was := dict(obj, "spec"), dict(old, "spec")
		errs := validateVolumeSpec(spec)
		if !object.Equal(withoutKeys(spec, volumeFields...), withoutKeys(was, volumeFields...)) {
			errs.Add(field.Forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation\n"))
		}
		if !object.Equal(spec["volumeMode"], was["volumeMode"]) {
			errs.Add(field.Invalid("volumeMode", spec["volumeMode"], immutable))
		}
		return errs
	},
	MetaTwice: true,
}

// volumeFields are the fields of a PersistentVolume's spec that are not where its
// data is.
var volumeFields = []string{"capacity", "accessModes", "claimRef", "persistentVolumeReclaimPolicy", "storageClassName",
	"mountOptions", "volumeMode", "nodeAffinity", "volumeAttributesClassName"}

func validateVolumeSpec(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	modes := strs(spec, "accessModes")
	if len(modes) == 0 {
		errs.Add(field.Required(p.Child("accessModes"), ""))
	}
	for _, mode := range modes {
		errs.Add(accessMode(mode, p.Child("accessModes"))...)
	}
	capacity := dict(spec, "capacity")
	if len(capacity) == 0 {
		errs.Add(field.Required(p.Child("capacity"), ""))
	} else if _, storage := capacity["storage"]; !storage || len(capacity) > 1 {
		errs.Add(field.NotSupported(p.Child("capacity"), capacity, "storage"))
	}
	if v := capacity["storage"]; v != nil && !positive(v) {
		errs.Add(field.Invalid(p.Child("capacity").Key("storage"), v, "must be greater than zero"))
	}
	errs.Add(oneOf(spec, p, "persistentVolumeReclaimPolicy", "Delete", "Recycle", "Retain")...)
	switch sources := sortedKeys(withoutKeys(spec, volumeFields...)); len(sources) {
	case 0:
		errs.Add(field.Required(p, "must specify a volume type"))
	case 1:
		errs.Add(required(dict(spec, sources[0]), p.Child(sources[0]), persistentNeeds[sources[0]]...)...)
	default:
		errs.Add(field.Forbidden(p.Child(sources[1]), "may not specify more than 1 volume type"))
	}
	if class := str(spec, "storageClassName"); class != "" {
		errs.Add(invalid(p.Child("storageClassName"), class, syntax.Subdomain(class))...)
	}
	return append(errs, oneOf(spec, p, "volumeMode", "Block", "Filesystem")...)
}

// persistentNeeds are the texts that sources of PersistentVolumes must have.
var persistentNeeds = map[string][]string{
	"hostPath": {"path"}, "nfs": {"server", "path"}, "csi": {"driver", "volumeHandle"}, "local": {"path"}, "iscsi": {"targetPortal", "iqn"},
}

func accessMode(mode string, at field.Path) field.ErrorList {
	switch mode {
	case "ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod":
		return nil
	}
	return field.ErrorList{field.NotSupported(at, mode, "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")}
}

var persistentVolumeClaim = Rules{
	Default: defaultClaim,
	Admit: func(_ *Context, obj map[string]any) field.ErrorList {
		addFinalizer(obj, "kubernetes.io/pvc-protection")
		return nil
	},
	PrepareCreate: func(c *Context, obj map[string]any) {
		obj["status"] = map[string]any{"phase": "Pending"}
		warnClaim(c, obj)
	},
	PrepareUpdate: func(c *Context, obj, _ map[string]any) { warnClaim(c, obj) },
	Validate:      func(obj map[string]any) field.ErrorList { return validateClaim(dict(obj, "spec"), "spec") },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec, was := dict(obj, "spec"), dict(old, "spec")
		errs := validateClaim(spec, "spec")
		bound := str(dict(old, "status"), "phase") == "Bound"
		may := []string{"volumeName"}
		if bound {
			may = append(may, "resources", "volumeAttributesClassName")
		}
		if str(was, "volumeName") != "" && str(spec, "volumeName") != str(was, "volumeName") {
			may = may[1:]
		}
		if !object.Equal(withoutKeys(spec, may...), withoutKeys(was, may...)) {
			errs.Add(field.Forbidden("spec", "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n"))
		}
		size, before := deep(spec, "resources.requests")["storage"], deep(was, "resources.requests")["storage"]
		has := deep(old, "status.capacity")["storage"]
		if bound && moreThan(before, size) && (has == nil || !moreThan(size, has)) {
			errs.Add(field.Forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"))
		}
		return errs
	},
	MetaTwice: true,
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
	spec := sub(obj, "spec")
	def(spec, "volumeMode", "Filesystem")
	def(sub(obj, "status"), "phase", "Pending")
	mirrorSource(spec, "dataSource", "dataSourceRef")
	mirrorSource(spec, "dataSourceRef", "dataSource")
}

// mirrorSource copies what a claim is filled from into the field that lacks it:
// the two mean the same as long as no other namespace is named.
func mirrorSource(spec map[string]any, from, to string) {
	source := dict(spec, from)
	if source == nil || spec[to] != nil || source["namespace"] != nil {
		return
	}
	copied := object.DeepCopy(source)
	for _, s := range []map[string]any{source, copied} {
		if _, ok := s["apiGroup"]; !ok {
			s["apiGroup"] = nil
		}
	}
	spec[to] = copied
}

func validateClaim(spec map[string]any, p field.Path) field.ErrorList {
	var errs field.ErrorList
	modes := strs(spec, "accessModes")
	if len(modes) == 0 {
		errs.Add(field.Required(p.Child("accessModes"), "at least 1 access mode is required"))
	}
	once := false
	for _, mode := range modes {
		once = once || mode == "ReadWriteOncePod"
		errs.Add(accessMode(mode, p.Child("accessModes"))...)
	}
	if once && len(modes) > 1 {
		errs.Add(field.Forbidden(p.Child("accessModes"), "may not use ReadWriteOncePod with other access modes"))
	}
	storage := deep(spec, "resources.requests")["storage"]
	switch at := p.Child("resources").Key("storage"); {
	case storage == nil:
		errs.Add(field.Required(at, ""))
	case !positive(storage):
		errs.Add(field.Invalid(at, storage, "must be greater than zero"))
	}
	for _, name := range []string{"storageClassName", "volumeAttributesClassName"} {
		if v := str(spec, name); v != "" {
			errs.Add(invalid(p.Child(name), v, syntax.Subdomain(v))...)
		}
	}
	if spec["volumeMode"] != nil {
		errs.Add(oneOf(spec, p, "volumeMode", "Block", "Filesystem")...)
	}
	return errs
}

var storageClass = Rules{
	Default: func(obj map[string]any) {
		def(obj, "reclaimPolicy", "Delete")
		def(obj, "volumeBindingMode", "Immediate")
	},
	PrepareCreate: warnStorageClass,
	PrepareUpdate: func(c *Context, obj, _ map[string]any) { warnStorageClass(c, obj) },
	Validate: func(obj map[string]any) field.ErrorList {
		errs := required(obj, "", "provisioner")
		errs.Add(oneOf(obj, "", "reclaimPolicy", "Delete", "Retain")...)
		return append(errs, oneOf(obj, "", "volumeBindingMode", "Immediate", "WaitForFirstConsumer")...)
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return unchanged(obj, old, "parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")
	},
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
		warnCSIDriver(c, obj, nil)
	},
	PrepareUpdate: warnCSIDriver,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec, was := dict(obj, "spec"), dict(old, "spec")
		var errs field.ErrorList
		if spec["attachRequired"] != was["attachRequired"] {
			errs.Add(field.Invalid("spec.attachedRequired", spec["attachRequired"], immutable))
		}
		if !object.Equal(spec["volumeLifecycleModes"], was["volumeLifecycleModes"]) {
			errs.Add(field.Invalid("spec.volumeLifecycleModes", spec["volumeLifecycleModes"], immutable))
		}
		return errs
	},
}

// csiNode lets drivers come and go, but not change in more than how much they
// can take.
var csiNode = Rules{
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
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

var csiStorageCapacity = Rules{
	PrepareCreate: warnCapacity,
	PrepareUpdate: func(c *Context, obj, _ map[string]any) { warnCapacity(c, obj) },
	Validate:      func(obj map[string]any) field.ErrorList { return required(obj, "", "storageClassName") },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		if s := dict(obj, "nodeTopology"); !object.Equal(s, dict(old, "nodeTopology")) {
			errs.Add(field.Invalid("nodeTopology", printSelector(s), immutable))
		}
		return append(errs, unchanged(obj, old, "storageClassName")...)
	},
}

var volumeAttachment = Rules{
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec := dict(obj, "spec")
		if object.Equal(spec, dict(old, "spec")) {
			return nil
		}
		printed := map[string]any{"attacher": spec["attacher"], "nodeName": spec["nodeName"], "source": map[string]any{
			"PersistentVolumeName": dict(spec, "source")["persistentVolumeName"], "InlineVolumeSpec": nil}}
		source := goStruct(asMap(printed["source"]), "PersistentVolumeName:PersistentVolumeName", "InlineVolumeSpec")
		text := goStruct(printed, `Attacher=""`, "Source:none="+string(source), `NodeName=""`)
		return field.ErrorList{field.Invalid("spec", text, immutable)}
	},
}

var volumeAttributesClass = Rules{
	Admit: func(_ *Context, obj map[string]any) field.ErrorList {
		addFinalizer(obj, "kubernetes.io/vac-protection")
		return nil
	},
	Validate: func(obj map[string]any) field.ErrorList { return required(obj, "", "driverName") },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		for _, name := range []string{"driverName", "parameters"} {
			if !object.Equal(obj[name], old[name]) {
				errs.Add(field.Forbidden(field.Path(name), "updates to "+name+" are forbidden."))
			}
		}
		return errs
	},
}
