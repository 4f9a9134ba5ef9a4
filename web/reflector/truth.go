package reflector

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// A Key is an object on the server.
type Key struct {
	Namespace, Name string
	// Revision is that of its last change, of its deletion if it is Gone.
	Revision int64
	Gone     bool
}

func (k Key) compare(other Key) int {
	if c := strings.Compare(k.Namespace, other.Namespace); c != 0 {
		return c
	}
	return strings.Compare(k.Name, other.Name)
}

// A Truth knows the objects of a collection on the server: from the commits of the
// revisions stream, and from a list for those that no commit is kept of. Both may
// come in any order, and more than once. It knows no selectors.
type Truth struct {
	// Group and Resource are the collection's, and Namespace unless it is that of all
	// namespaces.
	Group, Resource, Namespace string

	keys      map[[2]string]Key
	gone      int // of them
	compacted int64
}

// maxGone is how many deletions are kept though they are compacted.
const maxGone = 1000

// Frame takes a frame of the revisions stream.
func (t *Truth) Frame(f revisions.Frame) {
	if f.State != nil {
		t.compacted = max(t.compacted, f.State.Compacted)
		t.forget()
	}
	if c := f.Commit; c != nil && c.Group == t.Group && c.Resource == t.Resource && (t.Namespace == "" || c.Namespace == t.Namespace) {
		t.add(Key{c.Namespace, c.Name, c.Revision, c.Verb == revisions.Deleted})
	}
}

// List takes objects of a consistent list.
func (t *Truth) List(list []*objects.Object) {
	for _, o := range list {
		t.add(Key{Namespace: o.Namespace, Name: o.Name, Revision: o.Revision})
	}
}

func (t *Truth) add(k Key) {
	if t.keys == nil {
		t.keys = map[[2]string]Key{}
	}
	name := [2]string{k.Namespace, k.Name}
	before := t.keys[name]
	if k.Revision <= before.Revision {
		return
	}
	t.keys[name] = k
	switch {
	case k.Gone && !before.Gone:
		t.gone++
	case !k.Gone && before.Gone:
		t.gone--
	}
}

// forget forgets deletions that no watch tells any more, if there are many.
func (t *Truth) forget() {
	if t.gone <= maxGone {
		return
	}
	for name, k := range t.keys {
		if k.Gone && k.Revision < t.compacted {
			delete(t.keys, name)
			t.gone--
		}
	}
}

// Server is what is known, in the order of the keys.
func (t *Truth) Server() Server {
	s := Server{Compacted: t.compacted, Keys: make([]Key, 0, len(t.keys))}
	for _, k := range t.keys {
		s.Keys = append(s.Keys, k)
	}
	slices.SortFunc(s.Keys, Key.compare)
	return s
}

// Server is what the server has.
type Server struct {
	Keys []Key // in the order of namespaces and names, at most one of each
	// Compacted is the oldest revision that a watch can begin at.
	Compacted int64
}
