package core

import (
	"context"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/bootstrap"
	"github.com/tabernetes/tabernetes/core/chaos/driver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/controller"
	"github.com/tabernetes/tabernetes/core/controlplane"
	"github.com/tabernetes/tabernetes/core/customresource"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/history"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/kinds/network"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/persist"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
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
	chaos   *driver.Driver
	// allocations are the addresses and ports in use by Services.
	allocations *network.Allocations
	controllers *controller.Set
	// definitions is the controller for CustomResourceDefinitions, which always runs; custom tracks the
	// resource types that they define.
	definitions *controller.Set
	custom      *customresource.Tracker
	webhooks    *webhooks.Plugin
	// shown is what extensions see of the instance, and added what they add. follows is set if one of
	// them feeds the instance.
	shown   *extension.Instance
	added   additions
	follows bool

	// saved is set for an instance loaded from a snapshot; it is the identity of the cluster that the
	// snapshot was taken of: see chooseIdentity.
	saved bool

	ctx     context.Context
	cancel  context.CancelCauseFunc
	running sync.WaitGroup
}

// bootstrap creates the initial objects that are missing: those of every cluster, then those of extensions.
func (i *instance) bootstrap() error {
	if i.follows {
		return nil
	}
	for _, obj := range append(bootstrap.Objects(), i.plane.Object()) {
		if err := i.ensure(obj); err != nil {
			return err
		}
	}
	if err := i.access.CreateRoles(); err != nil {
		return err
	}
	for _, a := range i.added {
		if a.Prepare == nil {
			continue
		}
		if err := a.Prepare(i.ctx); err != nil {
			return err
		}
	}
	i.webhooks.Enable()
	return nil
}

// ensure creates an object if it does not exist.
func (i *instance) ensure(obj map[string]any) error { return bootstrap.Ensure(i.ctx, i.registry, obj) }

// open starts saving the instance. sound is the length of the log in the storage that the instance
// was loaded from; with 0 the log is replaced. Without a storage it does nothing.
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

// run starts the background work.
func (i *instance) run() {
	for _, a := range i.added {
		if a.Run != nil {
			i.running.Go(func() { a.Run(i.ctx) })
		}
	}
	if i.follows {
		return // all that happens has happened elsewhere
	}
	// Only now: the quota does not apply to loading and to the initial objects.
	i.store.SetQuota(i.cluster.options.quota(), i.reserve())
	i.running.Go(func() { i.history.Run(i.ctx) })
	i.running.Go(i.access.MaintainRoles)
	i.chaos.Resume()
	i.running.Go(func() { i.chaos.Run(i.ctx) })
	i.controllers.Start()
	i.definitions.Switch(true)
	i.definitions.Start()
}

// reserve returns the part of the quota that extensions keep for their own objects, in bytes.
func (i *instance) reserve() (bytes int64) {
	for _, a := range i.added {
		bytes += a.Space.Reserve
	}
	return bytes
}

// stop ends the instance's streams and background work, and makes its commits durable unless
// another instance has taken over the storage.
func (i *instance) stop(why error) error {
	i.cancel(why)
	i.controllers.Stop()
	i.definitions.Stop()
	i.running.Wait()
	return i.storage.Close()
}

// position returns the cluster's identity and head revision.
func (i *instance) position() position { return position{i.header.UID, i.store.Status().Head} }

// committed is called for every commit, under the store's lock.
func (i *instance) committed(e *mvcc.Event) {
	value := e.Value
	if e.Deleted {
		value = nil
	}
	i.observe(e.Bucket, e.Key, value, e.Revision)
	if i.follows {
		return // it has no addresses to release, and calls no webhooks
	}
	i.registry.Committed(e)
	i.webhooks.Committed(e.Bucket)
}

// observe updates what depends on stored objects: the authorizer, the custom resource types, the
// settings, and what extensions have of them. A nil value means that the object was deleted.
func (i *instance) observe(bucket, key string, value []byte, rev int64) {
	if resource, ok := strings.CutPrefix(bucket, auth.Group+"/v1/"); ok {
		if row := i.table.Resource(auth.Group, "v1", resource); row != nil {
			i.access.Observe(row, key, value)
		}
	} else if bucket == customresource.Bucket {
		i.custom.Observe(key, value)
	} else {
		i.plane.Observe(bucket, value, rev)
	}
	for _, a := range i.added {
		if a.Observe != nil {
			a.Observe(bucket, key, value, rev)
		}
	}
}
