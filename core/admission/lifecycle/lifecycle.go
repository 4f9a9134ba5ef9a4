// Package lifecycle is the admission plugin NamespaceLifecycle: objects can only be created in a
// namespace that exists and is not being deleted, and the system namespaces cannot be deleted.
//
// It comes first, so a request for a namespace that does not exist gets that error whatever else is
// wrong with it. A creation costs a lookup of its namespace's phase.
package lifecycle

import (
	"context"
	"fmt"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/status"
)

// Plugin is the plugin. Set its field before use.
type Plugin struct {
	// Phase returns the phase of a namespace, and whether it exists.
	Phase func(namespace string) (phase string, found bool, err error)
}

var _ admission.Prechecker = Plugin{}

// Precheck refuses a creation in a namespace that does not exist or is terminating, and the
// deletion of a permanent namespace.
func (p Plugin) Precheck(_ context.Context, a *admission.Attributes) error {
	switch {
	case a.Operation == admission.Create && a.Namespaced:
		return p.checkCreate(a)
	case a.Operation == admission.Delete && a.IsNamespace() && permanent(a.Name):
		return a.Forbidden("this namespace may not be deleted")
	}
	return nil
}

func (p Plugin) checkCreate(a *admission.Attributes) error {
	phase, found, err := p.Phase(a.Namespace)
	switch {
	case err != nil:
		return err
	case !found:
		return status.NewNotFound(status.GroupResource{Resource: "namespaces"}, a.Namespace)
	case phase != "Terminating":
		return nil
	}
	e := a.Forbidden(fmt.Sprintf("unable to create new content in namespace %s because it is being terminated",
		a.Namespace))
	e.Status.Details.Causes = []status.Cause{{
		Reason: "NamespaceTerminating", Field: "metadata.namespace",
		Message: fmt.Sprintf("namespace %s is being terminated", a.Namespace),
	}}
	return e
}

// permanent reports whether a namespace cannot be deleted.
func permanent(name string) bool {
	return name == "default" || name == "kube-system" || name == "kube-public"
}
