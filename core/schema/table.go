package schema

import (
	"sync"
	"sync/atomic"
)

// Table is the set of resources a server serves. Readers take no lock; changes copy.
type Table struct {
	mu    sync.Mutex
	state atomic.Pointer[state]
}

type state struct {
	rows   []*Resource
	groups []Group
}

// Group is one API group with its served versions, the preferred one first.
// The core group has the name "".
type Group struct {
	Name     string
	Versions []string
}

// Builtin returns a new Table of the resources built into kube-apiserver.
func Builtin() *Table { return &Table{} }

// Resources returns all rows in discovery order. The slice must not be changed.
func (t *Table) Resources() []*Resource { return nil }

// GroupVersion returns the rows of one group version in discovery order.
func (t *Table) GroupVersion(group, version string) []*Resource { return nil }

// Groups returns the groups in the order of /apis, the core group first.
func (t *Table) Groups() []Group { return nil }

// Group returns one group, false if nothing of it is served.
func (t *Table) Group(name string) (Group, bool) { return Group{}, false }

// Resource returns the row of that resource, nil if it is not served.
func (t *Table) Resource(group, version, plural string) *Resource { return nil }

// ByKind returns the row of that kind, nil if it is not served.
func (t *Table) ByKind(group, version, kind string) *Resource { return nil }

// Add adds rows, or replaces those of the same group, version and plural.
// A new group comes after the existing ones of its kind.
func (t *Table) Add(rows ...*Resource) {}

// Remove removes rows; unknown ones are ignored.
func (t *Table) Remove(rows ...*Resource) {}

// TypeNamed returns a type by the name of its OpenAPI definition
// ("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"), nil if there is none.
func TypeNamed(name string) *Type { return nil }

// TypeOf returns the type of a built-in top-level kind (including lists and the kinds of
// subresources), nil if there is none. The kinds of meta/v1 (Status, DeleteOptions, …) are
// found under group "" version "v1" and group "meta.k8s.io" version "v1".
func TypeOf(group, version, kind string) *Type { return nil }
