package schema

import (
	"slices"
	"strings"
	"sync"
)

// Unserved reports whether the real server can decode a kind without serving it, and whether its fields are those of
// the kind that is served. A body of such a kind is decoded, and then refused for its version.
func Unserved(apiVersion, kind string) (known, sameFields bool) {
	kinds, known := unservedKinds[apiVersion]
	for is := range strings.FieldsSeq(kinds) {
		is, differs := strings.CutSuffix(is, "*")
		is, alone := strings.CutSuffix(is, "!")
		if kind == is || kind == is+"List" && !alone {
			return true, !differs
		}
	}
	return known && metaKind(kind), true
}

// metaKind reports whether a kind of meta/v1 belongs to every group version.
func metaKind(kind string) bool {
	switch kind {
	case "CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent":
		return true
	}
	return false
}

// ClientVersions returns the group versions of client-go's scheme, in their order: those of the built-in types but
// definitions and APIServices, served or not.
var ClientVersions = sync.OnceValue(func() []GroupVersion {
	const between = "\x00" // which sorts before whatever a group has
	var all []string
	add := func(group, version string) {
		switch group {
		case "admission.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "imagepolicy.k8s.io":
		default:
			all = append(all, group+between+version)
		}
	}
	for _, row := range Builtin().Resources() {
		add(row.Group, row.Version)
	}
	for apiVersion := range unservedKinds {
		if group, version, ok := strings.Cut(apiVersion, "/"); ok {
			add(group, version)
		}
	}
	slices.Sort(all)
	var versions []GroupVersion
	for _, one := range slices.Compact(all) {
		group, version, _ := strings.Cut(one, between)
		versions = append(versions, GroupVersion{group, version})
	}
	return versions
})

// Unversioned are the kinds of v1 that every scheme has.
var Unversioned = []string{"Status", "APIVersions", "APIGroupList", "APIGroup", "APIResourceList"}

// A GroupVersion is a version of an API group.
type GroupVersion struct{ Group, Version string }

// unservedKinds are the kinds that the schemes of v1.36 have and its API does not serve, by group version, apart
// from lists and the options of meta/v1. A star marks those whose fields differ from what is served, a mark
// of exclamation those that have no list.
var unservedKinds = map[string]string{
	"admission.k8s.io/v1":      "AdmissionReview!",
	"admission.k8s.io/v1beta1": "AdmissionReview!",
	"admissionregistration.k8s.io/v1alpha1": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding " +
		"ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding",
	"admissionregistration.k8s.io/v1beta1": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding " +
		"MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding " +
		"ValidatingWebhookConfiguration",
	"apiextensions.k8s.io/v1beta1":   "ConversionReview! CustomResourceDefinition*",
	"apiregistration.k8s.io/v1beta1": "APIService",
	"apps/v1beta1":                   "ControllerRevision Deployment* DeploymentRollback! Scale! StatefulSet",
	"apps/v1beta2":                   "ControllerRevision DaemonSet Deployment ReplicaSet Scale! StatefulSet",
	"authentication.k8s.io/v1alpha1": "SelfSubjectReview!",
	"authentication.k8s.io/v1beta1":  "SelfSubjectReview! TokenReview!",
	"authorization.k8s.io/v1beta1": "LocalSubjectAccessReview!* SelfSubjectAccessReview! SelfSubjectRulesReview! " +
		"SubjectAccessReview!*",
	"batch/v1beta1":                "CronJob",
	"certificates.k8s.io/v1alpha1": "ClusterTrustBundle",
	"certificates.k8s.io/v1beta1":  "CertificateSigningRequest ClusterTrustBundle PodCertificateRequest",
	"coordination.k8s.io/v1alpha2": "LeaseCandidate",
	"coordination.k8s.io/v1beta1":  "Lease LeaseCandidate",
	"discovery.k8s.io/v1beta1":     "EndpointSlice*",
	"events.k8s.io/v1beta1":        "Event",
	"extensions/v1beta1": "DaemonSet* Deployment* DeploymentRollback! Ingress* " +
		"NetworkPolicy ReplicaSet Scale!",
	"flowcontrol.apiserver.k8s.io/v1beta1": "FlowSchema PriorityLevelConfiguration*",
	"flowcontrol.apiserver.k8s.io/v1beta2": "FlowSchema PriorityLevelConfiguration*",
	"flowcontrol.apiserver.k8s.io/v1beta3": "FlowSchema PriorityLevelConfiguration",
	"imagepolicy.k8s.io/v1alpha1":          "ImageReview!",
	"internal.apiserver.k8s.io/v1alpha1":   "StorageVersion",
	"networking.k8s.io/v1beta1":            "IPAddress Ingress* IngressClass ServiceCIDR",
	"node.k8s.io/v1alpha1":                 "RuntimeClass*",
	"node.k8s.io/v1beta1":                  "RuntimeClass",
	"policy/v1beta1":                       "Eviction! PodDisruptionBudget",
	"rbac.authorization.k8s.io/v1alpha1":   "ClusterRole ClusterRoleBinding* Role RoleBinding*",
	"rbac.authorization.k8s.io/v1beta1":    "ClusterRole ClusterRoleBinding Role RoleBinding",
	"resource.k8s.io/v1alpha3":             "DeviceTaintRule ResourcePoolStatusRequest",
	"resource.k8s.io/v1beta1":              "DeviceClass ResourceClaim* ResourceClaimTemplate* ResourceSlice*",
	"resource.k8s.io/v1beta2": "DeviceClass DeviceTaintRule ResourceClaim " +
		"ResourceClaimTemplate ResourceSlice",
	"scheduling.k8s.io/v1alpha2": "PodGroup Workload",
	"scheduling.k8s.io/v1beta1":  "PriorityClass",
	"storage.k8s.io/v1alpha1":    "CSIStorageCapacity VolumeAttachment VolumeAttributesClass",
	"storage.k8s.io/v1beta1": "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment " +
		"VolumeAttributesClass",
	"storagemigration.k8s.io/v1beta1": "StorageVersionMigration",
	"v1":                              "PodStatusResult RangeAllocation! SerializedReference!",
}
