package storage

import (
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
)

var namedRules = rule.Fields{
	{Key: "name", Is: rule.Required{}},
}

var itemRules = rule.Fields{
	{Key: "key", Is: rule.Required{}},
	{Key: "path", Is: rule.All{rule.Required{}, rule.Form(keyPath)}},
	{Key: "mode", Is: fileMode},
}

var hostPathRules = rule.Fields{
	{Key: "path", Is: rule.Required{First: true}},
	{Key: "path", Is: rule.All{rule.IfNotEmpty{}, rule.Form(valid.NoBacksteps)}},
	{Key: "type", Is: rule.All{rule.IfSet{}, rule.OneOf{"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"}}},
}

var gitRepoRules = rule.Fields{
	{Key: "repository", Is: rule.Required{}},
	{Key: "directory", Is: rule.All{rule.IfNotEmpty{}, rule.Form(valid.RelativePath)}},
}

var gcePersistentDiskRules = rule.Fields{
	{Key: "pdName", Is: rule.Required{}},
	{Key: "partition", Is: rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: 255, From: 1}}},
}

var awsElasticBlockStoreRules = rule.Fields{
	{Key: "volumeID", Is: rule.Required{}},
	{Key: "partition", Is: rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: 255, From: 1}}},
}

var secretRules = rule.Fields{
	{Key: "secretName", Is: rule.Required{}},
	{Key: "defaultMode", Is: fileMode},
	{Key: "items", Is: rule.Each{Is: itemRules}},
}

var nfsRules = rule.Fields{
	{Key: "server", Is: rule.Required{}},
	{Key: "path", Is: rule.Required{}},
	{Key: "path", Is: rule.Form(absolutePath)},
}

var iscsiRules = rule.Fields{
	{Key: "targetPortal", Is: rule.Required{}},
	{Key: "iqn", Is: rule.All{rule.Required{}, rule.Form(iSCSIName)}},
	{Key: "lun", Is: rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: 255}}},
}

var glusterfsRules = rule.Fields{
	{Key: "endpoints", Is: rule.Required{}},
	{Key: "path", Is: rule.Required{}},
}

var persistentVolumeClaimRules = rule.Fields{
	{Key: "claimName", Is: rule.Required{}},
}

var rbdRules = rule.Fields{
	{Key: "monitors", Is: rule.Required{}},
	{Key: "image", Is: rule.Required{}},
}

var cinderRules = rule.Fields{
	{Key: "volumeID", Is: rule.Required{}},
	{Key: "secretRef", Is: rule.All{rule.IfSet{}, namedRules}},
}

var cephfsRules = rule.Fields{
	{Key: "monitors", Is: rule.Required{}},
}

var downwardAPIRules = rule.Fields{
	{Key: "defaultMode", Is: fileMode},
}

var flexVolumeRules = rule.Fields{
	{Key: "driver", Is: rule.Required{}},
}

var configMapRules = rule.Fields{
	{Key: "name", Is: rule.Required{}},
	{Key: "defaultMode", Is: fileMode},
	{Key: "items", Is: rule.Each{Is: itemRules}},
}

var azureFileRules = rule.Fields{
	{Key: "secretName", Is: rule.Required{}},
	{Key: "shareName", Is: rule.Required{}},
}

var vsphereVolumeRules = rule.Fields{
	{Key: "volumePath", Is: rule.Required{}},
}

var photonPersistentDiskRules = rule.Fields{
	{Key: "pdID", Is: rule.Required{}},
}

var portworxVolumeRules = rule.Fields{
	{Key: "volumeID", Is: rule.Required{}},
}

var azureDiskRules = rule.Fields{
	{Key: "diskName", Is: rule.Required{}},
	{Key: "diskURI", Is: rule.Required{}},
	{Key: "cachingMode", Is: rule.All{rule.IfSet{}, rule.OneOf{"None", "ReadOnly", "ReadWrite"}}},
	{Key: "kind", Is: rule.All{rule.IfSet{}, rule.OneOf{"Dedicated", "Managed", "Shared"}}},
}

var storageosRules = rule.Fields{
	{Key: "volumeName", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
	{Key: "volumeNamespace", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
	{Key: "secretRef", Is: rule.All{rule.IfSet{}, namedRules}},
}

var projectedRules = rule.Fields{
	{Key: "defaultMode", Is: fileMode},
}

var scaleIORules = rule.Fields{
	{Key: "gateway", Is: rule.Required{}},
	{Key: "system", Is: rule.Required{}},
	{Key: "volumeName", Is: rule.Required{}},
}

var imageRules = rule.Fields{
	{Key: "pullPolicy", Is: rule.All{rule.Required{}, rule.OneOf{"Always", "IfNotPresent", "Never"}}},
}

var namespacedRules = rule.Fields{
	{Key: "name", Is: rule.Required{}},
	{Key: "namespace", Is: rule.Required{}},
}

var secretOfRules = rule.Fields{
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.Subdomain)}},
	{Key: "namespace", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
}

var persistentCinderRules = rule.Fields{
	{Key: "volumeID", Is: rule.Required{}},
	{Key: "secretRef", Is: rule.All{rule.IfSet{}, namespacedRules}},
}

var persistentStorageosRules = rule.Fields{
	{Key: "volumeName", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
	{Key: "volumeNamespace", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
	{Key: "secretRef", Is: rule.All{rule.IfSet{}, namespacedRules}},
}

var persistentLocalRules = rule.Fields{
	{Key: "path", Is: rule.Required{First: true}},
	{Key: "path", Is: rule.All{rule.IfNotEmpty{}, rule.Form(valid.NoBacksteps)}},
}

var persistentCsiRules = rule.Fields{
	{Key: "volumeHandle", Is: rule.Required{}},
	{Key: "controllerPublishSecretRef", Is: rule.All{rule.IfSet{}, secretOfRules}},
	{Key: "controllerExpandSecretRef", Is: rule.All{rule.IfSet{}, secretOfRules}},
	{Key: "nodePublishSecretRef", Is: rule.All{rule.IfSet{}, secretOfRules}},
	{Key: "nodeExpandSecretRef", Is: rule.All{rule.IfSet{}, secretOfRules}},
}

// persistentRules are those of the sources of PersistentVolumes that differ from those of
// pods' volumes.
var persistentRules = map[string]rule.Fields{
	"cinder":    persistentCinderRules,
	"local":     persistentLocalRules,
	"storageos": persistentStorageosRules,
}

// sourceRules are those of the sources of volumes, by the field that holds one.
var sourceRules = map[string]rule.Fields{
	"hostPath":              hostPathRules,
	"gitRepo":               gitRepoRules,
	"gcePersistentDisk":     gcePersistentDiskRules,
	"awsElasticBlockStore":  awsElasticBlockStoreRules,
	"secret":                secretRules,
	"nfs":                   nfsRules,
	"iscsi":                 iscsiRules,
	"glusterfs":             glusterfsRules,
	"persistentVolumeClaim": persistentVolumeClaimRules,
	"rbd":                   rbdRules,
	"cinder":                cinderRules,
	"cephfs":                cephfsRules,
	"downwardAPI":           downwardAPIRules,
	"flexVolume":            flexVolumeRules,
	"configMap":             configMapRules,
	"azureFile":             azureFileRules,
	"vsphereVolume":         vsphereVolumeRules,
	"photonPersistentDisk":  photonPersistentDiskRules,
	"portworxVolume":        portworxVolumeRules,
	"azureDisk":             azureDiskRules,
	"storageos":             storageosRules,
	"projected":             projectedRules,
	"scaleIO":               scaleIORules,
	"image":                 imageRules,
}
