package core

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/internal/access"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/openapi"
)

// ErrNoKubelet is the error of Options.Kubelets for an address where nobody listens: what the API then says is what
// kube-apiserver says of the network.
var ErrNoKubelet = apiserver.ErrNoKubelet

// Options configure a cluster.
type Options struct {
	// Clock is the cluster's time. Required.
	Clock clock.Clock
	// Rand is where uids and generated names come from. Required.
	Rand io.Reader
	// Storage keeps the cluster between runs. Nil: it lives in memory only.
	Storage journal.Storage
	// OnDamage selects what New does if the saved cluster is damaged.
	OnDamage OnDamage
	// Quota limits the memory of the objects and their history, in bytes; 0 means DefaultQuota. When it
	// is reached, history is compacted first; after that, only writes that free space are accepted:
	// deletions, and updates that make an object smaller.
	Quota int64
	// Controllers runs the small built-in controllers. This is the initial setting of a new cluster;
	// its ControlPlane can change it.
	Controllers bool
	// Authorization is the initial authorization mode of a new cluster: AlwaysAllow (also if empty) or
	// RBAC. Its ControlPlane can change it and the next two.
	Authorization string
	// WithoutCredentials selects the user of requests without credentials: Admin (also if empty),
	// Anonymous, or Unauthorized, which refuses them.
	WithoutCredentials string
	// Tokens are the initial bearer tokens of a new cluster.
	Tokens []Token
	// FeatureGates are the initial feature gates of a new cluster. Its ControlPlane can change them.
	FeatureGates gates.Set
	// Flags are what a server gets once, when it starts.
	Flags Flags
	// Extensions add what not every cluster has, in this order. Each belongs to one cluster.
	Extensions []extension.Extension
	// Build is the suffix of the version that /version reports, as semver build metadata: "tabernetes"
	// gives v1.36.3+tabernetes.
	Build string
	// Webhooks calls admission webhooks. If it is nil, no webhook can be called.
	Webhooks webhooks.Caller
	// CEL evaluates the CEL rules in the schemas of custom resources. If it is nil, rules are not
	// evaluated, and writes that they apply to get a warning.
	CEL expression.Evaluator
	// Kubelets reaches the kubelets of nodes, for logs, exec, attach and portforward: it gets the requests that
	// kube-apiserver makes, to https://HOST:PORT as the Node's status says them. Each ends with its context, and so does
	// the body of its answer. The error of a kubelet that cannot be reached is that of the network, as "dial tcp …", or
	// ErrNoKubelet. Nil: none can be reached.
	Kubelets http.RoundTripper
	// Programs are those of a control plane whose time is the cluster's: they get to know its clock, and the lever that
	// advances it waits for them at each of their timers. Nil: none; programs that hold Leases have the host's time.
	Programs clock.Programs
	// Descriptions loads the descriptions of Kubernetes' types for the OpenAPI documents: the text that
	// core/internal/generate writes. It is called when the first such document is requested, and again if it
	// fails. If it is nil, types have no descriptions.
	Descriptions func(context.Context) ([]byte, error)
	// OpenAPIv2 is openapi.V2, for hosts that older clients connect to. If it is nil, the OpenAPI v2
	// document has no types.
	OpenAPIv2 func(parts iter.Seq[map[string]any], release string, protobuf bool) (openapi.Text, error)
	// Limits bound what requests may use. The zero value sets no limits.
	Limits apiserver.Limits
	// Yield is called between the parts of long computations, on hosts where other work can only run
	// then. It may be nil.
	Yield func()
	// Background is called by each controller before it begins to run. A host on which nothing runs at the same time
	// has requests that have come meanwhile answered first. It may be nil.
	Background func()
	// Gather is called before commits are written to Storage: see journal.Options. Nil natively.
	Gather func()
	// Between is called before each write of a request to the store but the first, with the request's context: a host
	// makes them as far apart as requests to etcd are, so that watches are sent every state. If it returns an error,
	// nothing more is written, and the request ends with that error. It may be nil.
	Between func(context.Context) error
	// Drain is how long the watches of a custom resource continue once its definition has changed or is gone, by the
	// cluster's clock: with kube-apiserver a second, in which requests that have begun are carried out. 0: they end at
	// once.
	Drain time.Duration
	// OnPanic is called with each panic of a handler and its stack; the client gets a 500. A panic is
	// a bug that should be reported. It may be nil.
	OnPanic func(r *http.Request, value any, stack []byte)
}

// A Token is a bearer token and the user that it authenticates.
type Token = access.Token

// DefaultQuota is the default limit of the memory of the objects and their history, in bytes, equal
// to etcd's.
const DefaultQuota = 2 << 30

func (o *Options) quota() int64 { return cmp.Or(o.Quota, DefaultQuota) }

// A Cluster is one Kubernetes API server with its store.
type Cluster struct {
	options  Options
	recovery Recovery

	mu      sync.Mutex // held while one instance replaces another
	current atomic.Pointer[instance]
	// last is the instance before the current one.
	last   position
	closed bool
}

// New starts a cluster, or restores the one in the storage. If the saved cluster is damaged, New
// acts as Options.OnDamage says; by default it returns a *DamageError.
func New(o Options) (*Cluster, error) {
	c, err := prepare(o)
	if err != nil {
		return nil, err
	}
	first, err := c.restore()
	if err != nil {
		return nil, err
	}
	c.install(first)
	return c, nil
}

// install makes an instance the current one, and starts it.
func (c *Cluster) install(i *instance) {
	i.added.Start()
	c.current.Store(i)
	i.run()
}

// prepare returns a cluster without an instance.
func prepare(o Options) (*Cluster, error) {
	if o.Clock == nil || o.Rand == nil {
		return nil, errors.New("core: Options needs a Clock and a Rand")
	}
	o.Rand = &lockedReader{r: o.Rand}
	if o.CEL == nil {
		o.CEL = expression.None{}
	}
	return &Cluster{options: o}, nil
}

// ServeHTTP answers one API request. Watches and other streams are flushed event by event and end
// when the request's context does.
func (c *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.current.Load().server.ServeHTTP(w, r)
}

// Disconnect ends every open watch: clients continue where they were.
func (c *Cluster) Disconnect() { c.current.Load().registry.Disconnect() }

// Close ends all streams, makes committed writes durable, and closes the storage.
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
