package controlplane

import (
	"io"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/chaos/driver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/faults"
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/history"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/persist"
	"github.com/tabernetes/tabernetes/core/registry"
)

// Parts are what settings are put in force in, and what acts work on.
type Parts struct {
	Registry *registry.Registry
	Clock    *clock.Adjustable
	Access   *access.Gate
	History  *history.Keeper
	Chaos    *driver.Driver
	Storage  *persist.Storage
	// Controllers are the built-in ones, which may be switched under the store's lock.
	Controllers interface{ Switch(on bool) }
	// Header says which cluster it is.
	Header *persist.Header
	// Cluster is what can be done to the cluster as a whole.
	Cluster Cluster
}

// A Cluster can make another one, which takes its place.
type Cluster interface {
	// Reset begins a new cluster. What is random in it follows from seeded; nil: from what
	// the cluster's randomness is.
	Reset(seeded io.Reader) error
	// Load reads a snapshot, and returns what puts it in the place of the cluster.
	Load(snapshot io.Reader) (replace func() error, err error)
}

// ControlPlane is the ControlPlane of one cluster.
type ControlPlane struct {
	Parts
	defaults Settings

	settings atomic.Pointer[Settings]
	faults   atomic.Pointer[faults.Set]
}

// New returns a ControlPlane whose defaults are in force. They are those of a real control
// plane, but for what initial sets.
func New(parts Parts, initial func(*Settings)) *ControlPlane {
	p := &ControlPlane{Parts: parts}
	for i := range settings {
		if set := settings[i].initial; set != nil {
			set(&p.defaults)
		}
	}
	initial(&p.defaults)
	defaults := p.defaults
	p.apply(&defaults, p.Registry.Store.Status().Head)
	return p
}

// Settings returns the settings in force.
func (p *ControlPlane) Settings() *Settings { return p.settings.Load() }

// Faults returns what goes wrong with requests of certain clients; nil if nothing does.
func (p *ControlPlane) Faults() *faults.Set { return p.faults.Load() }

// CBOR reports whether objects are read and written as CBOR, too.
func (p *ControlPlane) CBOR() bool { return p.Settings().CBOR }

// Extension returns what the object adds to the path of all resource types.
func (p *ControlPlane) Extension() registry.Extension {
	return registry.Extension{Complete: p.complete, Strip: strip, Validate: p.validate}
}

// validate checks an object that is to be stored.
func (p *ControlPlane) validate(obj map[string]any) field.ErrorList {
	_, errs := p.Parse(obj)
	return errs
}

// bucket is where the store has the object.
var bucket = Resource.Bucket()

// Observe is told of every write, in order, under the store's lock: the settings are those
// that are stored. A nil value is that of an object that is gone.
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

// apply puts settings in force while the store's head is at rev. It may run under
// the store's lock.
func (p *ControlPlane) apply(s *Settings, rev int64) {
	p.settings.Store(s)
	for i := range settings {
		if apply := settings[i].apply; apply != nil {
			apply(p, s, rev)
		}
	}
}

// Acts returns how the server answers the subresources.
func (p *ControlPlane) Acts() map[apiserver.Subresource]apiserver.Act {
	all := map[apiserver.Subresource]apiserver.Act{}
	for _, a := range acts {
		sub := apiserver.Subresource{Group: Resource.Group, Resource: Resource.Plural, Name: a.name, Verb: a.verb}
		all[sub] = a.of(p)
	}
	return all
}
