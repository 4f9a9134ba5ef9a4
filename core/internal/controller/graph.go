package controller

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
)

// The finalizers that an owner gets with a propagation policy. They are removed when the policy has
// been carried out.
const (
	orphan             = "orphan"
	foregroundDeletion = "foregroundDeletion"
)

// graph is the owner graph, by uid. It has the objects with owners, the owners of these, whether
// they exist or not, and the objects that wait for a propagation policy; all others leave no trace.
// It follows the events in their order, so it may be behind the store but never ahead of it.
type graph struct {
	nodes  map[string]*node
	number int // of all nodes ever created
}

// node is an object, or only a uid that others name as their owner.
type node struct {
	uid    string
	number int
	// bucket and key are the object's in the store; empty if it has not been seen.
	bucket, key string
	owners      []registry.Owner
	dependents  map[*node]struct{}
	// blocking is the number of dependents that block its deletion in the foreground.
	blocking int
	// waits is the finalizer of its propagation policy, if it is being deleted.
	waits string
}

// take updates the graph with an object's new version, and adds the uids of the objects that may be
// affected.
func (g *graph) take(e *mvcc.Event, add add) {
	uid, links := registry.LinksOf(e.Version)
	n := g.nodes[uid]
	if e.Deleted {
		if n != nil {
			g.forget(n, add)
		}
		return
	}
	waits := waitsFor(links)
	if n == nil {
		if len(links.Owners) == 0 && waits == "" {
			return
		}
		n = g.node(uid)
	}
	n.bucket, n.key = e.Bucket, e.Key
	if !slices.Equal(n.owners, links.Owners) {
		g.unlink(n, add)
		g.link(n, links.Owners)
		add(uid, 0)
	}
	if waits != n.waits {
		if n.waits = waits; waits == foregroundDeletion {
			n.addDependents(add)
		}
		add(uid, 0)
	}
	g.tidy(n)
}

// waitsFor returns the finalizer of the policy that is to be carried out now.
func waitsFor(l registry.Links) string {
	switch {
	case l.Deleting && l.Orphans:
		return orphan
	case l.Deleting && l.Foreground:
		return foregroundDeletion
	}
	return ""
}

// forget marks a node's object as not existing.
func (g *graph) forget(n *node, add add) {
	n.addDependents(add)
	g.unlink(n, add)
	n.bucket, n.key, n.waits = "", "", ""
	g.tidy(n)
}

// node returns the node of a uid, and creates it if none exists.
func (g *graph) node(uid string) *node {
	n := g.nodes[uid]
	if n == nil {
		g.number++
		n = &node{uid: uid, number: g.number}
		g.nodes[uid] = n
	}
	return n
}

// tidy removes a node that is not needed.
func (g *graph) tidy(n *node) {
	if len(n.owners) == 0 && len(n.dependents) == 0 && n.waits == "" {
		delete(g.nodes, n.uid)
	}
}

// link makes a node a dependent of its owners. It does not matter if an object names one twice.
func (g *graph) link(n *node, owners []registry.Owner) {
	n.owners = owners
	for _, o := range distinct(owners) {
		owner := g.node(o.UID)
		if owner.dependents == nil {
			owner.dependents = map[*node]struct{}{}
		}
		owner.dependents[n] = struct{}{}
		if o.Blocks {
			owner.blocking++
		}
	}
}

// unlink removes a node from its owners, and adds those that may have waited for this.
func (g *graph) unlink(n *node, add add) {
	for _, o := range distinct(n.owners) {
		owner := g.nodes[o.UID]
		delete(owner.dependents, n)
		if o.Blocks {
			owner.blocking--
		}
		if owner.waits == foregroundDeletion {
			add(owner.uid, 0)
		}
		if owner != n {
			g.tidy(owner)
		}
	}
	n.owners = nil
}

// distinct returns the owners with each uid once. It blocks if one of its entries does.
func distinct(owners []registry.Owner) []registry.Owner {
	if len(owners) < 2 {
		return owners
	}
	var all []registry.Owner
	for _, o := range owners {
		i := slices.IndexFunc(all, func(other registry.Owner) bool { return other.UID == o.UID })
		if i < 0 {
			all = append(all, o)
			continue
		}
		all[i].Blocks = all[i].Blocks || o.Blocks
	}
	return all
}

// inOrder returns the dependents of a node, in the order in which they were noticed.
func (n *node) inOrder() []*node {
	return slices.SortedFunc(maps.Keys(n.dependents), func(a, b *node) int { return cmp.Compare(a.number, b.number) })
}

func (n *node) addDependents(add add) {
	for _, d := range n.inOrder() {
		add(d.uid, 0)
	}
}
