package controller

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// remains is what is left in a namespace after an attempt to empty it.
type remains struct {
	count int
	// resources and finalizers count the objects for the conditions.
	resources, finalizers map[string]int
	failures              []string
	// undiscovered are the group versions whose discovery failed, with the errors.
	undiscovered []string
}

func (r *remains) any() bool { return r.count > 0 || len(r.failures) > 0 || len(r.undiscovered) > 0 }

// add counts an object that is left.
func (r *remains) add(row *schema.Resource, obj map[string]any) {
	if r.resources == nil {
		r.resources, r.finalizers = map[string]int{}, map[string]int{}
	}
	r.count++
	r.resources[row.Plural+"."+row.Group]++
	for _, f := range object.Finalizers(obj) {
		r.finalizers[f]++
	}
}

func (r *remains) failed(err error) { r.failures = append(r.failures, err.Error()) }

// condition is an entry of a namespace's status.conditions.
type condition struct{ kind, status, reason, message string }

// conditions returns the five conditions of a terminating namespace, in their order.
func (r *remains) conditions() []condition {
	all := []condition{
		{"NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", "All resources successfully discovered"},
		{"NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions",
			"All legacy kube types successfully parsed"},
		{"NamespaceDeletionContentFailure", "False", "ContentDeleted",
			"All content successfully deleted, may be waiting on finalization"},
		{"NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed"},
		{"NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers", "All content-preserving finalizers finished"},
	}
	failing := func(i int, reason, intro string, parts []string) {
		if len(parts) > 0 {
			slices.Sort(parts)
			all[i] = condition{all[i].kind, "True", reason, intro + strings.Join(parts, ", ")}
		}
	}
	failing(0, "DiscoveryFailed", fmt.Sprintf("Discovery failed for some groups, %d failing: unable to retrieve the "+
		"complete list of server APIs: ",
		len(r.undiscovered)), r.undiscovered)
	failing(2, "ContentDeletionFailed",
		fmt.Sprintf("Failed to delete all resource types, %d remaining: ", len(r.failures)), r.failures)
	failing(3, "SomeResourcesRemain", "Some resources are remaining: ", counted(r.resources, "has"))
	failing(4, "SomeFinalizersRemain", "Some content in the namespace has finalizers remaining: ",
		counted(r.finalizers, "in"))
	return all
}

// counted formats the counts of objects.
func counted(counts map[string]int, word string) (texts []string) {
	for name, n := range counts {
		texts = append(texts, fmt.Sprintf("%s %s %d resource instances", name, word, n))
	}
	return texts
}

// setConditions puts conditions into an object's status. The time of an existing condition changes
// only with its status.
func setConditions(obj map[string]any, conditions []condition, now time.Time) {
	list := object.GetList(obj, "status", "conditions")
	for _, c := range conditions {
		entry := map[string]any{
			"type": c.kind, "status": c.status, "reason": c.reason, "message": c.message,
			"lastTransitionTime": now.UTC().Format(time.RFC3339),
		}
		i := slices.IndexFunc(list, func(e any) bool {
			old, _ := e.(map[string]any)
			return object.GetString(old, "type") == c.kind
		})
		if i < 0 {
			list = append(list, entry)
			continue
		}
		if old := list[i].(map[string]any); old["status"] == c.status {
			entry["lastTransitionTime"] = old["lastTransitionTime"]
		}
		list[i] = entry
	}
	object.SetNested(obj, list, "status", "conditions")
}
