// Package storage has the strategies of volumes, claims, their classes and drivers, and
// the checks of the sources of volumes, which pods share.
package storage

import (
	"path"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// PersistentVolumes and the claims for them

var PersistentVolume = strategy.Strategy{
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		tree.Default(tree.Make(obj, "status"), "phase", "Pending")
		tree.Default(spec, "persistentVolumeReclaimPolicy", "Retain")
		tree.Default(spec, "volumeMode", "Filesystem")
		DefaultVolumeSource(spec)
	},
	Admit: func(_ *strategy.Context, obj map[string]any) field.ErrorList {
		addFinalizer(obj, "kubernetes.io/pv-protection")
		return nil
	},
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		obj["status"] = map[string]any{"phase": "Pending", "lastPhaseTransitionTime": c.Timestamp()}
		warnVolume(c, obj)
	},
	PrepareUpdate: func(c *strategy.Context, obj, _ map[string]any) { warnVolume(c, obj) },
	PrepareStatus: func(c *strategy.Context, obj, old map[string]any) {
		status, was := tree.Make(obj, "status"), tree.Object(old, "status")
		if tree.Text(status, "phase") != tree.Text(was, "phase") && status["lastPhaseTransitionTime"] == nil ||
			tree.Text(status, "phase") != tree.Text(was, "phase") && object.Equal(status["lastPhaseTransitionTime"], was["lastPhaseTransitionTime"]) {
			status["lastPhaseTransitionTime"] = c.Timestamp()
		} else if status["lastPhaseTransitionTime"] == nil {
			tree.Keep(status, was, "lastPhaseTransitionTime")
		}
	},
	Validate: func(obj map[string]any) field.ErrorList {
		return validateVolumeSpec(tree.Object(obj, "spec"), "spec", object.Name(obj), false)
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec, was := tree.Object(obj, "spec"), tree.Object(old, "spec")
		errs := validateVolumeSpec(spec, "spec", object.Name(obj), false)
		source, before := tree.Without(spec, volumeFields...), tree.Without(was, volumeFields...)
		if csi := tree.Object(source, "csi"); csi != nil && tree.Object(before, "csi") != nil && tree.Object(before, "csi")["controllerExpandSecretRef"] == nil {
			source["csi"] = tree.Without(csi, "controllerExpandSecretRef")
		}
		if !object.Equal(source, before) {
			errs.Add(field.Forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation\n"+structDiff(before, source, volumeTree)))
		}
		if !object.Equal(spec["volumeMode"], was["volumeMode"]) {
			errs.Add(field.Invalid("volumeMode", spec["volumeMode"], rule.FieldImmutable))
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
	capacity := tree.Object(spec, "capacity")
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
	errs.Add(accessModes(tree.Texts(spec, "accessModes"), p.Child("accessModes"))...)
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
		for _, name := range tree.SortedKeys(capacity) {
			errs.Add(basicResource(capacity[name], p.Child("capacity").Key(name))...)
			if !valid.Positive(capacity[name]) {
				errs.Add(field.Invalid(p.Child("capacity").Key(name), capacity[name], "must be greater than zero"))
			}
		}
	}
	policy := tree.Text(spec, "persistentVolumeReclaimPolicy")
	switch {
	case !inline:
		if policy != "" {
			errs.Add(volumeSpecPersistentVolumeReclaimPolicyRules.Check(spec, p)...)
		}
	case policy != "" && policy != "Retain":
		forbidden("persistentVolumeReclaimPolicy", "may only be Retain in the context of inline volumes")
	}
	affinity, at := tree.Object(spec, "nodeAffinity"), p.Child("nodeAffinity")
	switch {
	case affinity == nil:
	case inline:
		forbidden("nodeAffinity", notInline)
	case affinity["required"] == nil:
		errs.Add(field.Required(at.Child("required"), "must specify required node constraints"))
	default:
		errs.Add(valid.NodeSelector(tree.Object(affinity, "required"), at.Child("required"))...)
	}
	errs.Add(persistentSource(spec, p, name, affinity != nil && !inline)...)
	if root := tree.Text(tree.Object(spec, "hostPath"), "path"); root != "" && path.Clean(root) == "/" && policy == "Recycle" {
		forbidden("persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'")
	}
	if inline && tree.Text(spec, "storageClassName") != "" {
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
			if other := SecondSources[source]; other != "" {
				source = other
			}
			errs.Add(field.Forbidden(p.Child(source), "may not specify more than 1 volume type"))
			continue
		}
		some = true
		at := p.Child(source)
		switch source {
		case "csi":
			errs.Add(validateDriver(tree.Text(s, "driver"), at.Child("driver"))...)
			errs.Add(persistentCsiRules.Check(s, at)...)
		case "iscsi":
			wrong := iscsiPortalRules.Check(s, at)
			portal := tree.Text(s, "targetPortal")
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
			errs.Add(ValidateSource(source, s, p)...)
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
	{Key: "iqn", Is: rule.All{rule.Required{}, rule.Form(iSCSIName)}},
	{Key: "lun", Is: rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: 255}}},
	{Key: "secretRef", Is: rule.All{rule.IfSet{}, namedRules}},
}

var endpointsNamespaceRules = rule.Fields{
	{Key: "endpointsNamespace", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

const oldStorageClass = "volume.beta.kubernetes.io/storage-class"

func warnVolume(c *strategy.Context, obj map[string]any) {
	w, spec := valid.Warner{Context: c}, tree.Object(obj, "spec")
	annotations := tree.Object(object.Meta(obj), "annotations")
	w.Annotation("", annotations, oldStorageClass, `deprecated since v1.8; use "storageClassName" attribute instead`)
	w.Annotation("", annotations, "volume.beta.kubernetes.io/mount-options", `deprecated since v1.31; use "mountOptions" attribute instead`)
	if tree.Text(spec, "persistentVolumeReclaimPolicy") == "Recycle" {
		w.Warnf("spec.persistentVolumeReclaimPolicy", "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.")
	}
	for i, term := range tree.Objects(tree.At(spec, "nodeAffinity.required"), "nodeSelectorTerms") {
		w.Expressions(term, field.Path("spec.nodeAffinity.required.nodeSelectorTerms").Index(i))
	}
	for _, name := range []string{"cephfs", "photonPersistentDisk", "scaleIO", "storageos", "glusterfs", "rbd"} {
		at := slices.IndexFunc(OldVolumes, func(v struct{ Name, Text string }) bool { return v.Name == name })
		if spec[name] != nil {
			w.Warnf(field.Path("spec").Child(strings.Replace(name, "storageos", "storageOS", 1)), "%s", OldVolumes[at].Text)
		}
	}
}
