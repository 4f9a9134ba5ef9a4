package core

import (
	"encoding/json"
	"time"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// controlPlanes is the resource type of the levers: the settings of the cluster
// as an object, and its acts as create-only subresources, like a pod's eviction.
var controlPlanes = &schema.Resource{
	Group: "sandbox.tabernetes.dev", Version: "v1",
	Plural: "controlplanes", Singular: "controlplane", Kind: "ControlPlane", ListKind: "ControlPlaneList",
	Verbs: []string{"get", "list", "patch", "update", "watch"},
	Subresources: []schema.Subresource{
		act("compact", "create"), act("disconnect", "create"), act("reset", "create"),
		act("revisions", "get"), act("snapshot", "get", "update"),
	},
	StoragePrefix: "/registry/sandbox.tabernetes.dev/controlplanes",
	Behaviour:     schema.Behaviour{UnconditionalUpdate: true},
}

func act(name string, verbs ...string) schema.Subresource {
	return schema.Subresource{Name: name, Group: "sandbox.tabernetes.dev", Version: "v1", Kind: "ControlPlane", Verbs: verbs}
}

// spec is what the levers are set to.
type spec struct {
	History struct {
		// RetentionSeconds is how long revisions can be read after they were
		// replaced.
		RetentionSeconds int64 `json:"retentionSeconds,omitempty"`
	} `json:"history"`
	Watch struct {
		// BookmarkSeconds is how often a quiet watch gets a bookmark.
		BookmarkSeconds int64 `json:"bookmarkSeconds,omitempty"`
	} `json:"watch"`
	Controllers struct {
		// Enabled runs the built-in controllers.
		Enabled *bool `json:"enabled,omitempty"`
	} `json:"controllers"`
}

// defaultSpec is what a real control plane has.
func defaultSpec(controllers bool) (s spec) {
	s.History.RetentionSeconds = 300
	s.Watch.BookmarkSeconds = 60
	s.Controllers.Enabled = &controllers
	return s
}

func (s *spec) retention() time.Duration {
	return time.Duration(s.History.RetentionSeconds) * time.Second
}

// newControlPlane is the object that a new cluster has.
func newControlPlane(s spec) map[string]any {
	return map[string]any{
		"apiVersion": controlPlanes.APIVersion(), "kind": controlPlanes.Kind,
		"metadata": map[string]any{"name": "default"},
		"spec": map[string]any{
			"history":     map[string]any{"retentionSeconds": s.History.RetentionSeconds},
			"watch":       map[string]any{"bookmarkSeconds": s.Watch.BookmarkSeconds},
			"controllers": map[string]any{"enabled": *s.Controllers.Enabled},
		},
	}
}

// maxSeconds bounds the durations of the spec: a day.
const maxSeconds = 24 * 60 * 60

// validateControlPlane checks an object that is to be stored.
func validateControlPlane(obj map[string]any) (faults field.ErrorList) {
	seconds := func(path ...string) {
		value, there := object.Get(obj, append([]string{"spec"}, path...)...)
		if !there {
			return
		}
		at := field.NewPath("spec").Child(path...)
		if n, ok := value.(int64); !ok {
			faults = append(faults, field.Invalid(at, value, "must be a whole number of seconds"))
		} else if n < 1 || n > maxSeconds {
			faults = append(faults, field.Invalid(at, n, "must be between 1 and 86400, inclusive"))
		}
	}
	seconds("history", "retentionSeconds")
	seconds("watch", "bookmarkSeconds")
	if value, there := object.Get(obj, "spec", "controllers", "enabled"); there {
		if _, ok := value.(bool); !ok {
			faults = append(faults, field.Invalid("spec.controllers.enabled", value, "must be true or false"))
		}
	}
	return faults
}

// observe keeps the levers in step with what is stored.
func (i *instance) observe(bucket string, value []byte) {
	if bucket != registry.BucketOf(controlPlanes) {
		return
	}
	stored := struct {
		Spec spec `json:"spec"`
	}{defaultSpec(i.cluster.options.Controllers)}
	if json.Unmarshal(value, &stored) == nil {
		i.apply(&stored.Spec)
	}
}

// apply puts a spec in force. It may run under the store's lock.
func (i *instance) apply(s *spec) {
	i.spec.Store(s)
	i.registry.SetSettings(registry.Settings{BookmarkInterval: time.Duration(s.Watch.BookmarkSeconds) * time.Second})
	i.controllers.Switch(s.Controllers.Enabled != nil && *s.Controllers.Enabled)
}

// completeControlPlane adds the status: where the cluster is right now.
func (i *instance) completeControlPlane(obj map[string]any) {
	at, recovery := i.store.Status(), i.cluster.recovery
	_, memory := i.cluster.options.Storage.(*journal.Memory)
	storage := map[string]any{"persistent": i.log != nil && !memory}
	if recovery.SetAside != "" {
		storage["setAside"], storage["problem"] = recovery.SetAside, recovery.Problem
	}
	if i.log != nil {
		if err := i.log.Err(); err != nil {
			storage["problem"] = err.Error()
		}
	}
	obj["status"] = map[string]any{
		"revision":          at.Head,
		"cacheRevisions":    []any{i.registry.Cache.Revision()},
		"compactedRevision": at.Compacted,
		"storage":           storage,
	}
}
