package kinds

import (
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
		errs = append(errs, field.Invalid("spec.leaseDurationSeconds", n, "must be greater than 0"))
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
			errs = append(errs, field.Forbidden("value", "may not be changed in an update."))
		}
		return append(errs, unchanged(obj, old, "preemptionPolicy")...)
	},
	Raises: func(_, _ map[string]any) bool { return false },
}

var systemPriority = map[string]int64{"system-cluster-critical": 2000000000, "system-node-critical": 2000001000}

// core

var serviceAccount = Rules{MetaTwice: true}

var endpoints = Rules{
	Default: func(obj map[string]any) {
		for _, subset := range entries(obj, "subsets") {
			for _, port := range entries(subset, "ports") {
				def(port, "protocol", "TCP")
			}
		}
	},
	PrepareCreate: func(c *Context, _ map[string]any) { c.warn(endpointsOld) },
	PrepareUpdate: func(c *Context, _, _ map[string]any) { c.warn(endpointsOld) },
}

const endpointsOld = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"

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
}

var event = Rules{
	Validate: func(obj map[string]any) field.ErrorList {
		involved := str(dict(obj, "involvedObject"), "namespace")
		if ns := object.Namespace(obj); ns != involved && (involved != "" || ns != "default") {
			return field.ErrorList{field.Invalid("involvedObject.namespace", involved, "does not match event.namespace")}
		}
		return nil
	},
}

var persistentVolumeClaim = Rules{
	Default: defaultClaim,
	Admit: func(_ *Context, obj map[string]any) field.ErrorList {
		addFinalizer(obj, "kubernetes.io/pvc-protection")
		return nil
	},
	PrepareCreate: func(_ *Context, obj map[string]any) { obj["status"] = map[string]any{"phase": "Pending"} },
	Validate:      func(obj map[string]any) field.ErrorList { return validateClaim(dict(obj, "spec")) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := validateClaim(dict(obj, "spec"))
		may := []string{"resources", "volumeAttributesClassName", "volumeName"}
		if !object.Equal(withoutKeys(dict(obj, "spec"), may...), withoutKeys(dict(old, "spec"), may...)) {
			errs = append(errs, field.Forbidden("spec", "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n"))
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

func validateClaim(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	modes := strs(spec, "accessModes")
	if len(modes) == 0 {
		errs = append(errs, field.Required(p.Child("accessModes"), "at least 1 access mode is required"))
	}
	once := false
	for _, mode := range modes {
		switch mode {
		case "ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany":
		case "ReadWriteOncePod":
			once = true
		default:
			errs = append(errs, field.NotSupported(p.Child("accessModes"), mode, "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"))
		}
	}
	if once && len(modes) > 1 {
		errs = append(errs, field.Forbidden(p.Child("accessModes"), "may not use ReadWriteOncePod with other access modes"))
	}
	storage := deep(spec, "resources.requests")["storage"]
	switch at := p.Child("resources").Key("storage"); {
	case storage == nil:
		errs = append(errs, field.Required(at, ""))
	case !positive(storage):
		errs = append(errs, field.Invalid(at, storage, "must be greater than zero"))
	}
	for _, name := range []string{"storageClassName", "volumeAttributesClassName"} {
		if v := str(spec, name); v != "" {
			errs = append(errs, invalid(p.Child(name), v, syntax.Subdomain(v))...)
		}
	}
	if spec["volumeMode"] != nil {
		errs = append(errs, oneOf(spec, p, "volumeMode", "Block", "Filesystem")...)
	}
	return errs
}

// rbac.authorization.k8s.io

var binding = Rules{
	Default: func(obj map[string]any) {
		def(sub(obj, "roleRef"), "apiGroup", rbacGroup)
		for _, subject := range entries(obj, "subjects") {
			if kind := str(subject, "kind"); kind == "User" || kind == "Group" {
				def(subject, "apiGroup", rbacGroup)
			}
		}
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		ref := dict(obj, "roleRef")
		if object.Equal(ref, dict(old, "roleRef")) {
			return nil
		}
		return field.ErrorList{field.Invalid("roleRef", goStruct(ref, `APIGroup:apiGroup=""`, `Kind=""`, `Name=""`), "cannot change roleRef")}
	},
	MetaTwice: true,
}

const rbacGroup = "rbac.authorization.k8s.io"
