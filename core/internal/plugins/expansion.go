package plugins

import (
	"cmp"
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
)

// VolumeExpansion is the admission plugin PersistentVolumeClaimResize: only a bound claim whose StorageClass allows
// it can ask for more.
//
// Set its fields before use.
type VolumeExpansion struct {
	// Store has the StorageClasses, and Table their type.
	Store *mvcc.Store
	Table *schema.Table
}

var _ admission.Validator = VolumeExpansion{}

// Validate refuses a claim that asks for more than before, and may not.
func (p VolumeExpansion) Validate(_ context.Context, a *admission.Attributes) error {
	if a.Operation != admission.Update || !a.Is("", "persistentvolumeclaims") {
		return nil
	}
	size := func(claim map[string]any) any {
		return cmp.Or(tree.At(claim, "spec.resources.requests")["storage"], any("0"))
	}
	if !valid.MoreThan(size(a.Object), size(a.Old)) {
		return nil
	}
	if tree.Text(tree.Object(a.Old, "status"), "phase") != "Bound" {
		return a.Forbidden("Only bound persistent volume claims can be expanded")
	}
	if name := classOfClaim(a.Object); name != "" && name == classOfClaim(a.Old) {
		class, err := admission.Stored(p.Store, p.Table.Resource("storage.k8s.io", "v1", "storageclasses"), name)
		if err != nil || tree.Bool(class, "allowVolumeExpansion") {
			return err
		}
	}
	return a.Forbidden("only dynamically provisioned pvc can be resized and " +
		"the storageclass that provisions the pvc must support resize")
}

// classOfClaim returns the name of a claim's StorageClass; empty if it has none.
func classOfClaim(claim map[string]any) string {
	if name, older := tree.At(claim, "metadata.annotations")["volume.beta.kubernetes.io/storage-class"].(string); older {
		return name
	}
	return tree.Text(tree.Object(claim, "spec"), "storageClassName")
}
