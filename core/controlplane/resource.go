package controlplane

import (
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	group   = wellknown.Group
	version = "v1"
	kind    = "ControlPlane"
)

// Resource is the resource type: the settings of the cluster as an object, and its acts as
// subresources, like a pod's eviction.
var Resource = &schema.Resource{
	Group: group, Version: version,
	Plural: "controlplanes", Singular: "controlplane", Kind: kind, ListKind: kind + "List",
	Verbs:        []string{"get", "list", "patch", "update", "watch"},
	Subresources: subresources(),
	Columns: []schema.Column{
		{Name: "Revision", Type: "integer", JSONPath: ".status.revision",
			Description: "The revision of the last write."},
		{Name: "Compacted", Type: "integer", JSONPath: ".status.compactedRevision",
			Description: "The oldest revision that can still be read."},
		{Name: "Paused", Type: "boolean", JSONPath: ".spec.clock.paused",
			Description: "Whether the cluster's clock is paused."},
		{Name: "Chaos", Type: "boolean", JSONPath: ".spec.chaos.enabled",
			Description: "Whether things go wrong at random."},
		{Name: "Seed", Type: "integer", JSONPath: ".spec.chaos.seed", Priority: 1,
			Description: "What decides on what goes wrong, and when."},
		{Name: "Acts", Type: "integer", JSONPath: ".status.chaos.acts", Priority: 1,
			Description: "How much has gone wrong since chaos began."},
		{Name: "Last", Type: "string", JSONPath: ".status.chaos.last.act", Priority: 1,
			Description: "What went wrong last."},
		{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp",
			Description: schema.CreationDescription()},
	},
	StoragePrefix: "/registry/" + group + "/controlplanes",
	Behaviour:     schema.Behaviour{UnconditionalUpdate: true, Uncached: true}, // never delayed
}

// subresources returns the acts for discovery.
func subresources() []schema.Subresource {
	var all []schema.Subresource
	for _, a := range acts {
		if last := len(all) - 1; last >= 0 && all[last].Name == a.Name {
			all[last].Verbs = append(all[last].Verbs, a.Verb)
			continue
		}
		all = append(all, schema.Subresource{
			Name: a.Name, Group: group, Version: version, Kind: kind, Verbs: []string{a.Verb}, Numbers: a.Numbers,
		})
	}
	return all
}
