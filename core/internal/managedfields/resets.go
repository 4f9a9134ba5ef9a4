package managedfields

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Fields that a write cannot change are not owned: the status, on the object's own path; the spec,
// on the status's. These are the paths of writes that differ from that, according to each
// resource's registry strategy (GetResetFields).
var resets = map[string]fieldpath.Filter{
	"apps/deployments/status": without("spec", "metadata.labels"),
	"/namespaces/finalize":    without("status"),
	"/pods/status":            without("spec", "metadata.deletionTimestamp", "metadata.ownerReferences"),

	"admissionregistration.k8s.io/validatingadmissionpolicies/status": without("spec", "metadata"),
	"apiregistration.k8s.io/apiservices/status":                       without("spec", "metadata"),
	"certificates.k8s.io/certificatesigningrequests/":                 without("spec", "status"),
	"certificates.k8s.io/certificatesigningrequests/status":           without("spec", "status.conditions"),
	"certificates.k8s.io/certificatesigningrequests/approval":         without("spec", "status.certificate"),
	"flowcontrol.apiserver.k8s.io/flowschemas/status":                 without("spec", "metadata"),
	"flowcontrol.apiserver.k8s.io/prioritylevelconfigurations/status": without("spec", "metadata"),
	"networking.k8s.io/servicecidrs/status":                           without("spec", "metadata"),
	"resource.k8s.io/resourceclaims/status":                           without("spec", "metadata"),
	"storage.k8s.io/volumeattachments/status":                         without("spec", "metadata"),
}

var (
	ownReset    = without("status")
	statusReset = without("spec")
	customReset = without("spec", "metadata") // of the status of custom resources
)

// resetOf returns the fields that a write to a resource cannot own, or nil.
func resetOf(r *schema.Resource, subresource string) fieldpath.Filter {
	if f, ok := resets[r.Group+"/"+r.Plural+"/"+subresource]; ok {
		return f
	}
	switch {
	case subresource == "" && r.HasStatus:
		return ownReset
	case subresource == "status" && r.Type() == nil:
		return customReset
	case subresource == "status":
		return statusReset
	}
	return nil
}

// filterIn returns the filter of a write for the changes in a version, which owners in other versions are shown.
// Built-in types reset fields in all versions; custom ones do so on the status's path, in those that have it, and on
// their own path in the version of the write alone.
func (g group) filterIn(version string) fieldpath.Filter {
	if g.kind == nil && g.resource != nil && version != g.apiVersion {
		if form := g.resource.Form(version); g.filter == ownReset || form == nil || !form.HasStatus {
			return nil
		}
	}
	return g.filter
}

// without filters a set of fields: everything except some paths and those below them.
func without(dotted ...string) fieldpath.Filter {
	return fieldpath.NewExcludeSetFilter(paths(dotted...))
}

// paths returns the set of some paths.
func paths(dotted ...string) *fieldpath.Set {
	set := fieldpath.NewSet()
	for _, p := range dotted {
		set.Insert(pathOf(p))
	}
	return set
}

// pathOf returns the path of fields with dots between them.
func pathOf(dotted string) fieldpath.Path {
	var path fieldpath.Path
	for _, name := range strings.Split(dotted, ".") {
		path = append(path, fieldpath.PathElement{FieldName: &name})
	}
	return path
}
