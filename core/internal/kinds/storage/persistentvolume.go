// Package storage has the strategies of volumes, claims, their classes and drivers, and the checks
// of the sources of volumes, which pods share.
package storage

import (
	"path"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// PersistentVolume is the strategy of PersistentVolumes.
var PersistentVolume = strategy.Strategy{
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		tree.Default(tree.Make(obj, "status"), "phase", "Pending")
		tree.Default(spec, "persistentVolumeReclaimPolicy", "Retain")
		tree.DefaultNil(spec, "volumeMode", "Filesystem")
		DefaultVolumeSource(spec)
		tree.RoundUp(spec, "capacity")
	},
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		obj["status"] = map[string]any{"phase": "Pending", "lastPhaseTransitionTime": c.Timestamp()}
		warnVolume(c, obj)
	},
	PrepareUpdate: func(c *strategy.Context, obj, _ map[string]any) { warnVolume(c, obj) },
	PrepareStatus: func(c *strategy.Context, obj, old map[string]any) {
		status, was := tree.Make(obj, "status"), tree.Object(old, "status")
		const changed = "lastPhaseTransitionTime"
		switch given := status[changed]; {
		case tree.Text(status, "phase") != tree.Text(was, "phase"):
			if given == nil || object.Equal(given, was[changed]) {
				status[changed] = c.Timestamp()
			}
		case given == nil:
			tree.Keep(status, was, changed)
		}
	},
	Validate: func(obj map[string]any) field.ErrorList {
		return validateVolumeSpec(tree.Object(obj, "spec"), "spec", object.Name(obj), false)
	},
	Updates:        []strategy.Check{strategy.CheckNew, strategy.CheckNew, strategy.CheckChange},
	ValidateUpdate: validateVolumeUpdate,
}

// persistentSources are the sources that a PersistentVolume may have, in the order in which the
// real server checks them.
var persistentSources = strings.Fields(`hostPath gcePersistentDisk awsElasticBlockStore glusterfs flocker nfs rbd
	quobyte cephfs iscsi cinder fc flexVolume azureFile vsphereVolume photonPersistentDisk portworxVolume azureDisk
	scaleIO local storageos csi`)

// validateVolumeSpec returns the violations of the spec of a PersistentVolume, or of an inline one
// in an attachment.
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
	errs.Add(rule.Check(spec["accessModes"], p.Child("accessModes"), rule.Required{})...)
	errs.Add(validateAccessModes(tree.Texts(spec, "accessModes"), p.Child("accessModes"))...)
	policy := tree.Text(spec, "persistentVolumeReclaimPolicy")
	switch {
	case !inline:
		errs.Add(validateCapacity(spec["capacity"], p.Child("capacity"))...)
		errs.Add(reclaimPolicyRules.Check(spec, p)...)
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
	errs.Add(validatePersistentSource(spec, p, name, affinity != nil && !inline)...)
	root := tree.Text(tree.Object(spec, "hostPath"), "path")
	if root != "" && path.Clean(root) == "/" && policy == "Recycle" {
		forbidden("persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'")
	}
	if !inline {
		errs.Add(volumeRules.Check(spec, p)...)
		if spec["volumeAttributesClassName"] != nil && spec["csi"] == nil {
			errs.Add(field.Required(p.Child("csi"), "has to be specified when using volumeAttributesClassName"))
		}
		return errs
	}
	if tree.Text(spec, "storageClassName") != "" {
		forbidden("storageClassName", notInline)
	}
	if mode := spec["volumeMode"]; mode != nil && mode != "Filesystem" {
		forbidden("volumeMode", "may not specify volumeMode other than Filesystem in the context of inline volumes")
	}
	return errs
}

var reclaimPolicyRules = rule.Fields{
	{Key: "persistentVolumeReclaimPolicy", Is: rule.All{rule.IfNotEmpty{}, rule.Enum(enum.PersistentVolumeReclaimPolicy)}},
}

// volumeRules are the rules for the class and the mode of a volume.
var volumeRules = rule.Fields{
	{Key: "storageClassName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
	{Key: "volumeMode", Is: rule.All{rule.IfSet{}, rule.Enum(enum.PersistentVolumeMode)}},
	{Key: "volumeAttributesClassName", Is: rule.All{
		rule.IfSet{}, rule.Required{Detail: "an empty string is disallowed"}, rule.Form(syntax.Subdomain),
	}},
}

// validateCapacity returns the violations of the capacity of a volume, which is storage alone.
func validateCapacity(given any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	capacity := tree.Map(given)
	if len(capacity) == 0 {
		errs.Add(field.Required(at, ""))
	}
	if _, storage := capacity["storage"]; !storage || len(capacity) > 1 {
		errs.Add(field.NotSupported(at, given, "storage"))
	}
	for _, name := range tree.SortedKeys(capacity) {
		errs.Add(validateQuantity(capacity[name], at.Key(name))...)
		if !valid.Positive(capacity[name]) {
			errs.Add(field.Invalid(at.Key(name), capacity[name], "must be greater than zero"))
		}
	}
	return errs
}

// validatePersistentSource returns the violations of the named source of a PersistentVolume, which
// may require node affinity.
func validatePersistentSource(spec map[string]any, p field.Path, name string, bound bool) field.ErrorList {
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
		case "iscsi":
			errs.Add(validatePersistentISCSI(s, at, name)...)
		case "cinder", "csi", "local", "storageos":
			errs.Add(persistentSourceRules[source].Check(s, at)...)
			if source == "local" && !bound {
				errs.Add(field.Required(p.Child("nodeAffinity"), "Local volume requires node affinity"))
			}
		default:
			errs.Add(ValidateSource(source, s, p)...)
			if namespace, ok := s["secretNamespace"].(string); ok && namespace == "" {
				errs.Add(field.Required(at.Child("secretNamespace"), ""))
			}
			if namespace, ok := s["endpointsNamespace"].(string); ok && namespace == "" {
				errs.Add(field.Invalid(at.Child("endpointsNamespace"), "",
					"if the endpointnamespace is set, it must be a valid namespace name"))
			}
			errs.Add(endpointsNamespaceRules.Check(s, at)...)
		}
	}
	if !some {
		errs.Add(field.Required(p, "must specify a volume type"))
	}
	return errs
}

// persistentSourceRules are those of the sources of PersistentVolumes that differ from
// those of the volumes of pods.
var persistentSourceRules = map[string]rule.Fields{
	"cinder": {
		{Key: "volumeID", Is: rule.Required{}},
		{Key: "secretRef", Is: rule.All{rule.IfSet{}, secretRules}},
	},
	"csi": {
		{Is: rule.Object(func(csi map[string]any, at field.Path) field.ErrorList {
			return validateDriver(tree.Text(csi, "driver"), at.Child("driver"))
		})},
		{Key: "volumeHandle", Is: rule.Required{}},
		{Key: "controllerPublishSecretRef", Is: rule.All{rule.IfSet{}, csiSecretRules}},
		{Key: "controllerExpandSecretRef", Is: rule.All{rule.IfSet{}, csiSecretRules}},
		{Key: "nodePublishSecretRef", Is: rule.All{rule.IfSet{}, csiSecretRules}},
		{Key: "nodeExpandSecretRef", Is: rule.All{rule.IfSet{}, csiSecretRules}},
	},
	"local": {
		{Key: "path", Is: rule.All{rule.Required{First: true}, rule.Form(valid.NoBacksteps)}},
	},
	"storageos": {
		{Key: "volumeName", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
		{Key: "volumeNamespace", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
		{Key: "secretRef", Is: rule.All{rule.IfSet{}, secretRules}},
	},
}

// secretRules are the rules for a reference to a secret.
var secretRules = rule.Fields{
	{Key: "name", Is: rule.Required{}},
	{Key: "namespace", Is: rule.Required{}},
}

// csiSecretRules are the rules for a reference to a secret in a CSI source.
var csiSecretRules = rule.Fields{
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.Subdomain)}},
	{Key: "namespace", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
}

// PortalTooLong returns the detail of the violation of an iSCSI source whose portal is too
// long with the name of the volume, or "".
func PortalTooLong(source map[string]any, volume string) string {
	if source["initiatorName"] != nil && len(volume+":"+tree.Text(source, "targetPortal")) > 64 {
		return "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters " +
			"if iscsi.initiatorName is specified."
	}
	return ""
}

func validatePersistentISCSI(s map[string]any, at field.Path, volume string) field.ErrorList {
	errs := rule.Check(s["targetPortal"], at.Child("targetPortal"), rule.Required{})
	if text := PortalTooLong(s, volume); text != "" {
		errs.Add(field.Invalid(at.Child("targetportal"), tree.Text(s, "targetPortal"), text))
	}
	errs.Add(iscsiTargetRules.Check(s, at)...)
	for _, e := range errs { // the real server's text for PersistentVolumes
		if strings.HasPrefix(e.Detail, "must be valid format") {
			e.Detail = "must be valid format"
		}
	}
	return errs
}

var iscsiTargetRules = rule.Fields{
	{Key: "iqn", Is: rule.All{rule.Required{}, rule.Form(iSCSIName)}},
	{Key: "lun", Is: lun},
	{Key: "secretRef", Is: rule.All{rule.IfSet{}, secretNameRules}},
	{Is: rule.Object(validateISCSI)},
}

var endpointsNamespaceRules = rule.Fields{
	{Key: "endpointsNamespace", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

func validateVolumeUpdate(obj, old map[string]any) field.ErrorList {
	spec, was := tree.Object(obj, "spec"), tree.Object(old, "spec")
	var errs field.ErrorList
	source, before := tree.Without(spec, volumeFields...), tree.Without(was, volumeFields...)
	csi, had := tree.Object(source, "csi"), tree.Object(before, "csi")
	if csi != nil && had != nil && had["controllerExpandSecretRef"] == nil {
		source["csi"] = tree.Without(csi, "controllerExpandSecretRef")
	}
	if !object.Equal(source, before) {
		errs.Add(field.Forbidden("spec.persistentvolumesource",
			"spec.persistentvolumesource is immutable after creation\n"+shape.PersistentVolumeSource.Diff(before, source)))
	}
	if !object.Equal(spec["volumeMode"], was["volumeMode"]) {
		errs.Add(field.Invalid("volumeMode", spec["volumeMode"], rule.FieldImmutable))
	}
	if was["volumeAttributesClassName"] != nil && spec["volumeAttributesClassName"] == nil {
		errs.Add(field.Forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden"))
	}
	return errs
}

// volumeFields are the fields of a PersistentVolume's spec that are not its source.
var volumeFields = []string{"capacity", "accessModes", "claimRef", "persistentVolumeReclaimPolicy", "storageClassName",
	"mountOptions", "volumeMode", "nodeAffinity", "volumeAttributesClassName"}

// oldStorageClass is the annotation that storageClassName has replaced.
const oldStorageClass = "volume.beta.kubernetes.io/storage-class"

const storageClassReplaced = `deprecated since v1.8; use "storageClassName" attribute instead`

func warnVolume(c *strategy.Context, obj map[string]any) {
	w, spec := valid.Warner{Context: c}, tree.Object(obj, "spec")
	annotations := tree.Object(object.Meta(obj), "annotations")
	w.Annotation("", annotations, oldStorageClass, storageClassReplaced)
	w.Annotation("", annotations, "volume.beta.kubernetes.io/mount-options",
		`deprecated since v1.31; use "mountOptions" attribute instead`)
	if tree.Text(spec, "persistentVolumeReclaimPolicy") == "Recycle" {
		w.Warnf("spec.persistentVolumeReclaimPolicy", "The Recycle reclaim policy is deprecated. "+
			"Instead, the recommended approach is to use dynamic provisioning.")
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
