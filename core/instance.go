package core

import (
	"cmp"
	"context"
	"io"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/controlplane"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/internal/access"
	"github.com/tabernetes/tabernetes/core/internal/chaos"
	"github.com/tabernetes/tabernetes/core/internal/controller"
	"github.com/tabernetes/tabernetes/core/internal/conversion"
	"github.com/tabernetes/tabernetes/core/internal/customresource"
	"github.com/tabernetes/tabernetes/core/internal/history"
	"github.com/tabernetes/tabernetes/core/internal/kinds/network"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/persist"
	"github.com/tabernetes/tabernetes/core/internal/plugins/policies"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/random"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/serviceaccount"
	"github.com/tabernetes/tabernetes/core/status"
)

// instance is a cluster between two resets: its parts, which assemble creates.
type instance struct {
	cluster *Cluster
	// header identifies the cluster.
	header   persist.Header
	table    *schema.Table
	clock    *clock.Adjustable
	store    *mvcc.Store
	registry *registry.Registry
	server   *apiserver.Server
	// plane has the settings and the acts of the ControlPlane.
	plane *controlplane.ControlPlane
	// storage saves the instance, and history compacts its revisions.
	storage *persist.Storage
	history *history.Keeper
	access  *access.Gate
	chaos   *chaos.Driver
	// allocations are the addresses and ports in use by Services.
	allocations *network.Allocations
	controllers *controller.Set
	// definitions is the controller for CustomResourceDefinitions, which always runs; custom tracks the
	// resource types that they define.
	definitions *controller.Set
	custom      *customresource.Tracker
	policies    *policies.Plugin
	webhooks    *webhooks.Plugin
	// shown is what extensions see of the instance, and added what they add. follows is set if one of
	// them feeds the instance.
	shown   *extension.Instance
	added   extension.List
	follows bool

	// saved is set for an instance loaded from a snapshot; it is the identity of the cluster that the
	// snapshot was taken of: see chooseIdentity.
	saved bool
	// forked is set for an instance that was made by Fork.
	forked bool

	ctx     context.Context
	cancel  context.CancelCauseFunc
	running sync.WaitGroup
}

// types are the resource types of every cluster.
var types = sync.OnceValue(func() *schema.Table {
	t := schema.Builtin()
	t.Add(controlplane.Resource)
	return t
})

// assemble creates the parts of an instance around an empty store. All of its randomness is drawn
// from source; host is the clock of its host.
func (c *Cluster) assemble(source io.Reader, host clock.Clock) (*instance, error) {
	o, quota := &c.options, c.options.quota()
	i := &instance{cluster: c, table: types().Clone()}
	i.ctx, i.cancel = context.WithCancelCause(context.Background())
	i.clock = clock.NewAdjustable(host)
	i.store = mvcc.New(i.clock.Now)
	i.storage = &persist.Storage{Store: i.store, Quota: quota, Found: c.found}
	i.history = &history.Keeper{Store: i.store, Clock: i.clock, Quota: quota}
	i.registry = &registry.Registry{
		Store: i.store, Table: i.table, Clock: i.clock, Rand: source,
		Replicas: registry.NewReplicas(i.store, i.clock, i.table), Closing: i.ctx.Done(),
		Replaced: func() bool { return context.Cause(i.ctx) == errReset },
		Reclaim:  i.history.Reclaim, Yield: o.Yield, Between: o.Between, Drain: o.Drain,
	}
	i.history.Caches = i.registry.Replicas
	i.allocations = network.NewAllocationsIn(o.Flags.services(), random.For(source, "service"))
	i.registry.Kinds = strategy.Context{
		Now: i.clock.Now, NewUID: i.registry.NewUID,
		ClusterIPs: i.allocations.ClusterIPs, NodePorts: i.allocations.NodePorts,
		Lookup: i.registry.Lookup, RefusePrivileged: o.Flags.RefusePrivileged,
	}
	i.custom = customresource.NewTracker(i.table, o.CEL, quota/2)
	i.chaos = chaos.New(i.registry, i.clock, i.history.Drop)
	i.controllers, i.definitions = controller.New(i.registry, o.CEL, i.leaders(host)), controller.Definitions(i.registry)
	i.controllers.Before, i.definitions.Before = o.Background, o.Background
	tokens := &serviceaccount.Issuer{
		URL: auth.Audience, Seed: func() []byte { return i.header.Secret },
		Now: i.clock.Now, NewID: i.registry.NewUID,
	}
	tokens.Apply(o.Flags.ServiceAccounts)
	if err := i.extend(host); err != nil {
		return nil, err
	}
	verifiers := auth.TokenVerifiers{&serviceaccount.Verifier{Issuer: tokens, Lookup: i.registry.Lookup}}
	i.access = access.New(i.ctx, i.ensureAfter, append(verifiers, i.added.Verifiers()...))
	i.access.Audiences = tokens.Own()
	i.registry.Access = i.access.Access
	i.access.RBAC().Restrict = i.added.Restrict
	parts := controlplane.Parts{
		Registry: i.registry, Clock: i.clock, Access: i.access, History: i.history, Chaos: i.chaos,
		Storage: i.storage, Controllers: i.controllers, Header: &i.header, Cluster: replacer{c}, Programs: i.programs(),
	}
	i.added.AddSettings(&parts)
	i.plane = controlplane.New(parts, func(s *controlplane.Settings) {
		i.added.SetDefaults(s)
		o.settings(s)
	})
	i.webhooks = &webhooks.Plugin{
		Store: i.store, Table: i.table, NewUID: i.registry.NewUID, Clock: o.Clock, Caller: releaseSeat(o.Webhooks),
		CEL: o.CEL, Access: i.access.Access,
	}
	i.custom.Link = (&conversion.Webhooks{Post: i.webhooks.Post, NewUID: i.registry.NewUID}).Link
	i.policies = &policies.Plugin{Store: i.store, Table: i.table, CEL: o.CEL, Access: i.access.Access}
	i.registry.Admission = admissionChain(i)
	i.registry.Hooks = map[*schema.Resource]registry.Hooks{
		controlplane.Resource: i.plane.Hooks(),
		i.table.Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions"): {
			Validate: i.custom.Check, Break: customresource.Break,
		},
	}
	for _, plural := range policies.Checked() {
		t := i.table.Resource("admissionregistration.k8s.io", "v1", plural)
		i.registry.Hooks[t] = registry.Hooks{Validate: i.policies.Check, Break: policies.Break}
	}
	i.server = &apiserver.Server{
		Registry: i.registry, Table: i.table,
		Version: apiserver.NewVersion(o.Build), Subresources: i.plane.Acts(), Access: i.access.Access, Tokens: tokens,
		CBOR: i.plane.CBOR, Descriptions: o.Descriptions, OpenAPIv2: o.OpenAPIv2,
		Trouble: i.storage.Trouble, Notice: i.storage.Notice,
		Limits: o.Limits, Clock: o.Clock, Kubelets: o.Kubelets,
		Controllers: func() bool { return i.plane.Settings().Controllers },
		OnPanic:     o.OnPanic, Faults: i.plane.Faults,
	}
	i.added.AddTo(i.server)
	i.store.OnCommit(i.committed)
	i.store.OnDiscard(i.registry.Discarded)
	return i, nil
}

// programs returns those that have the time of the instance while it is the cluster's, or nil.
func (i *instance) programs() clock.Programs {
	if i.cluster.options.Programs == nil {
		return nil
	}
	return following{i.cluster.options.Programs, i}
}

// following are programs that follow an instance until another one takes its place, whose clock they are shown then.
type following struct {
	clock.Programs
	instance *instance
}

// Show implements clock.Programs.
func (f following) Show(a *clock.Adjustable) {
	if f.instance.ctx.Err() == nil && f.instance.cluster.current.Load() == f.instance {
		f.Programs.Show(a)
	}
}

// Settle implements clock.Programs. It fails once the instance has ended.
func (f following) Settle(ctx context.Context, a *clock.Adjustable) (time.Time, bool, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(f.instance.ctx, func() { cancel(context.Cause(f.instance.ctx)) })()
	if f.instance.cluster.current.Load() != f.instance {
		return time.Time{}, false, errReplaced
	}
	next, waiting, err := f.Programs.Settle(ctx, a)
	if f.instance.ctx.Err() != nil {
		err = errReplaced
	}
	return next, waiting, err
}

// errReplaced is the answer to who moves the clock of a cluster in whose place there is another one.
var errReplaced = status.NewConflict(status.GroupResource{Group: controlplane.Resource.Group,
	Resource: controlplane.Resource.Plural}, "default", "another cluster took the place of this one")

// leaders returns the clock of programs that hold Leases.
func (i *instance) leaders(host clock.Clock) clock.Clock {
	if i.cluster.options.Programs != nil {
		return i.clock
	}
	return host
}

// settings returns the initial settings of a new cluster.
func (o *Options) settings(s *controlplane.Settings) {
	s.Controllers = o.Controllers
	s.Gates = o.FeatureGates
	s.Access.Authorization = cmp.Or(o.Authorization, s.Access.Authorization)
	s.Access.WithoutCredentials = cmp.Or(o.WithoutCredentials, s.Access.WithoutCredentials)
	s.Access.Tokens = o.Tokens
}
