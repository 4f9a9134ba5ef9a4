package kinds

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/customresource"
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
)

// customResourceDefinition: the names default to what the kind makes of them; the
// server keeps account of the versions that objects may be stored in.
var customResourceDefinition = Rules{
	Default: defaultDefinition,
	PrepareCreate: func(c *Context, obj map[string]any) {
		obj["status"] = emptyDefinitionStatus()
		addStoredVersion(obj)
		warnFormats(c, obj, nil)
	},
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
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
	spec := dict(obj, "spec")
	names := dict(spec, "names")
	if kind := str(names, "kind"); names != nil {
		if str(names, "singular") == "" && kind != "" {
			names["singular"] = strings.ToLower(kind)
		}
		if str(names, "listKind") == "" && kind != "" {
			names["listKind"] = kind + "List"
		}
	}
	if spec != nil && spec["conversion"] == nil {
		spec["conversion"] = map[string]any{"strategy": "None"}
	}
	service := dict(dict(dict(dict(spec, "conversion"), "webhook"), "clientConfig"), "service")
	if service != nil && service["port"] == nil {
		service["port"] = int64(443)
	}
	if len(list(dict(obj, "status"), "storedVersions")) == 0 {
		addStoredVersion(obj)
	}
}

// addStoredVersion notes that objects may be stored in the storage version.
func addStoredVersion(obj map[string]any) {
	for _, v := range list(dict(obj, "spec"), "versions") {
		version := asMap(v)
		if !flag(version, "storage") {
			continue
		}
		stored := list(dict(obj, "status"), "storedVersions")
		if !slices.Contains(stored, any(str(version, "name"))) {
			object.SetNested(obj, append(slices.Clone(stored), str(version, "name")), "status", "storedVersions")
		}
		return
	}
}

// markDefinition: a definition that is deleted waits until its objects are gone.
func markDefinition(c *Context, obj map[string]any) {
	object.Meta(obj)["deletionTimestamp"] = c.now()
	if finalizers := object.Finalizers(obj); !slices.Contains(finalizers, customresource.Finalizer) {
		object.SetFinalizers(obj, append(finalizers, customresource.Finalizer))
	}
	customresource.SetCondition(obj, customresource.Terminating, "True", "InstanceDeletionPending",
		"CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon", c.now())
}
