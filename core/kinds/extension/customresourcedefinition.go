package extension

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/customresource"
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// customResourceDefinition: the names default to what the kind makes of them; the
// server keeps account of the versions that objects may be stored in.
var CustomResourceDefinition = strategy.Strategy{
	Default: defaultDefinition,
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		obj["status"] = emptyDefinitionStatus()
		addStoredVersion(obj)
		warnFormats(c, obj, nil)
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		addStoredVersion(obj)
		warnFormats(c, obj, old)
	},
	Validate:       validateDefinition,
	ValidateUpdate: validateDefinitionUpdate,
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList { return validateDefinitionStatus(obj) },
	MarkDeleted:    markDefinition,
}

func emptyDefinitionStatus() map[string]any {
	return map[string]any{"conditions": nil, "acceptedNames": map[string]any{"plural": "", "kind": ""}, "storedVersions": nil}
}

func defaultDefinition(obj map[string]any) {
	spec := tree.Object(obj, "spec")
	names := tree.Object(spec, "names")
	if kind := tree.Text(names, "kind"); names != nil {
		if tree.Text(names, "singular") == "" && kind != "" {
			names["singular"] = strings.ToLower(kind)
		}
		if tree.Text(names, "listKind") == "" && kind != "" {
			names["listKind"] = kind + "List"
		}
	}
	if spec != nil && spec["conversion"] == nil {
		spec["conversion"] = map[string]any{"strategy": "None"}
	}
	service := tree.Object(tree.Object(tree.Object(tree.Object(spec, "conversion"), "webhook"), "clientConfig"), "service")
	if service != nil && service["port"] == nil {
		service["port"] = int64(443)
	}
	if len(tree.List(tree.Object(obj, "status"), "storedVersions")) == 0 {
		addStoredVersion(obj)
	}
}

// addStoredVersion notes that objects may be stored in the storage version.
func addStoredVersion(obj map[string]any) {
	for _, v := range tree.List(tree.Object(obj, "spec"), "versions") {
		version := tree.Map(v)
		if !tree.Bool(version, "storage") {
			continue
		}
		stored := tree.List(tree.Object(obj, "status"), "storedVersions")
		if !slices.Contains(stored, any(tree.Text(version, "name"))) {
			object.SetNested(obj, append(slices.Clone(stored), tree.Text(version, "name")), "status", "storedVersions")
		}
		return
	}
}

// markDefinition: a definition that is deleted waits until its objects are gone.
func markDefinition(c *strategy.Context, obj map[string]any) {
	object.Meta(obj)["deletionTimestamp"] = c.Timestamp()
	if finalizers := object.Finalizers(obj); !slices.Contains(finalizers, customresource.Finalizer) {
		object.SetFinalizers(obj, append(finalizers, customresource.Finalizer))
	}
	customresource.SetCondition(obj, customresource.Terminating, "True", "InstanceDeletionPending",
		"CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon", c.Timestamp())
}
