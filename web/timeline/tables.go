package timeline

import (
	"strings"
	"time"
)

// clock is the time of day that tables give.
func clock(t time.Time) string { return t.Local().Format("15:04:05.000") }

// LaneViews is the lanes for LaneList, newest first.
func (m *Model) LaneViews() []LaneView {
	out := make([]LaneView, 0, len(m.Lanes.List))
	for i := len(m.Lanes.List) - 1; i >= 0; i-- {
		l := m.Lanes.List[i]
		v := LaneView{Lane: l, Behind: l.Resume > 0 && m.Behind(l.Resume)}
		if len(m.State.Caches) > 1 {
			v.Server = m.State.CacheName(l.Replica)
		}
		if l.Ending == Open {
			v.Held = m.State.Head - m.State.Cache(l.Replica)
		}
		out = append(out, v)
	}
	return out
}

// ChainViews is the chunked lists for ChainList.
func (m *Model) ChainViews(now time.Time, narrow bool) []ChainView {
	out := make([]ChainView, 0, len(m.Chains.List))
	for _, c := range m.Chains.List {
		out = append(out, ChainView{c, m.State.Compacted, m.Retention, now, narrow})
	}
	return out
}

// Readout is what is known of a revision; nil for 0.
func (m *Model) Readout(rev int64) *ReadoutView {
	if rev == 0 {
		return nil
	}
	k, ok := m.Commits.Find(rev)
	return &ReadoutView{rev, k, ok, m.Objects.Get(k.Obj), m.Behind(rev), clock(k.Time()), m.notYet(rev)}
}

// notYet names the caches that a commit has not reached; empty if there are none.
func (m *Model) notYet(rev int64) string {
	if rev > m.Head() {
		return ""
	}
	missing := m.State.Missing(rev)
	switch {
	case len(missing) == 0:
		return ""
	case len(m.State.Caches) == 1:
		return "the cache"
	}
	return strings.Join(missing, ", ")
}

// RevisionRows is the commits from lo to hi, newest first, as many as a table
// shows.
func (m *Model) RevisionRows(lo, hi int64) []TableRow {
	var out []TableRow
	for i := m.Commits.Index(hi+1) - 1; i >= 0 && len(out) < tableRows; i-- {
		k := m.Commits.At(i)
		if k.Rev < lo {
			break
		}
		out = append(out, TableRow{Mark: k, Object: m.Objects.Get(k.Obj), Gone: m.Behind(k.Rev), Clock: clock(k.Time())})
	}
	return out
}

// LaneRows is the newest events of all lanes, newest lane first.
func (m *Model) LaneRows() []TableRow {
	var out []TableRow
	for i := len(m.Lanes.List) - 1; i >= 0; i-- {
		l := m.Lanes.List[i]
		for _, s := range [...]*Series{&l.Marks, &l.State} {
			for j := s.Len() - 1; j >= 0 && len(out) < tableRows; j-- {
				k := s.At(j)
				out = append(out, TableRow{
					Mark: k, Object: m.Objects.Get(k.Obj), Lane: l.ID(), Ref: l.Ref(),
					First: s == &l.State, Clock: clock(k.Time()),
				})
			}
		}
	}
	return out
}
