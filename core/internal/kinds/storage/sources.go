package storage

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// sourceRules are the rules for the sources of volumes, by the field with the source.
var sourceRules = map[string]rule.Fields{
	"emptyDir": {
		{Is: rule.Object(validateEmptyDir)},
	},
	"hostPath": {
		{Key: "path", Is: rule.All{rule.Required{First: true}, rule.Form(valid.NoBacksteps)}},
		{Key: "type", Is: rule.All{rule.IfSet{}, rule.Enum(enum.HostPathType)}},
	},
	"gitRepo": {
		{Key: "repository", Is: rule.Required{}},
		{Key: "directory", Is: rule.All{rule.IfNotEmpty{}, rule.Form(valid.RelativePath)}},
	},
	"gcePersistentDisk": {
		{Key: "pdName", Is: rule.Required{}},
		{Key: "partition", Is: partition},
	},
	"awsElasticBlockStore": {
		{Key: "volumeID", Is: rule.Required{}},
		{Key: "partition", Is: partition},
	},
	"secret": {
		{Key: "secretName", Is: rule.Required{}},
		{Key: "defaultMode", Is: fileMode},
		{Key: "items", Is: rule.Each{Is: itemRules}},
	},
	"nfs": {
		{Key: "server", Is: rule.Required{}},
		{Key: "path", Is: rule.Required{}},
		{Key: "path", Is: rule.Form(absolutePath)},
	},
	"iscsi": {
		{Key: "targetPortal", Is: rule.Required{}},
		{Key: "iqn", Is: rule.All{rule.Required{}, rule.Form(iSCSIName)}},
		{Key: "lun", Is: lun},
		{Is: rule.Object(validateISCSI)},
	},
	"glusterfs": {
		{Key: "endpoints", Is: rule.Required{}},
		{Key: "path", Is: rule.Required{}},
	},
	"flocker": {
		{Is: rule.Object(validateFlocker)},
	},
	"persistentVolumeClaim": {
		{Key: "claimName", Is: rule.Required{}},
	},
	"rbd": {
		{Key: "monitors", Is: rule.Required{}},
		{Key: "image", Is: rule.Required{}},
	},
	"cinder": {
		{Key: "volumeID", Is: rule.Required{}},
		{Key: "secretRef", Is: rule.All{rule.IfSet{}, secretNameRules}},
	},
	"cephfs": {
		{Key: "monitors", Is: rule.Required{}},
	},
	"quobyte": {
		{Is: rule.Object(validateQuobyte)},
	},
	"downwardAPI": {
		{Key: "defaultMode", Is: fileMode},
		{Is: rule.Object(validateDownwardAPI)},
	},
	"fc": {
		{Is: rule.Object(validateFC)},
	},
	"flexVolume": {
		{Key: "driver", Is: rule.Required{}},
		{Is: rule.Object(validateFlexVolume)},
	},
	"configMap": {
		{Key: "name", Is: rule.Required{}},
		{Key: "defaultMode", Is: fileMode},
		{Key: "items", Is: rule.Each{Is: itemRules}},
	},
	"azureFile": {
		{Key: "secretName", Is: rule.Required{}},
		{Key: "shareName", Is: rule.Required{}},
	},
	"vsphereVolume": {
		{Key: "volumePath", Is: rule.Required{}},
	},
	"photonPersistentDisk": {
		{Key: "pdID", Is: rule.Required{}},
	},
	"portworxVolume": {
		{Key: "volumeID", Is: rule.Required{}},
	},
	"azureDisk": {
		{Key: "diskName", Is: rule.Required{}},
		{Key: "diskURI", Is: rule.Required{}},
		{Key: "cachingMode", Is: rule.All{rule.IfSet{}, rule.Enum(enum.AzureDataDiskCachingMode)}},
		{Key: "kind", Is: rule.All{rule.IfSet{}, rule.Enum(enum.AzureDataDiskKind)}},
		{Is: rule.Object(validateAzureDisk)},
	},
	"storageos": {
		{Key: "volumeName", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
		{Key: "volumeNamespace", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
		{Key: "secretRef", Is: rule.All{rule.IfSet{}, secretNameRules}},
	},
	"projected": {
		{Key: "defaultMode", Is: fileMode},
		{Is: rule.Object(validateProjected)},
	},
	"scaleIO": {
		{Key: "gateway", Is: rule.Required{}},
		{Key: "system", Is: rule.Required{}},
		{Key: "volumeName", Is: rule.Required{}},
	},
	"csi": {
		{Is: rule.Object(validateCSISource)},
	},
	"ephemeral": {
		{Is: rule.Object(validateEphemeral)},
	},
	"image": {
		{Key: "pullPolicy", Is: rule.All{rule.Required{}, rule.Enum(enum.PullPolicy)}},
	},
}

// itemRules are the rules for a file made from a key.
var itemRules = rule.Fields{
	{Key: "key", Is: rule.Required{}},
	{Key: "path", Is: filePath},
	{Key: "mode", Is: fileMode},
}

// secretNameRules are the rules for a reference to a secret in the namespace of the pod.
var secretNameRules = rule.Fields{
	{Key: "name", Is: rule.Required{}},
}

// partition is the rule for the number of a partition, lun that for a logical unit.
var (
	partition = rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: 255, From: 1}}
	lun       = rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: 255}}
)

func validateEmptyDir(s map[string]any, at field.Path) (errs field.ErrorList) {
	if valid.Negative(s["sizeLimit"]) {
		errs.Add(field.Forbidden(at.Child("sizeLimit"), "SizeLimit field must be a valid resource quantity"))
	}
	return errs
}

func validateISCSI(s map[string]any, at field.Path) (errs field.ErrorList) {
	if (tree.Bool(s, "chapAuthDiscovery") || tree.Bool(s, "chapAuthSession")) && s["secretRef"] == nil {
		errs.Add(field.Required(at.Child("secretRef"), ""))
	}
	if name, ok := s["initiatorName"].(string); ok {
		errs.Add(rule.Invalid(at.Child("initiatorname"), name, iSCSIName(name))...)
	}
	return errs
}

func validateFlocker(s map[string]any, at field.Path) (errs field.ErrorList) {
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
}

func validateQuobyte(s map[string]any, at field.Path) (errs field.ErrorList) {
	const pairs = "must be a host:port pair or multiple pairs separated by commas"
	switch registry := tree.Text(s, "registry"); {
	case registry == "":
		errs.Add(field.Required(at.Child("registry"), pairs))
	case len(tree.Text(s, "tenant")) >= 65:
		errs.Add(field.Required(at.Child("tenant"), "must be a UUID and may not exceed a length of 64 characters"))
	default:
		for _, pair := range strings.Split(registry, ",") {
			if !isHostPort(pair) {
				errs.Add(field.Invalid(at.Child("registry"), registry, pairs))
			}
		}
	}
	return append(errs, rule.RequireTexts(s, at, "volume")...)
}

// isHostPort reports whether a text is a host and, after a colon, a port. An IPv6 address
// is in brackets.
func isHostPort(pair string) bool {
	i := strings.LastIndexByte(pair, ':')
	if i < 0 {
		return false
	}
	host := pair[:i]
	if bare, framed := strings.CutPrefix(host, "["); framed {
		host, framed = strings.CutSuffix(bare, "]")
		return framed && !strings.ContainsAny(host, "[]")
	}
	return !strings.ContainsAny(host, ":[]")
}

func validateDownwardAPI(s map[string]any, at field.Path) (errs field.ErrorList) {
	for _, f := range tree.Objects(s, "items") {
		errs.Add(downwardFileRules.Check(f, at)...)
	}
	return errs
}

func validateFC(s map[string]any, at field.Path) (errs field.ErrorList) {
	wwns, ids := tree.List(s, "targetWWNs"), tree.List(s, "wwids")
	if len(wwns) == 0 {
		if len(ids) == 0 {
			errs.Add(field.Required(at.Child("targetWWNs"),
				"must specify either targetWWNs or wwids, but not both"))
		}
		return errs
	}
	if len(ids) > 0 {
		errs.Add(field.Invalid(at.Child("targetWWNs"), wwns,
			"targetWWNs and wwids can not be specified simultaneously"))
	}
	if s["lun"] == nil {
		return append(errs, field.Required(at.Child("lun"), "lun is required if targetWWNs is specified"))
	}
	return append(errs, rule.Check(s["lun"], at.Child("lun"), lun)...)
}

func validateFlexVolume(s map[string]any, at field.Path) (errs field.ErrorList) {
	for _, key := range tree.SortedKeys(tree.Object(s, "options")) {
		domain, _, _ := strings.Cut("."+strings.ToLower(key), "/")
		if strings.HasSuffix(domain, ".kubernetes.io") || strings.HasSuffix(domain, ".k8s.io") {
			errs.Add(field.Invalid(at.Child("options").Key(key), key, "kubernetes.io and k8s.io namespaces are reserved"))
		}
	}
	return errs
}

func validateAzureDisk(s map[string]any, at field.Path) (errs field.ErrorList) {
	const (
		managedURI = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
		blobURI    = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
	)
	uri, managed := tree.Text(s, "diskURI"), tree.Text(s, "kind") == "Managed"
	if managed && !strings.HasPrefix(uri, "/subscriptions/") {
		errs.Add(field.NotSupported(at.Child("diskURI"), uri, managedURI))
	}
	if !managed && !strings.HasPrefix(uri, "https://") {
		errs.Add(field.NotSupported(at.Child("diskURI"), uri, blobURI))
	}
	return errs
}

func validateCSISource(s map[string]any, at field.Path) field.ErrorList {
	errs := validateDriver(tree.Text(s, "driver"), at.Child("driver"))
	if ref := tree.Object(s, "nodePublishSecretRef"); ref != nil {
		name := tree.Text(ref, "name")
		errs.Add(rule.RequireTexts(ref, at.Child("nodePublishSecretRef"), "name")...)
		if name != "" {
			errs.Add(rule.Invalid(at.Child("name"), name, syntax.Subdomain(name))...)
		}
	}
	return errs
}

// notInClaimTemplates are the fields of the metadata that a claim template may not have.
var notInClaimTemplates = strings.Fields(`name generateName namespace selfLink uid resourceVersion generation
	creationTimestamp deletionTimestamp deletionGracePeriodSeconds ownerReferences finalizers managedFields`)

func validateEphemeral(s map[string]any, at field.Path) field.ErrorList {
	at = at.Child("volumeClaimTemplate")
	template := tree.Object(s, "volumeClaimTemplate")
	if template == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	meta := tree.Object(template, "metadata")
	errs := metadata.ValidateAnnotations(tree.Object(meta, "annotations"), at.Child("metadata", "annotations"))
	errs.Add(metadata.ValidateLabels(tree.Object(meta, "labels"), at.Child("metadata", "labels"))...)
	for _, name := range notInClaimTemplates {
		if v := meta[name]; v != nil && !tree.Empty(v) {
			errs.Add(field.Forbidden(at.Child("metadata", name), "cannot be set"))
		}
	}
	return append(errs, ValidateClaim(tree.Object(template, "spec"), at.Child("spec"))...)
}

// validateDriver returns the violations of the name of a CSI driver.
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
