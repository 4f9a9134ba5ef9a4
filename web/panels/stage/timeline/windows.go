package timeline

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// Edge returns where the part of a lane's row begins that a watch can still get: in the buffer of its type at
// the API server that answers, or in etcd if that server has no buffer. It returns false if that is not known.
func (m *Model) Edge(l *Lane) (revisions.Window, bool) {
	return m.Windows.Of(l.Replica, l.Target.Group, l.Target.Resource, m.State)
}

// Gone reports whether the server would refuse to resume a lane from its version.
func (m *Model) Gone(l *Lane) bool {
	w, _ := m.Edge(l)
	return l.Resume > 0 && l.Resume < w.Horizon
}

// Listed returns the oldest version at which any API server answers a list of a chain's collection.
func (m *Model) Listed(c *Chain) int64 {
	oldest := m.State.Compacted
	for i := range m.Windows.Servers {
		w, _ := m.Windows.Of(i, c.Target.Group, c.Target.Resource, m.State)
		oldest = min(oldest, w.Lists)
	}
	return oldest
}

// Remember takes what the API servers remember now.
func (m *Model) Remember(w revisions.Windows) Changes {
	gone := map[*Lane]bool{}
	for _, l := range m.Lanes.List {
		gone[l] = m.Gone(l)
	}
	m.Windows = w
	ch := Changes{Ruler: true, Lanes: true, Pages: true}
	for _, l := range m.Lanes.List {
		if l.Code == 0 && m.Gone(l) && !gone[l] {
			ch.Say = "Watch " + l.ID() + " can no longer continue from " + itoa(l.Resume)
		}
	}
	return ch
}

// moves reports whether a commit may move an edge that is shown: one of a lane's or a list's type, or of
// what settings and definitions are in.
func (m *Model) moves(c *revisions.Commit) bool {
	if c.Group == wellknown.Group && c.Resource == "controlplanes" || c.Resource == "customresourcedefinitions" {
		return true
	}
	is := func(t tap.Info) bool { return t.Resource == c.Resource && t.Group == c.Group }
	return slices.ContainsFunc(m.Lanes.List, func(l *Lane) bool { return is(l.Target) }) ||
		slices.ContainsFunc(m.Chains.List, func(c *Chain) bool { return c.Token != "" && is(c.Target) })
}

// movedBy reports whether the difference of two states may move an edge: a compaction, a server that was started, or
// what a late cache has read.
func movedBy(was, now *revisions.State) bool {
	late := was.Slowest() < was.Head || now.Slowest() < now.Head
	return was.Cluster != now.Cluster || was.Compacted != now.Compacted || !slices.Equal(was.Replicas, now.Replicas) ||
		late && !slices.Equal(was.Caches, now.Caches)
}

// opens reports whether a tap event shows a type on the stage that may not have been there.
func opens(e tap.Event, ch Changes) bool {
	return e.Type == tap.Head && ch.Lane != nil || e.Type == tap.End && ch.Pages
}
