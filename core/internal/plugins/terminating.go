package plugins

import (
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/status"
)

// Terminating is the admission plugin that refuses new objects of a CustomResourceDefinition
// that is being deleted. In the real server it has no name: it stands before all others, where custom
// resources are served.
type Terminating struct{}

var _ admission.Prechecker = Terminating{}

// Precheck refuses the creation of an object whose definition is being deleted.
func (Terminating) Precheck(_ context.Context, a *admission.Attributes) error {
	if a.Operation != admission.Create || a.Custom == nil || !a.Custom.Terminating.Load() {
		return nil
	}
	return status.NewForbidden(a.GroupResource(), a.Name,
		"create not allowed while custom resource definition is terminating")
}
