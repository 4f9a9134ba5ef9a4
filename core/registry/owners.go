package registry

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/object"
)

// UniqueOwners removes duplicate owner references from an object of a client, and warns about them. when continues the
// warning: references are looked at before field management if the object is a request's body, and again, of all
// objects, after mutating admission.
func UniqueOwners(obj map[string]any, when string, warn func(string)) {
	owners := object.GetList(obj, "metadata", "ownerReferences")
	if !sameUID(owners) { // as nearly always: the keys below are as long as the references
		return
	}
	var unique []any
	var twice []string
	known := make(map[string]bool, len(owners))
	for _, owner := range owners {
		key := object.Key(owner)
		if known[key] {
			ref, _ := owner.(map[string]any)
			twice = append(twice, object.GetString(ref, "uid"))
			continue
		}
		known[key] = true
		unique = append(unique, owner)
	}
	if len(twice) == 0 {
		return
	}
	object.Meta(obj)["ownerReferences"] = unique
	warn(".metadata.ownerReferences contains duplicate entries" + when +
		"; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24" +
		"; please fix your requests; duplicate UID(s) observed: " + strings.Join(twice, ", "))
}

// sameUID reports whether two owner references have the same uid, as equal ones have.
func sameUID(owners []any) bool {
	var uids rule.Seen[string]
	return slices.ContainsFunc(owners, func(owner any) bool {
		ref, _ := owner.(map[string]any)
		return uids.Again(object.GetString(ref, "uid"))
	})
}
