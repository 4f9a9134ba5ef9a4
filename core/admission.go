package core

import (
	"context"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/controlplane"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/internal/plugins/podsecurity"
)

// A pluginRow is an admission plugin, with the names of those of the real server that it is: none, one or several.
type pluginRow struct {
	names string
	make  func(i *instance) admission.Plugin
}

// order has the admission plugins in the order in which they see every write, behind those of extensions.
//
// What makes all other checks pointless comes first: a definition that is being deleted, and, by NamespaceLifecycle, a
// namespace that does not exist. The real server's plugins stand in its order. Those that fill in fields run before
// policies and webhooks, which so see the completed object, policies first. Checks that webhooks must not be able to
// bypass run after them: the requestor of a certificate, and when nothing changes any more, the check for privilege
// escalation. Quotas are last: a write that is refused for another reason is not charged.
var order = []pluginRow{
	{"", func(*instance) admission.Plugin { return plugins.Terminating{} }},
	{"NamespaceLifecycle", func(i *instance) admission.Plugin {
		return plugins.NamespaceLifecycle{Phase: i.registry.NamespacePhase}
	}},
	{"", func(i *instance) admission.Plugin {
		return controlplane.ChaosStart{Plane: i.plane}
	}},
	{"LimitRanger", func(i *instance) admission.Plugin { return plugins.LimitRanger{Store: i.store, Table: i.table} }},
	{"ServiceAccount", func(i *instance) admission.Plugin {
		return plugins.ServiceAccount{
			Always: i.cluster.options.Flags.wants("ServiceAccount"), Now: i.controllers.Replaced, Store: i.store,
			Table: i.table, Clock: i.cluster.options.Clock, Waiting: apiserver.ReleaseSeat,
			Suffix: func(namespace string) string { return i.registry.NewSuffix("volumes", namespace) },
		}
	}},
	{"TaintNodesByCondition", func(*instance) admission.Plugin { return plugins.NodeTaint{} }},
	{"PodSecurity", func(i *instance) admission.Plugin { return podsecurity.Plugin{Store: i.store, Table: i.table} }},
	{"Priority", func(i *instance) admission.Plugin { return &plugins.Priority{Store: i.store, Table: i.table} }},
	{"DefaultTolerationSeconds", func(*instance) admission.Plugin { return plugins.DefaultTolerations{} }},
	{"DefaultStorageClass", func(i *instance) admission.Plugin {
		return plugins.DefaultClass{Store: i.store, Table: i.table, Of: plugins.StorageClasses}
	}},
	{"StorageObjectInUseProtection", func(*instance) admission.Plugin { return plugins.StorageProtection{} }},
	{"PersistentVolumeClaimResize", func(i *instance) admission.Plugin {
		return plugins.VolumeExpansion{Store: i.store, Table: i.table}
	}},
	{"RuntimeClass", func(i *instance) admission.Plugin { return plugins.RuntimeClass{Store: i.store, Table: i.table} }},
	{"CertificateApproval CertificateSigning CertificateSubjectRestriction", func(i *instance) admission.Plugin {
		return plugins.Certificates{
			RBAC: i.access.RBAC(), Active: i.access.UsesRBAC, Without: i.cluster.options.Flags.WithoutPlugins,
		}
	}},
	{"DefaultIngressClass", func(i *instance) admission.Plugin {
		return plugins.DefaultClass{Store: i.store, Table: i.table, Of: plugins.IngressClasses}
	}},
	{"PodTopologyLabels", func(i *instance) admission.Plugin { return plugins.PodTopology{Lookup: i.registry.Lookup} }},
	{"NodeDeclaredFeatureValidator", func(i *instance) admission.Plugin {
		return plugins.NodeFeatures{Lookup: i.registry.Lookup}
	}},
	{"PodResizeValidator", func(i *instance) admission.Plugin { return plugins.PodResize{Lookup: i.registry.Lookup} }},
	{"MutatingAdmissionPolicy", func(i *instance) admission.Plugin { return mutating{i.policies} }},
	{"MutatingAdmissionWebhook", func(i *instance) admission.Plugin { return mutating{i.webhooks} }},
	{"ValidatingAdmissionPolicy", func(i *instance) admission.Plugin { return validating{i.policies} }},
	{"ValidatingAdmissionWebhook", func(i *instance) admission.Plugin { return validating{i.webhooks} }},
	{"", func(*instance) admission.Plugin { return plugins.Requestor{} }},
	{"", func(i *instance) admission.Plugin {
		return plugins.Escalation{RBAC: i.access.RBAC(), Active: i.access.UsesRBAC}
	}},
	{"ResourceQuota", func(i *instance) admission.Plugin {
		return plugins.ResourceQuota{Store: i.store, Table: i.table, Now: i.clock.Now, Update: i.registry.UpdateQuota}
	}},
}

// optional are the plugins that the real server runs by default, and this one only if it is asked: with ServiceAccount
// a Pod needs an account, which controllers make, and most tests run with neither, as envtest does. A host that has the
// programs of a control plane, which may begin to work, asks by that: the plugin does nothing until they do.
var optional = []string{"ServiceAccount"}

// mutating and validating are the parts of what is two plugins in the real server: policies and webhooks, which objects
// of the cluster are. None sees the ControlPlane, or one could keep its settings from being changed back.
type (
	mutating   struct{ admission.Mutator }
	validating struct{ admission.Validator }
)

func (p mutating) Mutate(ctx context.Context, a *admission.Attributes) error {
	if a.Resource == controlplane.Resource {
		return nil
	}
	return p.Mutator.Mutate(ctx, a)
}

func (p validating) Validate(ctx context.Context, a *admission.Attributes) error {
	if a.Resource == controlplane.Resource {
		return nil
	}
	return p.Validator.Validate(ctx, a)
}

// admissionChain returns the admission plugins of a cluster: all but those of which its flags name each name, and
// those that are optional and not asked for.
func admissionChain(i *instance) admission.Chain {
	flags := i.cluster.options.Flags
	off := func(name string) bool {
		return slices.Contains(flags.WithoutPlugins, name) ||
			slices.Contains(optional, name) && !flags.wants(name) && i.cluster.options.Programs == nil
	}
	chain := i.added.Plugins()
	for _, p := range order {
		if p.names == "" || len(slices.DeleteFunc(strings.Fields(p.names), off)) > 0 {
			chain = append(chain, p.make(i))
		}
	}
	return chain
}

// Plugins returns the names of the real server's admission plugins that run here, in their order.
func Plugins() (names []string) {
	for _, p := range order {
		names = append(names, strings.Fields(p.names)...)
	}
	return names
}

// releaseSeat gives up a request's seat while its webhooks are called, since they may make requests
// too.
func releaseSeat(call webhooks.Caller) webhooks.Caller {
	if call == nil {
		return nil
	}
	return func(ctx context.Context, c *webhooks.Call) (*webhooks.Reply, error) {
		defer apiserver.ReleaseSeat(ctx)()
		return call(ctx, c)
	}
}
