package plugins

import (
	"context"
	"slices"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/object"
)

// StorageProtection is the admission plugin StorageObjectInUseProtection: new volumes, claims
// and VolumeAttributesClasses get the finalizer that keeps them while something uses them.
type StorageProtection struct{}

var _ admission.Mutator = StorageProtection{}

// Mutate adds the finalizer to a new object that lacks it.
func (StorageProtection) Mutate(_ context.Context, a *admission.Attributes) error {
	name := finalizer(a)
	if a.Operation != admission.Create || name == "" {
		return nil
	}
	if finalizers := object.Finalizers(a.Object); !slices.Contains(finalizers, name) {
		object.SetFinalizers(a.Object, append(finalizers, name))
	}
	return nil
}

// finalizer returns the finalizer of the objects that are written; empty if they have none.
func finalizer(a *admission.Attributes) string {
	switch {
	case a.Is("", "persistentvolumes"):
		return "kubernetes.io/pv-protection"
	case a.Is("", "persistentvolumeclaims"):
		return "kubernetes.io/pvc-protection"
	case a.Is("storage.k8s.io", "volumeattributesclasses"):
		return "kubernetes.io/vac-protection"
	}
	return ""
}
