package core

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/bootstrap"
	"github.com/tabernetes/tabernetes/core/internal/controller"
	"github.com/tabernetes/tabernetes/core/internal/customresource"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/settings"
)

// bootstrap creates the initial objects that are missing: those of every cluster, then those of extensions.
func (i *instance) bootstrap() error {
	if i.follows {
		return nil
	}
	services := registry.Target{Resource: i.table.Resource("", "v1", "services")}
	if err := bootstrap.Create(i.ctx, i.registry, i.cluster.options.Flags.services()); err != nil {
		return err
	}
	plane := i.plane.Object()
	if i.header.Recording != nil {
		// Controllers would delete what has owners that were not recorded, and time would end the history, which
		// watches can begin anywhere in.
		object.SetNested(plane, false, "spec", "controllers", "enabled")
		object.SetNested(plane, true, "spec", "clock", "paused")
		for _, limit := range []string{"least", "most"} {
			object.SetNested(plane, settings.Least.Most, "spec", "cache", "capacity", limit)
		}
	}
	if err := i.ensure(plane); err != nil {
		return err
	}
	if err := i.registry.MakeClaims(i.ctx, services); err != nil {
		return err
	}
	if err := i.access.CreateRoles(); err != nil {
		return err
	}
	if err := i.ensure(controller.Tracking(i.registry.Clock.Now())); err != nil {
		return err
	}
	for _, obj := range i.added.Objects() {
		if err := i.ensure(obj); err != nil {
			return err
		}
	}
	i.policies.Enable()
	i.webhooks.Enable()
	return nil
}

// ensure creates an object if it does not exist.
func (i *instance) ensure(obj map[string]any) error { return i.ensureAfter(obj, "") }

// ensureAfter does so with a uid that is derived from another object's, unless that is empty.
func (i *instance) ensureAfter(obj map[string]any, after string) error {
	return bootstrap.Ensure(i.ctx, i.registry, obj, after)
}

// open starts saving the instance. sound is the length of the log in the storage that the instance
// was loaded from; with 0 the log is replaced. Without a storage it does nothing.
func (i *instance) open(sound int64) error {
	storage := i.cluster.options.Storage
	if storage == nil {
		return nil
	}
	err := i.storage.Open(journal.Options{
		Storage: storage, Store: i.store, Meta: i.header.Encode(), Cluster: i.header.UID,
		Clock: i.cluster.options.Clock, Saved: sound, Gather: i.cluster.options.Gather,
	})
	if err != nil {
		return err
	}
	i.history.Log, i.registry.Log = i.storage.Log(), i.storage.Log()
	return nil
}

// run starts the background work.
func (i *instance) run() {
	if !i.forked { // else its caches continue where those of the other cluster were
		i.registry.Replicas.Begin(i.store.Status().Head)
	}
	for _, a := range i.added {
		if a.Run != nil {
			i.running.Go(func() { a.Run(i.ctx) })
		}
	}
	if i.follows {
		return // all that happens has happened elsewhere
	}
	if programs := i.programs(); programs != nil {
		i.running.Go(func() { i.clock.Follow(i.ctx, programs) })
	}
	// Only now: the quota does not apply to loading and to the initial objects.
	i.setQuota()
	i.running.Go(func() { i.history.Run(i.ctx) })
	i.running.Go(i.access.MaintainRoles)
	i.chaos.Resume()
	i.running.Go(func() { i.chaos.Run(i.ctx) })
	i.controllers.Start()
	i.definitions.Switch(true)
	i.definitions.Start()
}

// setQuota limits the memory of the store.
func (i *instance) setQuota() {
	i.store.SetQuota(i.cluster.options.quota(), i.added.Reserve())
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
		return // it has no addresses to release, and applies no policies
	}
	i.registry.Committed(e)
	i.policies.Committed(e.Bucket)
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
		i.custom.Observe(key, value, rev)
	} else {
		i.plane.Observe(bucket, value, rev)
	}
	i.added.Observe(bucket, key, value, rev)
}
