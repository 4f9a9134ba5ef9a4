package stage

import (
	"time"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// clock returns the time of day that tables give.
func clock(t time.Time) string { return t.Local().Format("15:04:05.000") }

// LaneView returns a lane with what its head says.
func (sc *Scene) LaneView(l *timeline.Lane, dense bool) LaneView {
	v := LaneView{Lane: l, At: sc.At, Gone: sc.Gone(l), Dense: dense, Cut: sc.cut(&l.Conn), Buffer: sc.bufferWords(l)}
	v.Words = LaneWords(l, v.Gone, v.Buffer)
	v.Window, v.Known = sc.Edge(l)
	if n := sc.Notes[l.Req]; n.Words != "" {
		v.Note, v.NoteBad = n.Words, n.Bad
		v.Words += "; its client’s cache: " + n.Words
	}
	if len(sc.State.Caches) > 1 {
		v.Server = sc.State.CacheName(l.Replica)
	}
	if !l.Over() {
		v.Held = max(0, sc.State.Head-sc.State.Cache(l.Replica))
	}
	return v
}

// capacityWords says for how many events buffers have room; empty if that is not known.
func capacityWords(w revisions.Windows) string {
	if !w.Known() {
		return ""
	}
	return itoa(int64(w.Capacity.Least))
}

// LaneViews returns all lanes, newest first.
func (sc *Scene) LaneViews() []LaneView {
	out := make([]LaneView, 0, len(sc.Lanes.List))
	for i := len(sc.Lanes.List) - 1; i >= 0; i-- {
		out = append(out, sc.LaneView(sc.Lanes.List[i], false))
	}
	return out
}

// RevisionView returns what the ruler's head says.
func (sc *Scene) RevisionView() RevisionView {
	v := RevisionView{Known: sc.State.Cluster != "", Head: sc.head(), At: sc.At, Caches: sc.State.Caches,
		Compacted: sc.State.Compacted, Buffers: sc.Windows.Known(), Forked: sc.Forked}
	if sc.Until == 0 && sc.head() != sc.State.Head {
		// Commits come before the positions: caches that keep up keep up with them.
		v.Caches = append([]int64(nil), v.Caches...)
		for i, c := range v.Caches {
			if c == sc.State.Head {
				v.Caches[i] = sc.head()
			}
		}
	}
	for i := range v.Caches {
		v.Names = append(v.Names, sc.State.CacheName(i))
	}
	return v
}

// ServerView returns what the head of an API server's row says.
func (sc *Scene) ServerView(i int) ServerView {
	v := ServerView{Index: i, Name: sc.State.CacheName(i), Behind: max(0, sc.State.Head-sc.State.Cache(i))}
	if i < len(sc.State.Replicas) {
		v.Lag, v.Frozen = sc.State.Replicas[i].Lag, sc.State.Replicas[i].Frozen
	}
	return v
}

// Words returns a server's row as a sentence.
func (v ServerView) Words(at int64) string {
	s := "API server " + v.Name + ", its watch cache is at " + itoa(at)
	if v.Behind > 0 {
		s += ", " + itoa(v.Behind) + " behind"
	}
	if v.Frozen {
		s += ", frozen"
	}
	return s
}

// RevisionRows returns the commits from lo to hi, newest first, as many as a table
// shows.
func (sc *Scene) RevisionRows(lo, hi int64) []TableRow {
	var out []TableRow
	for i := sc.Commits.Index(hi+1) - 1; i >= 0 && len(out) < tableRows; i-- {
		k := sc.Commits.At(i)
		if k.Rev < lo {
			break
		}
		out = append(out, TableRow{Mark: k, Object: sc.Objects.Get(k.Obj), Gone: sc.Behind(k.Rev), Clock: clock(k.Time())})
	}
	return out
}

// LaneRows returns the newest events of all lanes, newest lane first.
func (sc *Scene) LaneRows() []TableRow {
	var out []TableRow
	for i := len(sc.Lanes.List) - 1; i >= 0; i-- {
		l := sc.Lanes.List[i]
		for _, s := range [...]*timeline.Series{&l.Marks, &l.State} {
			for j := s.Len() - 1; j >= 0 && len(out) < tableRows; j-- {
				k := s.At(j)
				out = append(out, TableRow{
					Mark: k, Object: sc.Objects.Get(k.Obj), Lane: l.ID(), Ref: l.Ref(),
					First: s == &l.State, Clock: clock(k.Time()),
				})
			}
		}
	}
	return out
}

// Collected returns the collections that a watch may be opened on before anything is known of the cluster.
func Collected() []string { return new(timeline.Model).Collections() }

// Folds returns the runs of revisions that are drawn as one mark.
func (sc *Scene) Folds() []Fold {
	var folds []Fold
	for _, r := range sc.Runs() {
		name := "made by the server"
		switch {
		case r.Start() && r.Setup:
			name = "start and setup"
		case r.Start():
			name = "cluster start"
		case r.Setup:
			name = "setup"
		case r.Renewed > 0 && r.Reported > 0:
			name = "Leases, Events"
		case r.Reported > 0:
			name = "Events"
		case r.Renewed > 0:
			name = "Leases renewed"
		}
		folds = append(folds, Fold{r.First, r.Last, name})
	}
	return folds
}

// stepFrom returns the known revision before a revision for delta < 0, or after it; 0 if none is known there. A fold is
// one step, at its end.
func (sc *Scene) stepFrom(at, delta int64) int64 {
	if f, in := sc.View.Folded(at); in {
		if at = f.Lo; delta > 0 {
			at = f.Hi
		}
	}
	i := sc.Commits.Index(at + 1)
	if delta < 0 {
		i = sc.Commits.Index(at) - 1
	}
	if i < 0 || i >= sc.Commits.Len() {
		return 0
	}
	return sc.endOfFold(sc.Commits.At(i).Rev)
}

// endOfFold returns the last known revision of the fold that a revision is in; the revision itself if it is in none.
func (sc *Scene) endOfFold(rev int64) int64 {
	f, in := sc.View.Folded(rev)
	if !in {
		return rev
	}
	if i := sc.Commits.Index(f.Hi+1) - 1; i >= 0 {
		return max(rev, sc.Commits.At(i).Rev)
	}
	return rev
}
