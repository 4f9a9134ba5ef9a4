package plugins

import (
	"context"
	"fmt"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/status"
)

// NamespaceLifecycle is the admission plugin NamespaceLifecycle: objects can only be created in a
// namespace that exists and is not being deleted, and only be changed in one that exists; the system namespaces cannot
// be deleted. What is in a namespace that is gone can be read and deleted.
//
// It comes first, so a request for a namespace that does not exist gets that error whatever else is
// wrong with it. A creation and a change cost a lookup of the namespace's phase.
//
// Set its field before use.
type NamespaceLifecycle struct {
	// Phase returns the phase of a namespace, and whether it exists.
	Phase func(namespace string) (phase string, found bool, err error)
}

var (
	_ admission.Prechecker = NamespaceLifecycle{}
	_ admission.Checker    = NamespaceLifecycle{}
)

// Precheck refuses a creation in a namespace that does not exist or is terminating, and the
// deletion of a permanent namespace.
func (p NamespaceLifecycle) Precheck(_ context.Context, a *admission.Attributes) error {
	switch {
	case a.Operation == admission.Create && a.Namespaced:
		return p.checkCreate(a)
	case a.Operation == admission.Delete && a.IsNamespace() && isPermanent(a.Name):
		return a.Forbidden("this namespace may not be deleted")
	}
	return nil
}

// Check refuses the change of an object whose namespace does not exist.
func (p NamespaceLifecycle) Check(_ context.Context, a *admission.Attributes) error {
	if a.Operation != admission.Update || !a.Namespaced {
		return nil
	}
	_, found, err := p.Phase(a.Namespace)
	if err == nil && !found {
		return namespaceNotFound(a)
	}
	return err
}

func namespaceNotFound(a *admission.Attributes) error {
	return status.NewNotFound(status.GroupResource{Resource: "namespaces"}, a.Namespace)
}

func (p NamespaceLifecycle) checkCreate(a *admission.Attributes) error {
	phase, found, err := p.Phase(a.Namespace)
	switch {
	case err != nil:
		return err
	case !found:
		return namespaceNotFound(a)
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

// isPermanent reports whether a namespace cannot be deleted.
func isPermanent(name string) bool {
	return name == "default" || name == "kube-system" || name == "kube-public"
}
