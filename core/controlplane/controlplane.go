package controlplane

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/internal/access"
	"github.com/tabernetes/tabernetes/core/internal/chaos"
	"github.com/tabernetes/tabernetes/core/internal/faults"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/history"
	"github.com/tabernetes/tabernetes/core/internal/persist"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// Parts are the parts of a cluster that settings apply to and acts use.
type Parts struct {
	Registry *registry.Registry
	Clock    *clock.Adjustable
	Access   *access.Gate
	History  *history.Keeper
	Chaos    *chaos.Driver
	Storage  *persist.Storage
	// Controllers are the built-in ones, which may be switched under the store's lock.
	Controllers Controllers
	// Programs have the cluster's time; nil: none.
	Programs clock.Programs
	// Header identifies the cluster.
	Header *persist.Header
	// Cluster implements the acts that replace the cluster.
	Cluster Cluster
	// Checks return what extensions find wrong with settings.
	Checks []func(*Settings) field.ErrorList
	// AuthorName returns what the author of a write is called in the stream of revisions. Nil: as the user.
	AuthorName func(user string) string
}

// Controllers can be switched on and off. Replaced reports whether some rest since a kube-controller-manager works.
type Controllers interface {
	Switch(on bool)
	Replaced() bool
}

// A Cluster can be replaced by another one.
type Cluster interface {
	// Reset starts a new cluster. If seeded is not nil, it is the source of the new cluster's
	// randomness.
	Reset(seeded io.Reader) error
	// Load reads a snapshot, and returns a function that replaces the cluster by it.
	Load(snapshot io.Reader) (replace func() error, err error)
}

// ControlPlane is the ControlPlane of one cluster.
type ControlPlane struct {
	Parts
	defaults Settings

	settings atomic.Pointer[Settings]
	faults   atomic.Pointer[faults.Set]
}

// New returns a ControlPlane and applies its defaults: those of a real control plane, as changed by
// initial.
func New(parts Parts, initial func(*Settings)) *ControlPlane {
	p := &ControlPlane{Parts: parts}
	for i := range rows {
		if set := rows[i].initial; set != nil {
			set(&p.defaults)
		}
	}
	initial(&p.defaults)
	defaults := p.defaults
	p.apply(&defaults, p.Registry.Store.Status().Head)
	return p
}

// Settings returns the current settings.
func (p *ControlPlane) Settings() *Settings { return p.settings.Load() }

// Faults returns the faults for requests of certain clients, or nil.
func (p *ControlPlane) Faults() *faults.Set { return p.faults.Load() }

// CBOR reports whether CBOR is supported.
func (p *ControlPlane) CBOR() bool { return p.Settings().Gates.Enabled(gates.CBORServingAndStorage) }

// Hooks returns the hooks of the ControlPlane's resource type in the registry.
func (p *ControlPlane) Hooks() registry.Hooks {
	return registry.Hooks{Complete: p.complete, Strip: strip, Validate: p.validate}
}

// validate checks an object before it is stored.
func (p *ControlPlane) validate(_ context.Context, obj map[string]any) field.ErrorList {
	s, errs := p.Parse(obj)
	for _, check := range p.Checks {
		errs = append(errs, check(&s)...)
	}
	return errs
}

// bucket is where the store has the object.
var bucket = Resource.Bucket()

// Observe is called for every write, in order, under the store's lock, and applies the stored
// settings. A nil value means that the object was deleted.
func (p *ControlPlane) Observe(in string, value []byte, rev int64) {
	if in != bucket || value == nil {
		return
	}
	obj, _, err := object.Decode(value, Resource.Type())
	if err != nil {
		return // not so: it was stored
	}
	if s, errs := p.Parse(obj); len(errs) == 0 {
		p.apply(&s, rev)
	}
}

// apply applies settings, when the store's head is at rev. It may run under the store's lock.
func (p *ControlPlane) apply(s *Settings, rev int64) {
	p.settings.Store(s)
	for i := range rows {
		if apply := rows[i].apply; apply != nil {
			apply(p, s, rev)
		}
	}
}

// Acts returns the handlers of the subresources.
func (p *ControlPlane) Acts() map[apiserver.Subresource]apiserver.Act {
	all := map[apiserver.Subresource]apiserver.Act{}
	for _, a := range acts {
		sub := apiserver.Subresource{Group: Resource.Group, Resource: Resource.Plural, Name: a.Name, Verb: a.Verb}
		all[sub] = a.bind(p)
	}
	return all
}
