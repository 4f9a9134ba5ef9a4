package apiserver

import "strings"

// unserved reports whether the real server can decode a type without serving it, and whether its fields are
// those of the kind that is served. A body of such a type is decoded, and then refused for its version.
func unserved(is typeOfDocument) (known, sameFields bool) {
	for kind := range strings.FieldsSeq(unservedKinds[is.apiVersion()]) {
		kind, differs := strings.CutSuffix(kind, "*")
		if is.kind == kind || is.kind == kind+"List" {
			return true, !differs
		}
	}
	return false, false
}

// schemeOf returns the group whose server's scheme has the types of a group: definitions and APIServices are
// served by servers of their own, which know no other types.
func schemeOf(group string) string {
	if group == "apiextensions.k8s.io" || group == "apiregistration.k8s.io" {
		return group
	}
	return ""
}

// unservedKinds are the kinds that the schemes of v1.36 have and its API does not serve, by group version, apart
// from lists and the options of meta/v1. A star marks those whose fields differ from what is served.
var unservedKinds = map[string]string{
	"admission.k8s.io/v1":      "AdmissionReview",
	"admission.k8s.io/v1beta1": "AdmissionReview",
	"admissionregistration.k8s.io/v1alpha1": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding " +
		"ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding",
	"admissionregistration.k8s.io/v1beta1": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding " +
		"MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding " +
		"ValidatingWebhookConfiguration",
	"apiextensions.k8s.io/v1beta1":   "ConversionReview CustomResourceDefinition*",
	"apiregistration.k8s.io/v1beta1": "APIService",
	"apps/v1beta1":                   "ControllerRevision Deployment* DeploymentRollback Scale StatefulSet",
	"apps/v1beta2":                   "ControllerRevision DaemonSet Deployment ReplicaSet Scale StatefulSet",
	"authentication.k8s.io/v1alpha1": "SelfSubjectReview",
	"authentication.k8s.io/v1beta1":  "SelfSubjectReview TokenReview",
	"authorization.k8s.io/v1beta1": "LocalSubjectAccessReview* SelfSubjectAccessReview SelfSubjectRulesReview " +
		"SubjectAccessReview*",
	"batch/v1beta1":                "CronJob",
	"certificates.k8s.io/v1alpha1": "ClusterTrustBundle",
	"certificates.k8s.io/v1beta1":  "CertificateSigningRequest ClusterTrustBundle PodCertificateRequest",
	"coordination.k8s.io/v1alpha2": "LeaseCandidate",
	"coordination.k8s.io/v1beta1":  "Lease LeaseCandidate",
	"discovery.k8s.io/v1beta1":     "EndpointSlice*",
	"events.k8s.io/v1beta1":        "Event",
	"extensions/v1beta1": "DaemonSet* Deployment* DeploymentRollback Ingress* " +
		"NetworkPolicy ReplicaSet Scale",
	"flowcontrol.apiserver.k8s.io/v1beta1": "FlowSchema PriorityLevelConfiguration*",
	"flowcontrol.apiserver.k8s.io/v1beta2": "FlowSchema PriorityLevelConfiguration*",
	"flowcontrol.apiserver.k8s.io/v1beta3": "FlowSchema PriorityLevelConfiguration",
	"imagepolicy.k8s.io/v1alpha1":          "ImageReview",
	"internal.apiserver.k8s.io/v1alpha1":   "StorageVersion",
	"networking.k8s.io/v1beta1":            "IPAddress Ingress* IngressClass ServiceCIDR",
	"node.k8s.io/v1alpha1":                 "RuntimeClass*",
	"node.k8s.io/v1beta1":                  "RuntimeClass",
	"policy/v1beta1":                       "Eviction PodDisruptionBudget",
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
}
