package storage

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// DefaultVolumeSource sets the defaults of the sources that pods' volumes and PersistentVolumes
// have in common.
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

// OldVolumes are the sources of volumes that are deprecated, in the order of their
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

// VolumeSources are the sources that a volume of a pod may have, in the order in which the real
// server checks them. If a volume has two, the second is refused.
var VolumeSources = strings.Fields(`emptyDir hostPath gitRepo gcePersistentDisk awsElasticBlockStore secret nfs iscsi
	glusterfs flocker persistentVolumeClaim rbd cinder cephfs quobyte downwardAPI fc flexVolume configMap azureFile
	vsphereVolume photonPersistentDisk portworxVolume azureDisk storageos projected scaleIO csi ephemeral image`)

// SecondSources are the sources with another name in the violation of a second one.
var SecondSources = map[string]string{"cephfs": "cephFS", "downwardAPI": "downwarAPI"}

// sourcePaths are the sources with another name in other violations.
var sourcePaths = map[string]string{"gcePersistentDisk": "persistentDisk"}

// ValidateSource returns the violations of the source of a volume, by its field.
func ValidateSource(source string, s map[string]any, at field.Path) field.ErrorList {
	if path := sourcePaths[source]; path != "" {
		at = at.Child(path)
	} else {
		at = at.Child(source)
	}
	return sourceRules[source].Check(s, at)
}
