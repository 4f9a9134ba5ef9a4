// Package extension says what can be added to a cluster without its centre knowing of it: resource types with
// their acts, settings of the ControlPlane, admission plugins, checks before a request is read, observers of
// commits, health checks, and objects that outlast a reset.
//
// The centre (package core, apiserver, registry, controlplane) names no extension. A host lists those of a
// cluster in core.Options.Extensions; each is asked for its Additions whenever an instance of the cluster is
// assembled: at start, for a reset, and for a snapshot that replaces it.
//
// Invariants: what an extension adds is in place before the first object is read or written. A Limiter is asked
// before anything of a request is read. Extensions observe a write after the centre has, under the store's lock.
//
// A cluster without extensions pays nothing for them: what they add is merged into the tables that the centre
// looks up anyway.
package extension

import (
	"context"
	"io"
	"net/http"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/controlplane"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/persist"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// An Extension adds something to a cluster. It belongs to one cluster.
type Extension interface {
	// Extend returns what the extension adds to an instance, which is empty yet: see Instance. It is called once for
	// each, by one goroutine at a time.
	Extend(*Instance) (Additions, error)
}

// An Instance is the cluster between two resets, as extensions see it. While Extend runs, its Registry has its
// store, its table and its clock; the rest is there once the instance is assembled.
type Instance struct {
	Registry *registry.Registry
	// Clock is the cluster's, and Host the host's, which no setting stops.
	Clock *clock.Adjustable
	Host  clock.Clock
	// Rand is the host's randomness, never that of a seed, which others may know.
	Rand io.Reader
	// Access returns the authenticator and authorizer of the instance.
	Access func(context.Context) (*auth.Access, error)
	// Header identifies the cluster, once it has been loaded or created.
	Header *persist.Header
	// Limits are those of the server. Quota is what the objects and their history may take, in bytes.
	Limits apiserver.Limits
	Quota  int64
	// Define gets a CustomResourceDefinition that is not stored here; a nil value means that it was
	// deleted.
	Define func(name string, value []byte)
	// Handler answers requests as the cluster does that the instance belongs to, and CEL is its evaluator.
	Handler http.Handler
	CEL     expression.Evaluator
	// RBAC returns the roles and bindings of the instance, whether they authorize requests or not.
	RBAC func() *auth.RBAC
	// Cluster is what the instance belongs to.
	Cluster Cluster
}

// A Cluster gets another instance from an extension that has one made: see Additions.Follows.
type Cluster interface {
	// Assemble returns an empty instance with a clock of its host, and a function that puts it in the place of the
	// current one, whose streams end then. All extensions extend it.
	Assemble(host clock.Clock) (i *Instance, replace func() error, err error)
}

// Additions are what an extension adds to an instance. The zero value adds nothing.
type Additions struct {
	// Resources are types of resources, and Acts their subresources with their own handlers.
	Resources []Resource
	Acts      map[apiserver.Subresource]apiserver.Act

	// Defaults changes the defaults of settings, before core.Options do. Check returns what is wrong with settings
	// besides.
	Defaults func(*controlplane.Settings)
	Check    func(*controlplane.Settings) field.ErrorList
	// Lasting are sections of the ControlPlane's spec that outlast a snapshot, as lasting objects do.
	Lasting []string

	// Tokens verifies bearer tokens that neither the settings nor service accounts have. Restrict returns why
	// something is refused that RBAC would allow; empty: it is not.
	Tokens   auth.TokenVerifier
	Restrict func(*auth.Attributes) string
	// Access replaces the authenticator and authorizer that the settings select.
	Access func(context.Context) (*auth.Access, error)

	// Limiter is asked about each request before anything of it is read.
	Limiter apiserver.Limiter
	// Admission are plugins that see each write before all others.
	Admission []admission.Plugin
	// Authors has writes say who made them: it returns what a user is called in the stream of revisions. Nil: they
	// do not say it.
	Authors func(user string) string
	// Space bounds what writes may take.
	Space Space

	// Observe gets all that is loaded, each change in the log included, the initial objects, and each
	// write that is committed, in order, when the centre has observed it; what comes after Start is new. It runs
	// under the store's lock, while requests run. A nil value means that the object was deleted.
	Observe func(bucket, key string, value []byte, revision int64)

	// Follows is for an instance whose commits are those of another cluster: the extension puts them into the store
	// (mvcc.Store.Follow). It has no initial objects, no controllers, no faults, and is not saved.
	Follows bool

	// Objects returns initial objects, of which those are created that are missing, after those of every cluster.
	Objects func() []map[string]any
	// Start is called when the instance takes its place, before it answers requests; Run then works in the
	// background until the context ends.
	Start func()
	Run   func(context.Context)
}

// A Resource is a type of resources that an extension adds.
type Resource struct {
	Row   *schema.Resource
	Hooks registry.Hooks
	// Lasting objects outlast a reset and a snapshot: whatever cluster comes next has exactly those of this one.
	Lasting bool
}

// Space is how an extension bounds what writes take of the store's memory.
type Space struct {
	// Guard decides about each write. Nil: all are accepted.
	Guard mvcc.Guard
	// Reserve is the part of the quota, in bytes, for writes that the Guard lets use it.
	Reserve int64
	// Full is why a write is refused, with a 403, when compaction has freed all that it can. Empty: as etcd does it.
	Full string
}
