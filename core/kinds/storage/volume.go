package storage

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
)

// DefaultVolumeSource fills in sources that pods and PersistentVolumes share.
func DefaultVolumeSource(v map[string]any) {
	for source, values := range volumeDefaults {
		if s := tree.Object(v, source); s != nil {
			for name, value := range values {
				if s[name] == nil {
					s[name] = value
				}
			}
		}
	}
}

var volumeDefaults = map[string]map[string]any{
	"hostPath":  {"type": ""},
	"iscsi":     {"iscsiInterface": "default"},
	"rbd":       {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
	"azureDisk": {"cachingMode": "ReadWrite", "kind": "Shared", "fsType": "ext4", "readOnly": false},
	"scaleIO":   {"storageMode": "ThinProvisioned", "fsType": "xfs"},
}

// OldVolumes are kinds of volumes that are no more, in the order of their
// warnings.
var OldVolumes = []struct{ Name, Text string }{
	{"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
	{"gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
	{"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
	{"flocker", "deprecated in v1.22, non-functional in v1.25+"},
	{"storageos", "deprecated in v1.22, non-functional in v1.25+"},
	{"quobyte", "deprecated in v1.22, non-functional in v1.25+"},
	{"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
	{"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
	{"rbd", "deprecated in v1.28, non-functional in v1.31+"},
}

// VolumeSources are the kinds of volumes, in the order in which the real server
// looks for them. Of two that a volume has, the second is refused.
var VolumeSources = strings.Fields(`emptyDir hostPath gitRepo gcePersistentDisk awsElasticBlockStore secret nfs iscsi glusterfs flocker
	persistentVolumeClaim rbd cinder cephfs quobyte downwardAPI fc flexVolume configMap azureFile vsphereVolume photonPersistentDisk
	portworxVolume azureDisk storageos projected scaleIO csi ephemeral image`)

// Some kinds have another name in errors: where they are the second, and where
// something in them is wrong.
var (
	SecondSources = map[string]string{"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
	sourcePaths   = map[string]string{"gcePersistentDisk": "persistentDisk"}
)

// moreSourceRules check what fieldRules cannot say.
var moreSourceRules = map[string]func(s map[string]any, at field.Path) field.ErrorList{
	"emptyDir": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		if valid.Negative(s["sizeLimit"]) {
			errs.Add(field.Forbidden(at.Child("sizeLimit"), "SizeLimit field must be a valid resource quantity"))
		}
		return errs
	},
	"iscsi": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		if (tree.Bool(s, "chapAuthDiscovery") || tree.Bool(s, "chapAuthSession")) && s["secretRef"] == nil {
			errs.Add(field.Required(at.Child("secretRef"), ""))
		}
		if name, ok := s["initiatorName"].(string); ok {
			errs.Add(rule.Invalid(at.Child("initiatorname"), name, iSCSIName(name))...)
		}
		return errs
	},
	"flocker": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		name, id := tree.Text(s, "datasetName"), tree.Text(s, "datasetUUID")
		if name == "" && id == "" {
			errs.Add(field.Required(at, "one of datasetName and datasetUUID is required"))
		}
		if name != "" && id != "" {
			errs.Add(field.Invalid(at, "resource", "datasetName and datasetUUID can not be specified simultaneously"))
		}
		if strings.Contains(name, "/") {
			errs.Add(field.Invalid(at.Child("datasetName"), name, "must not contain '/'"))
		}
		return errs
	},
	"quobyte": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		const pairs = "must be a host:port pair or multiple pairs separated by commas"
		switch registry := tree.Text(s, "registry"); {
		case registry == "":
			errs.Add(field.Required(at.Child("registry"), pairs))
		case len(tree.Text(s, "tenant")) >= 65:
			errs.Add(field.Required(at.Child("tenant"), "must be a UUID and may not exceed a length of 64 characters"))
		default:
			for _, pair := range strings.Split(registry, ",") {
				host, ok := pair, false
				if i := strings.LastIndexByte(pair, ':'); i >= 0 {
					host, ok = pair[:i], true
				}
				if bare, framed := strings.CutPrefix(host, "["); framed {
					host, framed = strings.CutSuffix(bare, "]")
					ok = ok && framed && !strings.ContainsAny(host, "[]")
				} else {
					ok = ok && !strings.ContainsAny(host, ":[]")
				}
				if !ok {
					errs.Add(field.Invalid(at.Child("registry"), registry, pairs))
				}
			}
		}
		return append(errs, rule.RequireTexts(s, at, "volume")...)
	},
	"downwardAPI": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		for _, f := range tree.Objects(s, "items") {
			errs.Add(validateDownwardFile(f, at)...)
		}
		return errs
	},
	"fc": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		wwns, ids := tree.List(s, "targetWWNs"), tree.List(s, "wwids")
		if len(wwns) == 0 {
			if len(ids) == 0 {
				errs.Add(field.Required(at.Child("targetWWNs"), "must specify either targetWWNs or wwids, but not both"))
			}
			return errs
		}
		if len(ids) > 0 {
			errs.Add(field.Invalid(at.Child("targetWWNs"), wwns, "targetWWNs and wwids can not be specified simultaneously"))
		}
		if s["lun"] == nil {
			return append(errs, field.Required(at.Child("lun"), "lun is required if targetWWNs is specified"))
		}
		return append(errs, moreSourceRulesRules.Check(s, at)...)
	},
	"flexVolume": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		for _, key := range tree.SortedKeys(tree.Object(s, "options")) {
			domain, _, _ := strings.Cut("."+strings.ToLower(key), "/")
			if strings.HasSuffix(domain, ".kubernetes.io") || strings.HasSuffix(domain, ".k8s.io") {
				errs.Add(field.Invalid(at.Child("options").Key(key), key, "kubernetes.io and k8s.io namespaces are reserved"))
			}
		}
		return errs
	},
	"azureDisk": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		uri, managed := tree.Text(s, "diskURI"), tree.Text(s, "kind") == "Managed"
		if managed && !strings.HasPrefix(uri, "/subscriptions/") {
			errs.Add(field.NotSupported(at.Child("diskURI"), uri, "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"))
		}
		if !managed && !strings.HasPrefix(uri, "https://") {
			errs.Add(field.NotSupported(at.Child("diskURI"), uri, "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"))
		}
		return errs
	},
	"projected": validateProjected,
	"csi": func(s map[string]any, at field.Path) field.ErrorList {
		errs := validateDriver(tree.Text(s, "driver"), at.Child("driver"))
		if ref := tree.Object(s, "nodePublishSecretRef"); ref != nil {
			name := tree.Text(ref, "name")
			errs.Add(rule.RequireTexts(ref, at.Child("nodePublishSecretRef"), "name")...)
			if name != "" {
				errs.Add(rule.Invalid(at.Child("name"), name, syntax.Subdomain(name))...)
			}
		}
		return errs
	},
	"ephemeral": func(s map[string]any, at field.Path) field.ErrorList {
		at = at.Child("volumeClaimTemplate")
		template := tree.Object(s, "volumeClaimTemplate")
		if template == nil {
			return field.ErrorList{field.Required(at, "")}
		}
		meta := tree.Object(template, "metadata")
		errs := metadata.ValidateAnnotations(tree.Object(meta, "annotations"), at.Child("metadata", "annotations"))
		errs.Add(metadata.ValidateLabels(tree.Object(meta, "labels"), at.Child("metadata", "labels"))...)
		for _, name := range strings.Fields("name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds ownerReferences finalizers managedFields") {
			if v := meta[name]; v != nil && !tree.Empty(v) {
				errs.Add(field.Forbidden(at.Child("metadata", name), "cannot be set"))
			}
		}
		return append(errs, ValidateClaim(tree.Object(template, "spec"), at.Child("spec"))...)
	},
}

var moreSourceRulesRules = rule.Fields{
	{Key: "lun", Is: rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: 255}}},
}

// validateDriver checks the name of a CSI driver.
func validateDriver(name string, at field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs field.ErrorList
	if len(name) > 63 {
		errs.Add(field.TooLong(at, 63))
	}
	return append(errs, rule.Invalid(at, name, syntax.Subdomain(strings.ToLower(name)))...)
}

// ValidateSource checks a source of data of a volume.
func ValidateSource(source string, s map[string]any, at field.Path) field.ErrorList {
	if path := sourcePaths[source]; path != "" {
		at = at.Child(path)
	} else {
		at = at.Child(source)
	}
	errs := sourceRules[source].Check(s, at)
	if more := moreSourceRules[source]; more != nil {
		errs.Add(more(s, at)...)
	}
	return errs
}
