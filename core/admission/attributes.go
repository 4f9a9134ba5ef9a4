package admission

import (
	"cmp"
	"maps"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// The operations of admission.
const (
	Create = "CREATE"
	Update = "UPDATE"
	Delete = "DELETE"
	// Connect is a request that is proxied or upgraded: the object is its parameters.
	Connect = "CONNECT"
)

// Attributes describe one write to admission. The user who makes it is in the context: see package
// auth.
type Attributes struct {
	*schema.Resource
	// Namespace is empty for cluster-scoped resources.
	Namespace string
	// Name is the name in the request, or else the object's own, which may be empty for a create.
	Name string
	// Subresource is empty for the object itself.
	Subresource string
	Operation   string
	// Object is the object to be stored, in the form of the subresource; nil for a deletion. Mutators
	// change it in place.
	Object map[string]any
	// Old is the stored object, in the same form; nil for a creation. It must not be changed.
	Old map[string]any
	// Options are the meta/v1 options of the verb as a tree, with apiVersion and kind, as the client
	// sent them; nil if nobody sent any. Controllers send them too. SentOptions returns those that webhooks see.
	Options map[string]any
	DryRun  bool
	// Warn adds a Warning header; never nil.
	Warn func(string)
	// FieldManager is the manager of the fields that the write sets.
	FieldManager string
	// GracePeriod is the default grace period of a deletion in seconds, for types that have one.
	GracePeriod int64

	// Given is what Object does not hold of what was sent, for plugins that distinguish empty from missing.
	Given *object.Given

	// passes is what the mutating phase remembers.
	passes passes
}

// GroupResource returns the name of the resource type as errors show it.
func (a *Attributes) GroupResource() status.GroupResource {
	return status.GroupResource{Group: a.Group, Resource: a.Plural}
}

// Is reports whether the write is to the objects of a resource type themselves, not to a subresource.
func (a *Attributes) Is(group, plural string) bool {
	return a.Subresource == "" && a.Plural == plural && a.Group == group
}

// Forbidden returns the 403 of a plugin that refuses the write. An object may have no name yet.
func (a *Attributes) Forbidden(why string) *status.Error {
	name := cmp.Or(a.Name, object.Name(a.Object), object.GenerateName(a.Object), "Unknown")
	return status.NewForbidden(a.GroupResource(), name, why)
}

// ObjectType returns the kind of the objects: that of the subresource, or the resource's own.
func (a *Attributes) ObjectType() (group, version, kind string, t *schema.Type) {
	if a.Subresource != "" {
		if sub := a.Resource.Subresource(a.Subresource); sub != nil {
			return sub.Group, sub.Version, sub.Kind, sub.Type()
		}
	}
	return a.Group, a.Version, a.Kind, a.Type()
}

// optionsKinds are the kinds of the options of operations.
var optionsKinds = map[string]string{
	Create: "CreateOptions", Update: "UpdateOptions", Delete: "DeleteOptions",
}

// SentOptions returns the options for the operation: a patch is sent as an update, and a PUT that
// creates as a creation, so fields that only they have are left out. The grace period of a pod and the
// uid of a namespace or a definition are filled into the options of a deletion that lacks them. A CONNECT
// has no options.
func (a *Attributes) SentOptions() map[string]any {
	if a.Operation == Connect {
		return nil
	}
	options := map[string]any{}
	if a.Options != nil {
		maps.Copy(options, a.Options)
		delete(options, "force")
	} else {
		if a.FieldManager != "" {
			options["fieldManager"] = a.FieldManager
		}
		if a.DryRun {
			options["dryRun"] = []any{"All"}
		}
	}
	if a.Operation == Delete {
		if a.Graceful && options["gracePeriodSeconds"] == nil {
			options["gracePeriodSeconds"] = a.GracePeriod
		}
		compares := a.IsNamespace() || kinds.Of(a.Resource).MarkDeleted != nil // its storage, before admission
		if compares && object.GetString(options, "preconditions", "uid") == "" {
			all := map[string]any{"uid": object.UID(a.Old)}
			if given := object.GetString(options, "preconditions", "resourceVersion"); given != "" {
				all["resourceVersion"] = given
			}
			options["preconditions"] = all
		}
	}
	object.SetTypeMeta(options, "meta.k8s.io/v1", optionsKinds[a.Operation])
	return options
}
