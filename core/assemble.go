package core

import (
	"cmp"
	"context"
	"io"
	"maps"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/chaos/driver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/controller"
	"github.com/tabernetes/tabernetes/core/controlplane"
	"github.com/tabernetes/tabernetes/core/customresource"
	"github.com/tabernetes/tabernetes/core/history"
	"github.com/tabernetes/tabernetes/core/kinds/network"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/persist"
	"github.com/tabernetes/tabernetes/core/random"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/room"
	"github.com/tabernetes/tabernetes/core/room/relay"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/serviceaccount"
)

// assemble creates the parts of an instance around an empty store. All of its randomness is drawn
// from source.
func (c *Cluster) assemble(source io.Reader) *instance {
	o, quota := &c.options, c.options.quota()
	i := &instance{cluster: c, table: schema.Builtin()}
	i.ctx, i.cancel = context.WithCancelCause(context.Background())
	i.clock = clock.NewAdjustable(c.host())
	i.store = mvcc.New(i.clock.Now)
	i.storage = &persist.Storage{Store: i.store, Quota: quota, Found: c.found}
	i.history = &history.Keeper{Store: i.store, Clock: i.clock, Quota: quota}
	i.registry = &registry.Registry{
		Store: i.store, Table: i.table, Clock: i.clock, Rand: source,
		Replicas: registry.NewReplicas(i.store, i.clock), Closing: i.ctx.Done(),
		Replaced: func() bool { return context.Cause(i.ctx) == errReset },
		Reclaim:  i.history.Reclaim, Yield: o.Yield, Authors: o.Room != nil,
	}
	i.allocations = network.NewAllocations(random.For(source, "service"))
	i.registry.Kinds = strategy.Context{
		Now: i.clock.Now, NewUID: i.registry.NewUID,
		ClusterIPs: i.allocations.ClusterIPs, NodePorts: i.allocations.NodePorts,
	}
	i.table.Add(controlplane.Resource)
	i.custom = customresource.NewTracker(i.table, o.CELRules, quota/2)
	i.chaos = driver.New(i.registry, i.clock, i.history.Compact)
	i.controllers, i.definitions = controller.New(i.registry), controller.Definitions(i.registry)
	tokens := &serviceaccount.Issuer{
		URL: auth.Audience, Seed: func() []byte { return i.header.Secret },
		Now: i.clock.Now, NewID: i.registry.NewUID,
	}
	verifiers := auth.TokenVerifiers{&serviceaccount.Verifier{Issuer: tokens, Lookup: i.registry.Lookup}}
	if o.Room != nil {
		i.room = room.New(i.registry, o.Rand, o.Clock, o.Limits, quota) // not of a seed: others know that
		verifiers = append(verifiers, i.room)
	}
	i.access = access.New(i.ctx, i.ensure, verifiers)
	if i.room != nil {
		i.access.RBAC().Restrict = room.Restrict
	}
	i.plane = controlplane.New(controlplane.Parts{
		Registry: i.registry, Clock: i.clock, Access: i.access, History: i.history, Chaos: i.chaos,
		Storage: i.storage, Controllers: i.controllers, Header: &i.header, Cluster: replacer{c},
		Room: o.Room != nil,
	}, o.settings)
	i.webhooks = &webhooks.Plugin{
		Store: i.store, Table: i.table, NewUID: i.registry.NewUID, Clock: o.Clock, Caller: releaseSeat(o.Webhooks),
	}
	i.registry.Admission = admissionChain(i)
	i.registry.Extensions = map[*schema.Resource]registry.Extension{
		controlplane.Resource: i.plane.Extension(),
		i.table.Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions"): {Validate: i.custom.Check},
	}
	acts := i.plane.Acts()
	if o.Room != nil || o.Replica {
		for _, row := range room.Resources() {
			i.table.Add(row)
		}
		maps.Copy(i.registry.Extensions, room.Extensions())
		settings := i.registry.Extensions[controlplane.Resource]
		settings.Validate = room.WithoutTokens(settings.Validate)
		i.registry.Extensions[controlplane.Resource] = settings
	}
	if i.room != nil {
		i.relay = &relay.Relay{
			Registry: i.registry, Clock: i.clock, Host: o.Clock, Access: i.access.Access, Header: &i.header,
		}
		maps.Copy(acts, i.room.Acts())
		acts[room.RelayAct] = i.relay.Act()
	}
	i.server = &apiserver.Server{
		Registry: i.registry, Table: i.table,
		Version: apiserver.NewVersion(o.Build), Subresources: acts, Access: i.access.Access, Tokens: tokens,
		CBOR: i.plane.CBOR, Descriptions: o.Descriptions, OpenAPIv2: o.OpenAPIv2,
		Trouble: i.storage.Trouble, Notice: i.storage.Notice,
		Limits: o.Limits, Clock: o.Clock,
		OnPanic: o.OnPanic, Faults: i.plane.Faults,
	}
	if o.Replica {
		i.reader = new(relay.Reader)
		i.copy = &relay.Copy{Registry: i.registry, Clock: i.clock, Define: i.custom.Observe}
		i.server.Access, i.server.Faults = i.reader.Access, nil
	}
	if i.room != nil {
		i.server.Shares = i.room.Shares()
	}
	i.store.OnCommit(i.committed)
	i.store.OnDiscard(i.registry.Discarded)
	return i
}

// host returns the clock of the host: for a copy of a room, that of the room's.
func (c *Cluster) host() clock.Clock {
	if c.replica.host != nil {
		return c.replica.host
	}
	return c.options.Clock
}

// settings returns the initial settings of a new cluster.
func (o *Options) settings(s *controlplane.Settings) {
	s.Controllers = o.Controllers
	if o.Room != nil {
		s.Access.Authorization, s.Access.WithoutCredentials = access.RBAC, access.Unauthorized
	}
	s.Access.Authorization = cmp.Or(o.Authorization, s.Access.Authorization)
	s.Access.WithoutCredentials = cmp.Or(o.WithoutCredentials, s.Access.WithoutCredentials)
	s.Access.Tokens = o.Tokens
}

// found returns the notice about what was found in the storage at start.
func (c *Cluster) found() (setAside, problem string) { return c.recovery.SetAside, c.recovery.Problem }
