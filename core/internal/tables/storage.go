package tables

import "strings"

// storage are the kinds of storage.k8s.io.
var storage = []kind{
	{"storage.k8s.io", "CSIDriver",
		"Name|AttachRequired:boolean|PodInfoOnMount:boolean|StorageCapacity:boolean|TokenRequests|" +
			"RequiresRepublish:boolean|Modes|Age", func(v view) []any {
			tokens := unset
			if v.has("spec", "tokenRequests") {
				tokens = joined(v.list("spec", "tokenRequests"), "audience")
			}
			return []any{
				v.name(), !v.has("spec", "attachRequired") || v.is("spec", "attachRequired"), v.is("spec", "podInfoOnMount"),
				v.is("spec", "storageCapacity"), tokens, v.is("spec", "requiresRepublish"),
				or(strings.Join(v.texts("spec", "volumeLifecycleModes"), ","), none), v.age(),
			}
		}},
	{"storage.k8s.io", "CSINode", "Name|Drivers:integer|Age", func(v view) []any {
		return []any{v.name(), len(v.list("spec", "drivers")), v.age()}
	}},
	{"storage.k8s.io", "StorageClass", "Name|Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age",
		func(v view) []any {
			name := v.name()
			if v.annotated("storageclass.kubernetes.io/is-default-class") ||
				v.annotated("storageclass.beta.kubernetes.io/is-default-class") {
				name += " (default)"
			}
			return []any{
				name, v.text("provisioner"), v.value("Delete", "reclaimPolicy"), v.value("Immediate", "volumeBindingMode"),
				v.is("allowVolumeExpansion"), v.age(),
			}
		}},
	{"storage.k8s.io", "VolumeAttachment", "Name|Attacher:name|PV|Node|Attached:boolean|Age", func(v view) []any {
		return []any{
			v.name(), v.text("spec", "attacher"), v.text("spec", "source", "persistentVolumeName"), v.text("spec", "nodeName"),
			v.is("status", "attached"), v.age(),
		}
	}},
	{"storage.k8s.io", "VolumeAttributesClass", "Name|DriverName|Age", func(v view) []any {
		return []any{v.name(), v.text("driverName"), v.age()}
	}},
}
