package core

import (
	"errors"
	"fmt"
	"io"

	"github.com/tabernetes/tabernetes/core/internal/kinds/network"
	"github.com/tabernetes/tabernetes/core/internal/persist"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// newInstance creates a new cluster with its initial objects.
func (c *Cluster) newInstance(source io.Reader) (*instance, error) {
	i, err := c.assemble(source, c.options.Clock)
	if err != nil {
		return nil, err
	}
	if i.header, err = persist.NewHeader(c.options.Rand); err != nil {
		return nil, err
	}
	c.options.Flags.limit(i.table)
	return i, i.bootstrap()
}

// load creates a cluster from the undamaged part of a saved log, and returns what was found. The
// error is that of reading from the storage. Objects beyond a size of most bytes count as damaged, and
// of a foreign log, which a client sends, those that nest too deep.
func (c *Cluster) load(saved io.Reader, most int64, foreign bool) (*instance, journal.Found, error) {
	i, err := c.assemble(c.options.Rand, c.options.Clock)
	if err != nil {
		return nil, journal.Found{}, err
	}
	found, err := persist.Load(saved, persist.Target{
		Registry: i.registry, Clock: i.clock, Header: &i.header, Observe: i.observe,
		Rand: c.options.Rand, MaxSize: most, Foreign: foreign,
	})
	if err != nil {
		return nil, found, err
	}
	c.options.Flags.limit(i.table)
	return i, found, takeAllocations(i.registry, i.allocations)
}

// loadSnapshot creates a cluster from a snapshot, which has to be complete.
func (c *Cluster) loadSnapshot(snapshot io.Reader) (*instance, error) {
	// A cluster may be slightly beyond its quota. One that is far beyond could not have been written
	// here, and may need more memory than there is. Objects leave a reserve as it is, if there is one.
	quota := c.options.quota()
	i, found, err := c.load(snapshot, quota+quota/4, true)
	switch {
	case err != nil:
		return nil, err
	case found.Size == 0:
		return nil, persist.ErrEmpty
	case found.Problem != nil:
		return nil, found.Problem
	case !found.Complete && i.header.Recording != nil:
		return nil, errors.New("the recording was ended before all resource types had been listed")
	case !found.Complete:
		return nil, errors.New("its end is missing")
	}
	if at, most := i.store.Status(), quota-i.added.Reserve(); most < quota && at.Present > most {
		return nil, fmt.Errorf("its objects take %d of the %d bytes that there are for them", at.Present, most)
	}
	i.saved = true
	return i, i.bootstrap()
}

// takeAllocations marks the addresses and ports of the stored Services as used, and those of IPAddresses.
func takeAllocations(r *registry.Registry, allocations *network.Allocations) error {
	services := r.Table.Resource("", "v1", "services")
	page, err := r.Store.Range(services.Bucket(), mvcc.Query{})
	for _, item := range page.Items {
		obj, _, err := object.Decode(item.Value, services.Type())
		if err != nil {
			return err
		}
		allocations.Load(obj)
	}
	if err != nil {
		return err
	}
	claims := r.Table.Resource("networking.k8s.io", "v1", "ipaddresses")
	page, err = r.Store.Range(claims.Bucket(), mvcc.Query{})
	for _, item := range page.Items {
		obj, _, err := object.Decode(item.Value, claims.Type())
		if err != nil {
			return err
		}
		if !registry.Managed(obj) { // else its Service has it
			_ = allocations.ClusterIPs.Take(item.Key)
		}
	}
	return err
}
