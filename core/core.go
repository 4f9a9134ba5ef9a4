package core

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/structural"
)

// Options are what a cluster is given by its host.
type Options struct {
	// Clock is the cluster's time. Required.
	Clock clock.Clock
	// Rand is where uids and generated names come from. Required.
	Rand io.Reader
	// Storage keeps the cluster between runs. Nil: it lives in memory only.
	Storage journal.Storage
	// OnDamage says what to do if what is saved is damaged.
	OnDamage OnDamage
	// Quota is how much memory the objects and their history may take, in bytes; 0 is
	// DefaultQuota. At it, history is forgotten first; then nothing is written but what
	// makes room: deletions, and updates that leave less than there was.
	Quota int64
	// Controllers runs the small built-in controllers. It is what a new cluster
	// begins with; its ControlPlane can change it.
	Controllers bool
	// Authorization is the mode that a new cluster begins with: AlwaysAllow (also
	// if empty) or RBAC. Its ControlPlane can change it and the next two.
	Authorization string
	// WithoutCredentials is who makes a request without credentials: Admin (also if
	// empty), Anonymous, or Unauthorized for nobody.
	WithoutCredentials string
	// Tokens are the bearer tokens that a new cluster knows.
	Tokens []Token
	// Build is the suffix of the version that /version reports, as semver build
	// metadata: "tabernetes" makes v1.36.3+tabernetes.
	Build string
	// Webhooks reaches admission webhooks. Nil: none can be called.
	Webhooks webhooks.Caller
	// Rules evaluates the rules in CEL of the schemas of custom resources. Nil: they are
	// not evaluated, and writes that they would concern are warned of it.
	Rules structural.Rules
	// Descriptions loads what Kubernetes says of its types, which OpenAPI documents
	// then tell: the text that core/generate writes. It is called when the first such
	// document is asked for, and again if it fails. Nil: nothing is said of the types.
	Descriptions func(context.Context) ([]byte, error)
	// OpenAPIv2 is openapi.V2, for hosts that clients reach that are older. Nil: the
	// document of OpenAPI v2 tells of no type.
	OpenAPIv2 func(documents []map[string]any, release string, protobuf bool) ([]byte, error)
	// Limits bound what requests may take of the cluster. The zero value: nothing does.
	Limits apiserver.Limits
	// Pause is called between the pieces of work that takes long, by hosts where nothing
	// but that lets others have their turn. Nil: nothing is.
	Pause func()
	// Panicked is told of a panic, with its stack, that the client who made the request
	// has got as an error 500: a defect to be reported. Nil: nobody is.
	Panicked func(r *http.Request, value any, stack []byte)
}

// A Token is a bearer token and whose it is.
type Token = access.Token

// DefaultQuota is how much memory the objects and their history may take, in bytes, as
// etcd's is.
const DefaultQuota = 2 << 30

func (o *Options) quota() int64 { return cmp.Or(o.Quota, DefaultQuota) }

// A Cluster is one Kubernetes API server with its store.
type Cluster struct {
	options  Options
	recovery Recovery

	mu      sync.Mutex // held while one instance takes the place of another
	current atomic.Pointer[instance]
	// last is the cluster before the current one.
	last   place
	closed bool
}

// New starts a cluster, or takes up the one in the storage. If what is saved there is
// damaged it does as Options.OnDamage says, at first returning a *DamageError.
func New(o Options) (*Cluster, error) {
	c, err := prepare(o)
	if err != nil {
		return nil, err
	}
	first, err := c.restore()
	if err != nil {
		return nil, err
	}
	c.current.Store(first)
	first.run()
	return c, nil
}

// prepare makes a cluster that has no instance yet.
func prepare(o Options) (*Cluster, error) {
	if o.Clock == nil || o.Rand == nil {
		return nil, errors.New("core: Options needs a Clock and a Rand")
	}
	o.Rand = &lockedReader{r: o.Rand}
	if o.Rules == nil {
		o.Rules = structural.Unevaluated{}
	}
	return &Cluster{options: o}, nil
}

// ServeHTTP answers one API request. Watches and other streams are flushed as
// they happen and end when the request's context does.
func (c *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.current.Load().server.ServeHTTP(w, r)
}

// Close ends all streams, makes what was committed durable, and closes the
// storage.
func (c *Cluster) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	err := c.current.Load().stop(errClosed)
	if c.options.Storage != nil {
		err = errors.Join(err, c.options.Storage.Close())
	}
	return err
}

// lockedReader lets the goroutines of a cluster share a source of randomness.
type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

func (l *lockedReader) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(p)
}
