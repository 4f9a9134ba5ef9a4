package registry

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/kinds/extension"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// Registry implements the verbs over one store. Set its fields before use.
type Registry struct {
	Store *mvcc.Store
	Table *schema.Table
	Clock clock.Clock
	// Rand is the source of uids and generated names; see random.For.
	Rand io.Reader
	// Log makes commits durable. If it is nil, the cluster is in memory only.
	Log Durability
	// Reclaim frees space when the store's quota is reached, and reports whether it did. It may be nil.
	Reclaim func(context.Context) bool
	// Yield is called between the parts of long computations. It may be nil.
	Yield func()
	// Between is called before each write of a request but the first, with the request's context. If it returns an error,
	// nothing more is written, and the request ends with that error. It may be nil; see CountWrites.
	Between func(context.Context) error
	// Drain is how long the watches of a custom resource continue once its definition has changed or is gone; 0: they end
	// at once.
	Drain time.Duration
	// Kinds is the part of strategy.Context that does not depend on the request.
	Kinds strategy.Context
	// Access returns the current authorizer. If it is nil, users may do everything.
	Access func(context.Context) (*auth.Access, error)
	// Hooks are those of the project's own resource types.
	Hooks map[*schema.Resource]Hooks
	// Admission is the plugins that every write passes.
	Admission admission.Chain
	// Replicas are the API servers that answer requests.
	Replicas *Replicas
	// Authors makes writes say who made them.
	Authors bool
	// Full is the message of the 403 for a write beyond the store's quota, when compaction has freed all
	// that it can. If it is empty, the error is that of etcd.
	Full string
	// Closing is closed when the cluster ends: everything that waits stops.
	Closing <-chan struct{}
	// Replaced reports, once Closing is closed, whether another cluster replaces this one. If it is
	// nil, none does.
	Replaced func() bool

	scratch  []byte
	settings atomic.Pointer[Settings]
	cut      cutter // for the watches without a cache
}

// Pause lets other work run between two parts of a request's work, and returns the error of a context that has ended:
// nobody waits for the rest any more. Callers hold no lock.
func (r *Registry) Pause(ctx context.Context) error {
	r.MaybeYield()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// MaybeYield calls Yield. Callers hold no lock.
func (r *Registry) MaybeYield() {
	if r.Yield != nil {
		r.Yield()
	}
}

// Settings are settings of the ControlPlane that the verbs use. They may change at any time.
type Settings struct {
	// BookmarkInterval is the interval of bookmarks in a quiet watch that allows them; 0: none, except
	// for the one after the initial events.
	BookmarkInterval time.Duration
	// Gates are the feature gates of all API servers.
	Gates gates.Set
	// Compatibility is that of each API server.
	Compatibility [MaxReplicas]Compatibility
}

// DefaultSettings are those of a real server.
var DefaultSettings = Settings{BookmarkInterval: time.Minute}

// Settings returns the current settings.
func (r *Registry) Settings() Settings {
	if s := r.settings.Load(); s != nil {
		return *s
	}
	return DefaultSettings
}

// SetSettings sets the settings for everything that starts from now on.
func (r *Registry) SetSettings(s Settings) { r.settings.Store(&s) }

// Hooks are what one resource type does and others do not. They may be nil.
type Hooks struct {
	// Complete adds fields that exist only in reads; Strip removes them from objects that clients send
	// back.
	Complete, Strip func(obj map[string]any)
	// Validate returns the violations of an object before it is stored. If that takes long, it ends early, with an
	// error, when the request does.
	Validate func(ctx context.Context, obj map[string]any) field.ErrorList
	// Break, if set, has what Validate returns reported among the violations that the kind finds, instead of behind
	// them: where the kind reports the same parts of broken, in which they are wrong in a way that it finds. part
	// returns what of a field names such a part.
	Break func(obj map[string]any) (broken map[string]any, part func(field string) string)
}

// Target identifies the object or collection of a request.
type Target struct {
	*schema.Resource
	// Namespace is empty for cluster-scoped resources and for all namespaces.
	Namespace string
	// Name is empty for collections.
	Name string
	// Subresource is empty for the object itself.
	Subresource string
}

// GroupResource returns the name of the target's type for errors.
func (t Target) GroupResource() status.GroupResource {
	return status.GroupResource{Group: t.Group, Resource: t.Plural}
}

// GroupKind returns the name of the target's kind for validation errors: with the group that the
// objects are stored in.
func (t Target) GroupKind() status.GroupKind {
	return status.GroupKind{Group: t.Storage().Group, Kind: t.Kind}
}

// bucket returns the store's bucket with the objects of the type.
func (t Target) bucket() string { return t.Resource.Bucket() }

// group returns the part of the bucket for the target's namespace; empty for all.
func (t Target) group() string {
	if t.Namespace == "" {
		return ""
	}
	return t.Namespace + "/"
}

// key returns the object's key in the bucket.
func (t Target) key(name string) string { return t.group() + name }

// etcdKey returns the key in the real server's etcd, as some errors quote it.
func (t Target) etcdKey(name string) string { return t.StoragePrefix + "/" + t.key(name) }

// scope returns the scope of a watch of the target.
func (t Target) scope() mvcc.Scope {
	s := mvcc.Scope{Bucket: t.bucket(), Group: t.group()}
	if t.Name != "" && (t.Namespace != "" || !t.Namespaced) {
		s.Key = t.key(t.Name)
	}
	return s
}

// decode parses stored bytes, which are known to be valid.
func decode(t *schema.Type, value []byte) map[string]any {
	obj, _, err := object.Decode(value, t)
	if err != nil {
		panic("registry: a stored object cannot be decoded: " + err.Error())
	}
	return obj
}

// decodeAs parses stored bytes and converts the object to the version of t. Only a custom resource's webhook can
// fail.
func decodeAs(ctx context.Context, t *schema.Resource, value []byte) (obj map[string]any, err error) {
	obj = decode(t.Storage().Type(), value)
	if t.Custom != nil {
		err = extension.Restore(ctx, obj, t)
	} else {
		err = kinds.Convert(ctx, obj, t.Storage(), t)
	}
	return obj, err
}

// decodeBuiltin is decodeAs for a type that is not a custom resource.
func decodeBuiltin(t *schema.Resource, value []byte) map[string]any {
	obj, _ := decodeAs(context.Background(), t, value)
	return obj
}

// asStored reports whether clients get the stored bytes of a type without changes.
func (r *Registry) asStored(t *schema.Resource) bool {
	return r.unconverted(t) && !object.HasOrdered(t.Type())
}

// unconverted reports whether the stored bytes of a type are those of clients, but for spaces.
func (r *Registry) unconverted(t *schema.Resource) bool {
	return t.Storage() == t && t.Custom == nil && r.Hooks[t].Complete == nil
}

// read returns an object's bytes for clients.
func (r *Registry) read(ctx context.Context, t *schema.Resource, value []byte) ([]byte, error) {
	if r.asStored(t) {
		return value, nil
	}
	if r.unconverted(t) {
		return object.Compact(value), nil
	}
	obj, err := decodeAs(ctx, t, value)
	if err != nil {
		return nil, err
	}
	if complete := r.Hooks[t].Complete; complete != nil {
		complete(obj)
	}
	return object.Encode(nil, obj, t.Type()), nil
}

// strip removes fields that an object of the target's type has only in reads.
func (r *Registry) strip(t Target, obj map[string]any) {
	if strip := r.Hooks[t.Resource].Strip; strip != nil {
		strip(obj)
	}
}

// validate adds what the validation hook of the target's type finds to the violations that its kind has found.
func (r *Registry) validate(ctx context.Context, t Target, obj map[string]any, found field.ErrorList) field.ErrorList {
	hooks := r.Hooks[t.Resource]
	if hooks.Validate == nil {
		return found
	}
	more := hooks.Validate(ctx, obj)
	kind := kinds.Of(t.Resource)
	if len(found) == 0 || len(more) == 0 || hooks.Break == nil || kind.Validate == nil {
		return append(found, more...)
	}
	broken, part := hooks.Break(obj)
	return found.Among(kind.Validate(broken), more, part)
}
