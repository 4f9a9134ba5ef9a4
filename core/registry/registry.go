package registry

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds"
	"github.com/tabernetes/tabernetes/core/kinds/extension"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// Registry is the verbs over one store. Set its fields before use.
type Registry struct {
	Store *mvcc.Store
	Table *schema.Table
	Clock clock.Clock
	// Rand is where uids and generated names come from; see random.For.
	Rand io.Reader
	// Log makes commits durable. Nil: the cluster is in memory only.
	Log Durability
	// Reclaim makes room when the store's quota is used up, and reports whether it did.
	// Nil: nobody can.
	Reclaim func(context.Context) bool
	// Pause is called between the pieces of work that takes long. Nil: nothing is.
	Pause func()
	// Kinds is what the strategies of some kinds need of the cluster.
	Kinds strategy.Context
	// Extensions are the hooks of resource types that are not Kubernetes' own.
	Extensions map[*schema.Resource]Extension
	// Admission is the plugins that every write passes.
	Admission admission.Chain
	// Replicas are the API servers that answer requests.
	Replicas *Replicas
	// Closing is closed when the cluster ends: nobody waits for it any longer.
	Closing <-chan struct{}
	// Replaced reports, once Closing is closed, whether another cluster takes the place of
	// this one. Nil: none does.
	Replaced func() bool

	scratch         []byte
	settings        atomic.Pointer[Settings]
	defaultPriority atomic.Pointer[defaultClass]
	cut             cutter // of the watches without a cache
}

// Rest calls Pause. Callers hold no lock.
func (r *Registry) Rest() {
	if r.Pause != nil {
		r.Pause()
	}
}

// Settings are the levers that verbs obey. They may change at any time.
type Settings struct {
	// BookmarkInterval is how often a quiet watch that allows bookmarks gets one; 0: it gets
	// none, except for the one after the initial events.
	BookmarkInterval time.Duration
	// Compatibility is that of each API server.
	Compatibility [MaxReplicas]Compatibility
}

// DefaultSettings are those of a real server.
var DefaultSettings = Settings{BookmarkInterval: time.Minute}

// Settings returns the settings in force.
func (r *Registry) Settings() Settings {
	if s := r.settings.Load(); s != nil {
		return *s
	}
	return DefaultSettings
}

// SetSettings puts settings in force for everything that starts from now on.
func (r *Registry) SetSettings(s Settings) { r.settings.Store(&s) }

// Extension is what a resource type adds to the common path. Hooks may be nil.
type Extension struct {
	// Complete adds what an object only has when it is read; Strip takes it away from
	// what clients send back.
	Complete, Strip func(obj map[string]any)
	// Validate says what is wrong with an object that is to be stored.
	Validate func(obj map[string]any) field.ErrorList
}

// Target is what a request is about.
type Target struct {
	*schema.Resource
	// Namespace is empty for cluster-scoped resources and for all namespaces.
	Namespace string
	// Name is empty for collections.
	Name string
	// Subresource is empty for the object itself.
	Subresource string
}

// GroupResource names the target's type as errors do.
func (t Target) GroupResource() status.GroupResource {
	return status.GroupResource{Group: t.Group, Resource: t.Plural}
}

// GroupKind names the target's kind as validation errors do: by the group that the
// objects are stored in.
func (t Target) GroupKind() status.GroupKind {
	return status.GroupKind{Group: t.Storage().Group, Kind: t.Kind}
}

// bucket returns where the store keeps the objects of the type.
func (t Target) bucket() string { return t.Resource.Bucket() }

// group is the part of the bucket that the target's namespace is; empty for all.
func (t Target) group() string {
	if t.Namespace == "" {
		return ""
	}
	return t.Namespace + "/"
}

// key returns where the store keeps the object of that name.
func (t Target) key(name string) string { return t.group() + name }

// etcdKey returns the key that the real server would use, as some errors quote it.
func (t Target) etcdKey(name string) string { return t.StoragePrefix + "/" + t.key(name) }

// scope returns what a watch of the target follows.
func (t Target) scope() mvcc.Scope {
	s := mvcc.Scope{Bucket: t.bucket(), Group: t.group()}
	if t.Name != "" && (t.Namespace != "" || !t.Namespaced) {
		s.Key = t.key(t.Name)
	}
	return s
}

// decode parses stored bytes, which are known to be good.
func decode(t *schema.Type, value []byte) map[string]any {
	obj, _, err := object.Decode(value, t)
	if err != nil {
		panic("registry: a stored object cannot be decoded: " + err.Error())
	}
	return obj
}

// decodeAs parses stored bytes into the form that t has.
func decodeAs(t *schema.Resource, value []byte) map[string]any {
	obj := decode(t.Storage().Type(), value)
	if t.Custom != nil {
		extension.Restore(obj, t)
		return obj
	}
	kinds.Convert(obj, t.Storage(), t)
	return obj
}

// asStored reports whether clients see the stored bytes of a type as they are.
func (r *Registry) asStored(t *schema.Resource) bool {
	return t.Storage() == t && t.Custom == nil && r.Extensions[t].Complete == nil
}

// read returns an object's bytes as clients see them.
func (r *Registry) read(t *schema.Resource, value []byte) []byte {
	if r.asStored(t) {
		return value
	}
	obj := decodeAs(t, value)
	if complete := r.Extensions[t].Complete; complete != nil {
		complete(obj)
	}
	return object.Encode(nil, obj, t.Type())
}

// strip takes away what an object of the target's type only has when it is read.
func (r *Registry) strip(t Target, obj map[string]any) {
	if strip := r.Extensions[t.Resource].Strip; strip != nil {
		strip(obj)
	}
}

// validate runs the hook of the target's type.
func (r *Registry) validate(t Target, obj map[string]any) field.ErrorList {
	if validate := r.Extensions[t.Resource].Validate; validate != nil {
		return validate(obj)
	}
	return nil
}
