package core

import (
	"net/netip"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/kinds/network"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/serviceaccount"
)

// Flags are what kube-apiserver gets as flags when it starts, and what nothing can change later. The zero value is
// a server without flags, but for RefusePrivileged.
type Flags struct {
	// ServiceAccounts says who signs the tokens of service accounts, and for whom they are: --service-account-issuer,
	// --service-account-signing-key-file, --service-account-key-file, --api-audiences and more.
	ServiceAccounts serviceaccount.Settings
	// Services is the range of the addresses of Services, of IPv4: --service-cluster-ip-range. The zero value is
	// network.ServiceRange. Another range than that of the stored Services leaves them as they are.
	Services netip.Prefix
	// RefusePrivileged refuses privileged containers: --allow-privileged=false. That is kube-apiserver's default, but
	// kubeadm and others that set clusters up start it with true, as network and storage plugins need it.
	RefusePrivileged bool
	// WithoutPlugins are the admission plugins that do not run, by the names in Plugins: --disable-admission-plugins.
	WithoutPlugins []string
	// WithPlugins are those that run only if they are asked for: ServiceAccount, which the real server runs by default.
	// --enable-admission-plugins.
	WithPlugins []string
	// Serves reports whether a built-in type is served: --runtime-config. Nil: all are. See Needs.
	Serves func(group, version, resource string) bool
}

// Needs reports whether the server itself uses the types of a group, so that they have to be served.
func Needs(group string) bool {
	switch group {
	case "", "admissionregistration.k8s.io", "apiextensions.k8s.io", "rbac.authorization.k8s.io",
		"networking.k8s.io", "scheduling.k8s.io", "node.k8s.io", "coordination.k8s.io", "apiregistration.k8s.io":
		return true
	}
	return false
}

// wants reports whether a plugin is asked for.
func (f *Flags) wants(plugin string) bool { return slices.Contains(f.WithPlugins, plugin) }

// services is the range of the addresses of Services.
func (f *Flags) services() netip.Prefix {
	if f.Services.IsValid() {
		return f.Services
	}
	return netip.MustParsePrefix(network.ServiceRange)
}

// limit removes the resource types that are not served from a table. What is stored of them stays stored.
func (f *Flags) limit(t *schema.Table) {
	if f.Serves == nil {
		return
	}
	var without []*schema.Resource
	for _, r := range t.Resources() {
		if !Needs(r.Group) && !f.Serves(r.Group, r.Version, r.Plural) {
			without = append(without, r)
		}
	}
	t.Remove(without...)
}
