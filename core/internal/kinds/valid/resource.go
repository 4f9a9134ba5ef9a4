package valid

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
)

// IsNative reports whether a resource is one of Kubernetes: one without a domain, or with
// kubernetes.io.
func IsNative(name string) bool {
	return !strings.Contains(name, "/") || strings.Contains(name, "kubernetes.io/")
}

// IsExtended reports whether a resource is an extended one.
func IsExtended(name string) bool {
	return !IsNative(name) && !strings.HasPrefix(name, "requests.") && syntax.LabelKey("requests."+name) == nil
}

// quotaResources are resources of quotas only, not of containers.
var quotaResources = strings.Fields(`requests.cpu requests.memory requests.ephemeral-storage
	limits.cpu limits.memory limits.ephemeral-storage pods resourcequotas services replicationcontrollers secrets
	configmaps persistentvolumeclaims storage requests.storage services.nodeports services.loadbalancers`)

// containerResources are the resources of containers without a domain, except for huge pages.
var containerResources = []string{"cpu", "memory", "ephemeral-storage"}

// Resource returns the violations of the name of a resource of a container.
func Resource(name string, at field.Path) field.ErrorList {
	errs := ResourceName(name, at)
	switch {
	case !strings.Contains(name, "/"):
		if !slices.Contains(containerResources, name) && !strings.HasPrefix(name, "hugepages-") {
			errs.Add(field.Invalid(at, name, "must be a standard resource for containers"))
		}
	case !IsNative(name) && !IsExtended(name):
		errs.Add(field.Invalid(at, name, "doesn't follow extended resource name standard"))
	}
	return errs
}

// ResourceName returns the violations of the name of any resource.
func ResourceName(name string, at field.Path) field.ErrorList {
	if wrong := syntax.LabelKey(name); len(wrong) > 0 {
		return rule.Invalid(at, name, wrong)
	}
	var errs field.ErrorList
	if !strings.Contains(name, "/") && !slices.Contains(containerResources, name) &&
		!slices.Contains(quotaResources, name) &&
		!strings.HasPrefix(strings.TrimPrefix(name, "requests."), "hugepages-") {
		errs.Add(field.Invalid(at, name, "must be a standard resource type or fully qualified"))
	}
	return errs
}
