// Package kinds has the behaviour of kinds beyond their schema: defaults, validation, the fields
// that a client may not change, and when a generation rises. Each kind has a strategy
// (core/internal/kinds/strategy), and each area a package, with a file for each kind that has, in this
// order, the strategy, defaults, preparing, validation, what an update may change, and warnings.
// The requirements for the parts of a kind are rules of core/internal/kinds/rule. This package is the table
// of all strategies.
//
// An object is a tree as core/object decodes it. Strategies change the object they are given and
// never the old one. They do not access the store: whatever depends on other objects is provided by
// the strategy.Context.
//
// A strategy costs the size of the part of the object that it examines. Kinds without a strategy
// get an empty one, so For never fails.
package kinds

import (
	"github.com/tabernetes/tabernetes/core/internal/kinds/access"
	"github.com/tabernetes/tabernetes/core/internal/kinds/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds/autoscaling"
	"github.com/tabernetes/tabernetes/core/internal/kinds/cluster"
	"github.com/tabernetes/tabernetes/core/internal/kinds/config"
	"github.com/tabernetes/tabernetes/core/internal/kinds/device"
	"github.com/tabernetes/tabernetes/core/internal/kinds/extension"
	"github.com/tabernetes/tabernetes/core/internal/kinds/flow"
	"github.com/tabernetes/tabernetes/core/internal/kinds/network"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/policy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/storage"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/workload"
)

// For returns the strategy of a built-in kind, or an empty one.
func For(group, kind string) *strategy.Strategy {
	if r, ok := strategies[group+"/"+kind]; ok {
		return r
	}
	return &none
}

// none is the strategy of kinds without their own.
var none strategy.Strategy

// strategies are those of the built-in kinds, by group and kind.
var strategies = map[string]*strategy.Strategy{
	"/ConfigMap":             &config.ConfigMap,
	"/Endpoints":             &network.Endpoints,
	"/Event":                 &cluster.Event,
	"/LimitRange":            &policy.LimitRange,
	"/Namespace":             &cluster.Namespace,
	"/Node":                  &cluster.Node,
	"/PersistentVolume":      &storage.PersistentVolume,
	"/PersistentVolumeClaim": &storage.PersistentVolumeClaim,
	"/Pod":                   &pod.Pod,
	"/PodTemplate":           &pod.PodTemplate,
	"/ReplicationController": &workload.ReplicationController,
	"/ResourceQuota":         &policy.ResourceQuota,
	"/Secret":                &config.Secret,
	"/Service":               &network.Service,
	"/ServiceAccount":        &config.ServiceAccount,

	"admissionregistration.k8s.io/MutatingAdmissionPolicy":          &admission.MutatingAdmissionPolicy,
	"admissionregistration.k8s.io/MutatingAdmissionPolicyBinding":   &admission.AdmissionPolicyBinding,
	"admissionregistration.k8s.io/MutatingWebhookConfiguration":     &admission.MutatingWebhookConfiguration,
	"admissionregistration.k8s.io/ValidatingAdmissionPolicy":        &admission.ValidatingAdmissionPolicy,
	"admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": &admission.AdmissionPolicyBinding,
	"admissionregistration.k8s.io/ValidatingWebhookConfiguration":   &admission.ValidatingWebhookConfiguration,

	"apiextensions.k8s.io/CustomResourceDefinition": &extension.CustomResourceDefinition,

	"apiregistration.k8s.io/APIService": &extension.APIService,

	"apps/ControllerRevision": &workload.ControllerRevision,
	"apps/DaemonSet":          &workload.DaemonSet,
	"apps/Deployment":         &workload.Deployment,
	"apps/ReplicaSet":         &workload.ReplicaSet,
	"apps/StatefulSet":        &workload.StatefulSet,

	"autoscaling/HorizontalPodAutoscaler": &autoscaling.HorizontalPodAutoscaler,

	"batch/CronJob": &workload.CronJob,
	"batch/Job":     &workload.Job,

	"certificates.k8s.io/CertificateSigningRequest": &access.CertificateSigningRequest,

	"coordination.k8s.io/Lease": &cluster.Lease,

	"discovery.k8s.io/EndpointSlice": &network.EndpointSlice,

	"events.k8s.io/Event": &cluster.NewEvent,

	"flowcontrol.apiserver.k8s.io/FlowSchema":                 &flow.FlowSchema,
	"flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": &flow.PriorityLevelConfiguration,

	"networking.k8s.io/IPAddress":     &network.IPAddress,
	"networking.k8s.io/Ingress":       &network.Ingress,
	"networking.k8s.io/IngressClass":  &network.IngressClass,
	"networking.k8s.io/NetworkPolicy": &network.NetworkPolicy,
	"networking.k8s.io/ServiceCIDR":   &network.ServiceCIDR,

	"node.k8s.io/RuntimeClass": &cluster.RuntimeClass,

	"policy/PodDisruptionBudget": &policy.PodDisruptionBudget,

	"rbac.authorization.k8s.io/ClusterRole":        &access.ClusterRole,
	"rbac.authorization.k8s.io/ClusterRoleBinding": &access.RoleBinding,
	"rbac.authorization.k8s.io/Role":               &access.Role,
	"rbac.authorization.k8s.io/RoleBinding":        &access.RoleBinding,

	"resource.k8s.io/DeviceClass":           &device.DeviceClass,
	"resource.k8s.io/ResourceClaim":         &device.ResourceClaim,
	"resource.k8s.io/ResourceClaimTemplate": &device.ResourceClaimTemplate,
	"resource.k8s.io/ResourceSlice":         &device.ResourceSlice,

	"scheduling.k8s.io/PriorityClass": &cluster.PriorityClass,

	"storage.k8s.io/CSIDriver":             &storage.CSIDriver,
	"storage.k8s.io/CSINode":               &storage.CSINode,
	"storage.k8s.io/CSIStorageCapacity":    &storage.CSIStorageCapacity,
	"storage.k8s.io/StorageClass":          &storage.StorageClass,
	"storage.k8s.io/VolumeAttachment":      &storage.VolumeAttachment,
	"storage.k8s.io/VolumeAttributesClass": &storage.VolumeAttributesClass,
}
