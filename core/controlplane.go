package core

import (
	"cmp"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/customresource"
	"github.com/tabernetes/tabernetes/core/faults"
	"github.com/tabernetes/tabernetes/core/field"
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
		act("advance", "create"), act("compact", "create"), act("disconnect", "create"), act("purge", "create"), act("reset", "create"),
		reading(act("revisions", "get"), "since"), reading(act("snapshot", "get", "update"), "revision"),
	},
	Columns: []schema.Column{
		{Name: "Revision", Type: "integer", JSONPath: ".status.revision", Description: "The revision of the last write."},
		{Name: "Compacted", Type: "integer", JSONPath: ".status.compactedRevision", Description: "The oldest revision that can still be read."},
		{Name: "Paused", Type: "boolean", JSONPath: ".spec.clock.paused", Description: "Whether the cluster's clock stands."},
		{Name: "Chaos", Type: "boolean", JSONPath: ".spec.chaos.enabled", Description: "Whether things go wrong at random."},
		{Name: "Seed", Type: "integer", JSONPath: ".spec.chaos.seed", Description: "What decides on what goes wrong, and when.", Priority: 1},
		{Name: "Acts", Type: "integer", JSONPath: ".status.chaos.acts", Description: "How much has gone wrong since chaos began.", Priority: 1},
		{Name: "Last", Type: "string", JSONPath: ".status.chaos.last.act", Description: "What went wrong last.", Priority: 1},
		{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp", Description: schema.CreationDescription()},
	},
	StoragePrefix: "/registry/sandbox.tabernetes.dev/controlplanes",
	Behaviour:     schema.Behaviour{UnconditionalUpdate: true, Uncached: true}, // a lever is never late
}

func act(name string, verbs ...string) schema.Subresource {
	return schema.Subresource{Name: name, Group: "sandbox.tabernetes.dev", Version: "v1", Kind: "ControlPlane", Verbs: verbs}
}

// reading is an act whose GET has parameters of its own.
func reading(s schema.Subresource, numbers ...string) schema.Subresource {
	s.Numbers = numbers
	return s
}

// spec is what the levers are set to.
type spec struct {
	// retention is how long revisions can be read after they were replaced:
	// spec.history.retentionSeconds.
	retention time.Duration
	// bookmarks is how often a quiet watch gets one, 0 for never: spec.watch.bookmarkSeconds.
	bookmarks time.Duration
	// controllers runs the built-in controllers: spec.controllers.enabled.
	controllers bool
	// replicas are the API servers, each with its watch cache: spec.cache.replicas.
	replicas []registry.CacheSpec
	// paused makes the cluster's time stand: spec.clock.paused.
	paused bool
	// compatibility says what API servers ignore: spec.compatibility, and for each of them
	// what it is with its own in spec.cache.replicas.
	compatibility registry.Compatibility
	servers       [registry.MaxReplicas]registry.Compatibility
	// cbor is spec.featureGates.CBORServingAndStorage.
	cbor bool
	// authorization is spec.authorization.mode.
	authorization string
	// withoutCredentials is who makes a request without credentials:
	// spec.authentication.withoutCredentials.
	withoutCredentials string
	// tokens are the bearer tokens: spec.authentication.tokens.
	tokens []Token
	chaos  chaosSpec
	// faults are what goes wrong with requests of certain clients: spec.faults.
	faults []faults.Row
}

// defaultSpec is what a real control plane has, but that everybody is its
// administrator unless the options say otherwise.
func defaultSpec(o *Options) spec {
	return spec{
		retention: 5 * time.Minute, bookmarks: time.Minute, controllers: o.Controllers,
		replicas:           make([]registry.CacheSpec, 1),
		authorization:      cmp.Or(o.Authorization, access.AlwaysAllow),
		withoutCredentials: cmp.Or(o.WithoutCredentials, access.Admin),
		tokens:             o.Tokens,
		chaos:              defaultChaos,
	}
}

// newControlPlane is the object that a new cluster has.
func newControlPlane(s spec) map[string]any {
	return map[string]any{
		"apiVersion": controlPlanes.APIVersion(), "kind": controlPlanes.Kind,
		"metadata": map[string]any{"name": "default"},
		"spec": map[string]any{
			"history":        map[string]any{"retentionSeconds": int64(s.retention / time.Second)},
			"watch":          map[string]any{"bookmarkSeconds": int64(s.bookmarks / time.Second)},
			"controllers":    map[string]any{"enabled": s.controllers},
			"cache":          map[string]any{"replicas": replicasOf(s.replicas)},
			"chaos":          s.chaos.tree(),
			"faults":         []any{},
			"clock":          map[string]any{"paused": s.paused},
			"compatibility":  compatibilityOf(s.compatibility),
			"featureGates":   map[string]any{gateCBOR: s.cbor},
			"authorization":  map[string]any{"mode": s.authorization},
			"authentication": map[string]any{"withoutCredentials": s.withoutCredentials, "tokens": tokensOf(s.tokens)},
		},
	}
}

// replicasOf is spec.cache.replicas.
func replicasOf(specs []registry.CacheSpec) []any {
	list := make([]any, len(specs))
	for i, c := range specs {
		list[i] = map[string]any{"lagSeconds": int64(c.Lag / time.Second), "frozen": c.Frozen, "keepSeconds": int64(c.Keep / time.Second)}
	}
	return list
}

// stripControlPlane takes away what completeControlPlane adds, which is not stored.
func stripControlPlane(obj map[string]any) { delete(obj, "status") }

// tokensOf is spec.authentication.tokens.
func tokensOf(tokens []Token) []any {
	list := make([]any, len(tokens))
	for i, t := range tokens {
		groups := make([]any, len(t.Groups))
		for n, group := range t.Groups {
			groups[n] = group
		}
		list[i] = map[string]any{"token": t.Token, "user": t.User, "uid": t.UID, "groups": groups}
	}
	return list
}

// validateControlPlane checks an object that is to be stored.
func (i *instance) validateControlPlane(obj map[string]any) field.ErrorList {
	_, faults := i.defaults().parse(obj)
	return faults
}

// observe keeps the levers and the authorizer in step with what is stored. A nil
// value is that of an object that is gone.
func (i *instance) observe(bucket, key string, value []byte, rev int64) {
	if resource, ok := strings.CutPrefix(bucket, auth.Group+"/v1/"); ok {
		if row := i.table.Resource(auth.Group, "v1", resource); row != nil {
			i.gate.Observe(row, key, value)
		}
		return
	}
	if bucket == customresource.Bucket {
		i.custom.Observe(key, value)
		return
	}
	if bucket != registry.BucketOf(controlPlanes) || value == nil {
		return
	}
	obj, _, err := object.Decode(value, controlPlanes.Type())
	if err != nil {
		return // not so: it was stored
	}
	if s, faults := i.defaults().parse(obj); len(faults) == 0 {
		i.apply(&s, rev)
	}
}

func (i *instance) defaults() spec { return defaultSpec(&i.cluster.options) }

// apply puts a spec in force while the store's head is at rev. It may run under
// the store's lock.
func (i *instance) apply(s *spec, rev int64) {
	i.spec.Store(s)
	i.registry.SetSettings(registry.Settings{BookmarkInterval: s.bookmarks, Compatibility: s.servers})
	i.chaos.Follow(s.chaos.enabled && !s.chaos.plan.Start.IsZero(), s.chaos.plan)
	if !i.faults.Load().Is(s.faults) {
		i.faults.Store(faults.New(s.faults))
	}
	i.chaos.SetCaches(s.replicas, rev)
	i.clock.Pause(s.paused)
	i.controllers.Switch(s.controllers)
	i.history.SetRetention(s.retention)
	i.gate.Set(access.Settings{
		Authorization: s.authorization, WithoutCredentials: s.withoutCredentials, Tokens: s.tokens,
	})
}

// completeControlPlane adds the status: where the cluster is right now.
func (i *instance) completeControlPlane(obj map[string]any) {
	at := i.store.Status()
	var caches []any
	for _, rev := range i.registry.Replicas.Revisions() {
		caches = append(caches, rev)
	}
	obj["status"] = map[string]any{
		"revision":          at.Head,
		"cacheRevisions":    caches,
		"compactedRevision": at.Compacted,
		"clock": map[string]any{
			"now":           i.clock.Now().UTC().Format(time.RFC3339Nano),
			"offsetSeconds": int64(i.clock.Offset() / time.Second),
		},
		"storage": i.storage.Status(),
	}
	if chaos := i.chaos.Status(); chaos != nil {
		object.SetNested(obj, chaos, "status", "chaos")
	}
	if rows := i.faults.Load(); rows != nil {
		object.SetNested(obj, appliedOf(rows), "status", "faults")
	}
}
