package core

import (
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
	// retention is how long revisions can be read after they were replaced:
	// spec.history.retentionSeconds.
	retention time.Duration
	// bookmarks is how often a quiet watch gets one: spec.watch.bookmarkSeconds.
	bookmarks time.Duration
	// controllers runs the built-in controllers: spec.controllers.enabled.
	controllers bool
}

// defaultSpec is what a real control plane has.
func defaultSpec(controllers bool) spec {
	return spec{retention: 5 * time.Minute, bookmarks: time.Minute, controllers: controllers}
}

// maxSeconds bounds the durations of the spec: a day.
const maxSeconds = 24 * 60 * 60

// parse reads the spec of a ControlPlane. What it does not set is as in s.
func (s spec) parse(obj map[string]any) (spec, field.ErrorList) {
	var faults field.ErrorList
	invalid := func(at field.Path, value any, why string) {
		faults = append(faults, field.Invalid(at, value, why))
	}
	section := func(tree map[string]any, at field.Path, name string) (map[string]any, field.Path) {
		at = at.Child(name)
		value, there := tree[name]
		child, ok := value.(map[string]any)
		if there && value != nil && !ok {
			invalid(at, value, "must be an object")
		}
		return child, at
	}
	seconds := func(tree map[string]any, at field.Path, name string, into *time.Duration) {
		switch n := tree[name].(type) {
		case nil:
		case int64:
			if n < 1 || n > maxSeconds {
				invalid(at.Child(name), n, "must be between 1 and 86400, inclusive")
			}
			*into = time.Duration(n) * time.Second
		default:
			invalid(at.Child(name), n, "must be a whole number of seconds")
		}
	}
	root, at := section(obj, "", "spec")
	tree, in := section(root, at, "history")
	seconds(tree, in, "retentionSeconds", &s.retention)
	tree, in = section(root, at, "watch")
	seconds(tree, in, "bookmarkSeconds", &s.bookmarks)
	tree, in = section(root, at, "controllers")
	switch enabled := tree["enabled"].(type) {
	case nil:
	case bool:
		s.controllers = enabled
	default:
		invalid(in.Child("enabled"), enabled, "must be true or false")
	}
	return s, faults
}

// newControlPlane is the object that a new cluster has.
func newControlPlane(s spec) map[string]any {
	return map[string]any{
		"apiVersion": controlPlanes.APIVersion(), "kind": controlPlanes.Kind,
		"metadata": map[string]any{"name": "default"},
		"spec": map[string]any{
			"history":     map[string]any{"retentionSeconds": int64(s.retention / time.Second)},
			"watch":       map[string]any{"bookmarkSeconds": int64(s.bookmarks / time.Second)},
			"controllers": map[string]any{"enabled": s.controllers},
		},
	}
}

// validateControlPlane checks an object that is to be stored. What
// completeControlPlane adds is not stored.
func (i *instance) validateControlPlane(obj map[string]any) field.ErrorList {
	delete(obj, "status")
	_, faults := i.defaults().parse(obj)
	return faults
}

// observe keeps the levers in step with what is stored.
func (i *instance) observe(bucket string, value []byte) {
	if bucket != registry.BucketOf(controlPlanes) {
		return
	}
	obj, _, err := object.Decode(value, controlPlanes.Type())
	if err != nil {
		return // not so: it was stored
	}
	if s, faults := i.defaults().parse(obj); len(faults) == 0 {
		i.apply(&s)
	}
}

func (i *instance) defaults() spec { return defaultSpec(i.cluster.options.Controllers) }

// apply puts a spec in force. It may run under the store's lock.
func (i *instance) apply(s *spec) {
	i.spec.Store(s)
	i.registry.SetSettings(registry.Settings{BookmarkInterval: s.bookmarks})
	i.controllers.Switch(s.controllers)
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
