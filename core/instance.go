package core

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/bootstrap"
	"github.com/tabernetes/tabernetes/core/chaos/driver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/controller"
	"github.com/tabernetes/tabernetes/core/customresource"
	"github.com/tabernetes/tabernetes/core/faults"
	"github.com/tabernetes/tabernetes/core/history"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/kinds/network"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/persist"
	"github.com/tabernetes/tabernetes/core/random"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/serviceaccount"
)

// instance is a cluster from one reset to the next.
type instance struct {
	cluster  *Cluster
	header   persist.Header
	table    *schema.Table
	clock    *clock.Adjustable
	store    *mvcc.Store
	registry *registry.Registry
	server   *apiserver.Server
	storage  *persist.Storage
	spec     atomic.Pointer[spec]
	chaos    *driver.Driver
	faults   atomic.Pointer[faults.Set]
	// allocations are the addresses and ports that Services have.
	allocations *network.Allocations
	controllers *controller.Set
	// definitions sees to CustomResourceDefinitions, whatever the levers say, and
	// custom are the resources that these make.
	definitions *controller.Set
	custom      *customresource.Tracker
	webhooks    *webhooks.Plugin
	gate        *access.Gate
	history     *history.Keeper

	// saved is set for an instance that is made of a snapshot, and has the identity of the
	// cluster that this was taken of: see claim.
	saved bool

	ctx     context.Context
	cancel  context.CancelCauseFunc
	running sync.WaitGroup
}

// assemble puts the parts of an instance together, around an empty store. What is random in it
// is drawn from source.
func (c *Cluster) assemble(source io.Reader) *instance {
	i := &instance{cluster: c, table: schema.Builtin()}
	i.ctx, i.cancel = context.WithCancelCause(context.Background())
	i.clock = clock.NewAdjustable(c.options.Clock)
	i.store = mvcc.New(i.clock.Now)
	i.storage = &persist.Storage{Store: i.store, Quota: c.options.quota(), Found: func() (setAside, problem string) {
		return c.recovery.SetAside, c.recovery.Problem
	}}
	i.history = &history.Keeper{Store: i.store, Clock: i.clock, Quota: c.options.quota()}
	i.registry = &registry.Registry{
		Store: i.store, Table: i.table, Clock: i.clock, Rand: source,
		Replicas: registry.NewReplicas(i.store, i.clock), Closing: i.ctx.Done(),
		Replaced: func() bool { return context.Cause(i.ctx) == errReset },
	}
	i.allocations = network.NewAllocations(random.For(source, "service"))
	i.registry.Kinds = strategy.Context{
		Now: i.clock.Now, NewUID: i.registry.NewUID,
		ClusterIPs: i.allocations.ClusterIPs, NodePorts: i.allocations.NodePorts,
	}
	i.table.Add(controlPlanes)
	i.custom = customresource.NewTracker(i.table, c.options.Rules)
	i.registry.Extensions = map[*schema.Resource]registry.Extension{
		controlPlanes: {Complete: i.completeControlPlane, Strip: stripControlPlane, Validate: i.validateControlPlane},
		i.table.Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions"): {Validate: i.custom.Check},
	}
	i.webhooks = &webhooks.Plugin{Registry: i.registry, Clock: c.options.Clock, Caller: aside(c.options.Webhooks)}
	tokens := &serviceaccount.Issuer{
		URL: auth.Audience, Seed: func() []byte { return i.header.Secret },
		Now: i.clock.Now, NewID: i.registry.NewUID,
	}
	i.gate = access.New()
	i.gate.Context, i.gate.Ensure = i.ctx, i.ensure
	i.gate.Verifier = &serviceaccount.Verifier{Issuer: tokens, Lookup: i.registry.Lookup}
	i.server = &apiserver.Server{
		Registry: i.registry, Table: i.table,
		Version: apiserver.NewVersion(c.options.Build), Subresources: i.acts(), Access: i.gate.Access, Tokens: tokens,
		CBOR:         func() bool { return i.spec.Load().cbor },
		Descriptions: c.options.Descriptions, OpenAPIv2: c.options.OpenAPIv2,
		Trouble: i.storage.Trouble, Notice: i.storage.Notice,
		Limits: c.options.Limits, Clock: c.options.Clock,
		Panicked: c.options.Panicked, Faults: i.faults.Load,
	}
	i.registry.Admission = i.admission()
	i.controllers, i.definitions = controller.New(i.registry), controller.Definitions(i.registry)
	i.store.OnCommit(i.committed)
	i.store.OnDiscard(i.registry.Discarded)
	i.registry.Reclaim = i.history.Reclaim
	i.registry.Pause = c.options.Pause
	i.chaos = driver.New(i.registry, i.clock, i.history.Compact)
	defaults := i.defaults()
	i.apply(&defaults, i.store.Status().Head)
	return i
}

// fresh makes a new cluster with what the server brings along.
func (c *Cluster) fresh(source io.Reader) (*instance, error) {
	i := c.assemble(source)
	header, err := persist.NewHeader(c.options.Rand)
	if err != nil {
		return nil, err
	}
	i.header = header
	return i, i.bootstrap()
}

// load makes a cluster of the sound part of a saved log, and says what there is. The
// error is that of reading from the storage. What takes more than most bytes is not
// sound.
func (c *Cluster) load(saved io.Reader, most int64) (*instance, journal.Found, error) {
	i := c.assemble(c.options.Rand)
	found, err := persist.Load(saved, persist.Into{
		Registry: i.registry, Clock: i.clock, Header: &i.header, Observe: i.observe,
		Rand: c.options.Rand, Most: most,
	})
	if err != nil {
		return nil, found, err
	}
	return i, found, i.takeAllocations()
}

var errNothing = errors.New("there is nothing")

// readmit makes a cluster of a snapshot, which has to be whole.
func (c *Cluster) readmit(snapshot io.Reader) (*instance, error) {
	// A cluster may be a little beyond its quota. One that is far beyond could not be
	// written here, and may be more than there is memory for.
	quota := c.options.quota()
	i, found, err := c.load(snapshot, quota+quota/4)
	switch {
	case err != nil:
		return nil, err
	case found.Size == 0:
		return nil, errNothing
	case found.Problem != nil:
		return nil, found.Problem
	case !found.Complete:
		return nil, errors.New("its end is missing")
	}
	i.saved = true
	return i, i.bootstrap()
}

// takeAllocations marks the addresses and ports of the stored Services as used.
func (i *instance) takeAllocations() error {
	services := i.table.Resource("", "v1", "services")
	page, err := i.store.Range(registry.BucketOf(services), mvcc.Query{})
	for _, item := range page.Items {
		obj, _, err := object.Decode(item.Value, services.Type())
		if err != nil {
			return err
		}
		i.allocations.Load(obj)
	}
	return err
}

// open begins to save the instance. sound is the length of the log in the
// storage that the instance was loaded from; 0 replaces what is there. Without a
// storage there is nothing to do.
func (i *instance) open(sound int64) error {
	storage := i.cluster.options.Storage
	if storage == nil {
		return nil
	}
	err := i.storage.Open(journal.Options{
		Storage: storage, Store: i.store, Meta: i.header.Encode(), Cluster: i.header.UID,
		Clock: i.cluster.options.Clock, Saved: sound,
	})
	if err != nil {
		return err
	}
	i.history.Log, i.registry.Log = i.storage.Log(), i.storage.Log()
	return nil
}

// run starts what works in the background.
func (i *instance) run() {
	// Not before: what is saved, and what the server brings along, is taken in any case.
	i.store.SetQuota(i.cluster.options.quota())
	i.running.Go(func() { i.history.Run(i.ctx) })
	i.running.Go(i.gate.KeepRoles)
	i.chaos.Resume()
	i.running.Go(func() { i.chaos.Run(i.ctx) })
	i.controllers.Start()
	i.definitions.Switch(true)
	i.definitions.Start()
}

// stop ends the instance's streams and background work, and makes its commits
// durable unless another instance has the storage by now.
func (i *instance) stop(why error) error {
	i.cancel(why)
	i.controllers.Stop()
	i.definitions.Stop()
	i.running.Wait()
	return i.storage.Close()
}

// committed is told of every commit, under the store's lock.
func (i *instance) committed(e *mvcc.Event) {
	value := e.Value
	if e.Deleted {
		value = nil
	}
	i.observe(e.Bucket, e.Key, value, e.Revision)
	i.registry.Committed(e)
	i.webhooks.Committed(e.Bucket)
}

// bootstrap creates what every cluster has, where it is missing.
func (i *instance) bootstrap() error {
	for _, obj := range append(bootstrap.Objects(), newControlPlane(*i.spec.Load())) {
		if err := i.ensure(obj); err != nil {
			return err
		}
	}
	if err := i.gate.CreateRoles(); err != nil {
		return err
	}
	i.webhooks.Enable()
	return nil
}

// ensure creates an object unless it is there.
func (i *instance) ensure(obj map[string]any) error { return bootstrap.Ensure(i.ctx, i.registry, obj) }
