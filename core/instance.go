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
	"github.com/tabernetes/tabernetes/core/history"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/kinds/network"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/persist"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// instance is a cluster from one reset to the next: its parts, which assemble puts together.
type instance struct {
	cluster *Cluster
	// header says which cluster it is.
	header   persist.Header
	table    *schema.Table
	clock    *clock.Adjustable
	store    *mvcc.Store
	registry *registry.Registry
	server   *apiserver.Server
	// plane has the settings and the acts.
	plane *controlplane.ControlPlane
	// storage is where the instance is saved, and history forgets its past.
	storage *persist.Storage
	history *history.Keeper
	access  *access.Gate
	chaos   *driver.Driver
	// allocations are the addresses and ports that Services have.
	allocations *network.Allocations
	controllers *controller.Set
	// definitions sees to CustomResourceDefinitions, whatever the settings say, and
	// custom to the resources that these make.
	definitions *controller.Set
	custom      *customresource.Tracker
	webhooks    *webhooks.Plugin

	// saved is set for an instance that is made of a snapshot, and has the identity of the
	// cluster that this was taken of: see claim.
	saved bool

	ctx     context.Context
	cancel  context.CancelCauseFunc
	running sync.WaitGroup
}

// bootstrap creates what every cluster has, where it is missing.
func (i *instance) bootstrap() error {
	for _, obj := range append(bootstrap.Objects(), i.plane.Object()) {
		if err := i.ensure(obj); err != nil {
			return err
		}
	}
	if err := i.access.CreateRoles(); err != nil {
		return err
	}
	i.webhooks.Enable()
	return nil
}

// ensure creates an object unless it is there.
func (i *instance) ensure(obj map[string]any) error { return bootstrap.Ensure(i.ctx, i.registry, obj) }

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
	i.running.Go(i.access.KeepRoles)
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

// place returns how far the instance has come.
func (i *instance) place() place { return place{i.header.UID, i.store.Status().Head} }

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

// observe keeps what follows the objects in step with what is stored: the authorizer, the
// rows of custom resources, and the settings. A nil value is that of an object that is gone.
func (i *instance) observe(bucket, key string, value []byte, rev int64) {
	if resource, ok := strings.CutPrefix(bucket, auth.Group+"/v1/"); ok {
		if row := i.table.Resource(auth.Group, "v1", resource); row != nil {
			i.access.Observe(row, key, value)
		}
		return
	}
	if bucket == customresource.Bucket {
		i.custom.Observe(key, value)
		return
	}
	i.plane.Observe(bucket, value, rev)
}
