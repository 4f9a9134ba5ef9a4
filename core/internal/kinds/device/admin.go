package device

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// adminLabel is the label of namespaces in which claims may ask for admin access to devices.
const adminLabel = "resource.kubernetes.io/admin-access"

// requestsAdmin returns the violation of a new object in whose claim a request asks for admin access, if its namespace
// does not allow that. That of a template is reported at the path of a claim.
func requestsAdmin(c *strategy.Context, obj, spec map[string]any) field.ErrorList {
	requests := tree.Objects(tree.Object(spec, "devices"), "requests")
	return mayAdmin(c, obj, "spec.devices.requests", slices.IndexFunc(requests, func(request map[string]any) bool {
		return forAdmin(tree.Object(request, "exactly"))
	}))
}

func forAdmin(m map[string]any) bool { return tree.Bool(m, "adminAccess") }

// mayAdmin returns the violation of the first entry of a list that asks for admin access, unless it is -1.
func mayAdmin(c *strategy.Context, obj map[string]any, list field.Path, first int) field.ErrorList {
	if first < 0 || object.Labels(c.Lookup("namespaces", "", object.Namespace(obj)))[adminLabel] == "true" {
		return nil
	}
	return field.ErrorList{field.Forbidden(list.Index(first).Child("adminAccess"),
		"admin access to devices requires the `"+adminLabel+": true` label on the containing namespace")}
}
