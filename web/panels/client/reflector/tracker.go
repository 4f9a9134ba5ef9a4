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

// A ServerTracker knows the objects of a collection on the server: from lists, and from the commits of the revisions
// stream. Both may come in any order, and more than once. It knows no selectors.
//
// Commits alone are not enough: the stream leaves out those that were compacted before it reached them. NeedsList
// reports when a list is needed.
type ServerTracker struct {
	// Group and Resource are the collection's, and Namespace unless it is that of all
	// namespaces.
	Group, Resource, Namespace string

	keys      map[[2]string]Key
	gone      int // of them
	compacted int64
	told      int64 // the newest revision that is known
	hole      int64 // the newest revision before it whose commit was missing
	listed    int64 // the revision of the newest list
}

// maxGone is how many deletions are kept although they are compacted.
const maxGone = 1000

// Frame takes a frame of the revisions stream.
func (t *ServerTracker) Frame(f revisions.Frame) {
	if f.State != nil {
		t.compacted = max(t.compacted, f.State.Compacted)
		t.forget()
		if t.compacted > t.told {
			t.hole, t.told = t.compacted, t.compacted
		}
	}
	if f.Commit != nil {
		if f.Commit.Revision > t.told+1 {
			t.hole = f.Commit.Revision - 1
		}
		t.told = max(t.told, f.Commit.Revision)
	}
	if c := f.Commit; c != nil && c.Group == t.Group && c.Resource == t.Resource &&
		(t.Namespace == "" || c.Namespace == t.Namespace) {
		t.add(Key{c.Namespace, c.Name, c.Revision, c.Verb == revisions.Deleted})
	}
}

// NeedsList reports whether there may be changes that no commit has reported: a consistent list of the collection is
// needed.
func (t *ServerTracker) NeedsList() bool { return t.listed == 0 || t.hole > t.listed }

// List takes a consistent list of the whole collection at a revision.
func (t *ServerTracker) List(list []*objects.Object, revision int64) {
	there := make(map[[2]string]bool, len(list))
	for _, o := range list {
		there[[2]string{o.Namespace, o.Name}] = true
		t.add(Key{Namespace: o.Namespace, Name: o.Name, Revision: o.Revision})
	}
	for name, k := range t.keys {
		if !k.Gone && k.Revision <= revision && !there[name] {
			t.add(Key{k.Namespace, k.Name, revision, true}) // at the latest
		}
	}
	t.listed, t.told = max(t.listed, revision), max(t.told, revision)
}

func (t *ServerTracker) add(k Key) {
	if t.keys == nil {
		t.keys = map[[2]string]Key{}
	}
	name := [2]string{k.Namespace, k.Name}
	before := t.keys[name]
	if k.Revision < before.Revision || k.Revision == before.Revision && !k.Gone {
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

// forget drops deletions that no watch reports any more, if there are many.
func (t *ServerTracker) forget() {
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

// Server returns what is known of the server, in the order of the keys.
func (t *ServerTracker) Server() Server {
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
	// Compacted is the revision at which etcd was compacted: deletions from before it may be missing in Keys.
	Compacted int64
}
