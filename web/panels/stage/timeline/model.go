package timeline

import (
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

const keptCommits = 131_072

// A Model is everything the timeline knows. Feed it with Frame and Tap; both
// are O(1) per event.
type Model struct {
	Log     *tap.Log
	Objects Objects
	State   revisions.State
	Commits Series
	Lanes   Lanes
	Chains  Chains
	Writes  Writes
	Reads   Reads
	// Programs has what the programs of the control plane wrote.
	Programs Programs
	// Windows is what the API servers remember, as they said last: ask again after each Changes that says so.
	Windows revisions.Windows
	// Retention is how long history is kept; 0 if it is not known.
	Retention time.Duration
	// Since is when the revisions stream began to be read. What the tap reported before that is older than the state
	// that the stream began with.
	Since time.Time

	// Page is what servers call the page whose requests the tap reports, in the commits that they make.
	Page string

	told int64 // the newest head that an answer named: commits come later
	runs runs
}

// New returns a model of what is in a log, which knows nothing yet.
func New(log *tap.Log) *Model { return &Model{Log: log, Commits: NewSeries(keptCommits)} }

// Changes says what a feed changed, so that only that is drawn again.
type Changes struct {
	Ruler bool   // commits or positions
	Lanes bool   // the list of lanes, or how one stands
	Lane  *Lane  // this lane's marks
	Pages bool   // the chains
	Asks  bool   // what the API servers remember may differ from Windows
	Reset bool   // another cluster: all is new
	Alert string // to be said at once
	Say   string // to be said when there is time
}

// Head returns the newest revision known.
func (m *Model) Head() int64 { return max(m.State.Head, m.Commits.Last()) }

// position returns the state of the cluster at a time. The commits of a burst come before the positions: caches that
// keep up are taken to keep up with them too. Before the stream began, the newest head is the one that an answer named.
func (m *Model) position(t time.Time) revisions.State {
	at := m.State
	if t.Before(m.Since) && m.told > 0 {
		at.Head, at.Caches = m.told, nil
		return at
	}
	at.Head = max(m.Head(), m.told)
	at.Caches = slices.Clone(at.Caches)
	for i, c := range at.Caches {
		if c == m.State.Head {
			at.Caches[i] = at.Head
		}
	}
	return at
}

// Tap takes a tap event that the log has taken.
func (m *Model) Tap(e tap.Event) Changes {
	var ch Changes
	if e.Source != nil {
		m.source(e)
	}
	x := m.Log.Get(e.ID)
	if x == nil {
		return ch
	}
	lane, list := m.Lanes.tap(e, x, m.position(e.Time), &m.Objects)
	ch.Lane, ch.Lanes = lane, list
	if list && lane != nil {
		switch {
		case e.Type == tap.Head:
			ch.Say = "Watch " + lane.ID() + " of " + lane.Target.Short() + " opened"
		case lane.Code != 0 && !lane.told:
			lane.told = true
			ch.Alert = "Watch " + lane.ID() + ": error " + itoa(int64(lane.Code)) + ", " + lane.Message
		case lane.Ending != Open:
			ch.Say = "Watch " + lane.ID() + " " + lane.Doing()
		}
	}
	if lane == nil {
		chain, fresh := m.Chains.tap(e, x)
		if chain != nil {
			ch.Pages = true
			if fresh {
				m.laterWrites(chain)
			}
			if e.Type == tap.End {
				ch.Say, ch.Alert = chain.said()
			}
		}
	}
	ch.Asks = opens(e, ch)
	return ch
}

// source takes an answer's source: what the request wrote, or the state it showed.
func (m *Model) source(e tap.Event) {
	s := e.Source
	m.told = max(m.told, s.Head)
	for _, w := range s.Wrote {
		if m.Writes.Add(e.ID, w.First, w.Last) && w.First <= m.runs.read {
			m.runs.stale = true // the page was reloaded since: stored commits do not say which request made them
		}
		m.told = max(m.told, w.Last)
	}
	if ReadAt(s) > 0 {
		m.Reads.Add(Read{Req: e.ID, Server: s.Server, Rev: s.Revision, Head: s.Head, Cached: s.From == source.Cache,
			At: e.Time.UnixMilli()})
	}
}

func holds(t tap.Info, o Object) bool { return t.Holds(o.Group, o.Resource, o.Namespace, o.Name) }

// laterWrites adds the writes since a chain's snapshot that came before its answer.
func (m *Model) laterWrites(c *Chain) {
	if c.Snapshot == 0 {
		return
	}
	for i := m.Commits.Index(c.Snapshot + 1); i < m.Commits.Len(); i++ {
		if k := m.Commits.At(i); holds(c.Target, m.Objects.Get(k.Obj)) {
			c.Later.Add(k)
			if len(c.Pages) == 1 {
				c.Since.Add(k)
			}
		}
	}
}

// Frame takes a frame of the revisions stream.
func (m *Model) Frame(f revisions.Frame) Changes {
	switch {
	case f.State != nil:
		asks := movedBy(&m.State, f.State)
		reset := m.State.Cluster != "" && f.State.Cluster != m.State.Cluster
		if reset {
			keep := m.Lanes.numbers
			pages := m.Chains.numbers
			retention, since, page := m.Retention, m.Since, m.Page
			*m = *New(m.Log)
			m.Retention, m.Since, m.Page = retention, since, page
			m.Lanes.numbers, m.Chains.numbers = keep, pages
		}
		wall := f.State.Compacted != m.State.Compacted
		// What the lanes say of a cache that holds events back.
		held := m.State.Slowest() < m.State.Head || f.State.Slowest() < f.State.Head ||
			len(f.State.Caches) != len(m.State.Caches) || !slices.Equal(f.State.Replicas, m.State.Replicas)
		m.State = *f.State
		return Changes{Ruler: true, Reset: reset, Lanes: wall || reset || held, Pages: wall || reset, Asks: asks}
	case f.Commit != nil:
		return m.commit(f.Commit)
	}
	return Changes{}
}

func (m *Model) commit(c *revisions.Commit) Changes {
	if c.Revision <= m.Commits.Last() {
		return Changes{} // known already
	}
	o := Object{c.Group, c.Resource, c.Namespace, c.Name}
	req := c.By(m.Page)
	_, program := c.Origin()
	k := Mark{Rev: c.Revision, At: c.Time.UnixMilli(), Obj: m.Objects.Number(o), Kind: kindOf(c.Verb),
		Others: req == 0 && !program && (c.Request != "" || c.User != "")}
	m.Commits.Add(k)
	m.Programs.add(c, k, req > 0)
	if req > 0 { // its answer may be lost
		m.Writes.Add(req, k.Rev, k.Rev)
	}
	ch := Changes{Ruler: true, Asks: m.moves(c), Lanes: len(m.Programs.List) > 0}
	for _, chain := range m.Chains.List {
		if len(chain.Pages) == 0 || !holds(chain.Target, o) {
			continue
		}
		if k.Rev > chain.Snapshot {
			chain.Later.Add(k)
			ch.Pages = true
		}
		if k.Rev > chain.Pages[0].Rev { // it may come after the answer of a page that is newer
			chain.Since.Add(k)
			ch.Pages = true
		}
	}
	return ch
}

// Recent returns how many commits came within ms before the newest.
func (m *Model) Recent(ms int64) int64 {
	n := m.Commits.Len()
	if n == 0 {
		return 0
	}
	since := m.Commits.At(n-1).At - ms
	i, j := 0, n
	for i < j { // commits come in the order of time too
		h := (i + j) / 2
		if m.Commits.At(h).At < since {
			i = h + 1
		} else {
			j = h
		}
	}
	return int64(n - i)
}

// Oldest returns the oldest revision worth having on the axis: all that is retained, and a little of what is compacted.
func (m *Model) Oldest() int64 {
	if c := m.State.Compacted; c > 1 {
		return max(1, c-max(2, (m.Head()-c)/16))
	}
	return max(1, min(m.Commits.First(), m.Head()))
}

// Taken returns how many events all series took together since the page opened.
func (m *Model) Taken() int {
	n := m.Commits.Total() + m.Lanes.drawn
	for _, l := range m.Lanes.List {
		n += l.Events()
	}
	return n
}

// Began returns when the request that made a revision was sent, in Unix milliseconds;
// false if that is not known.
func (m *Model) Began(rev int64) (int64, bool) {
	w, ok := m.Writes.Of(rev)
	if !ok {
		return 0, false
	}
	if x := m.Log.Get(w.Req); x != nil {
		return x.Started.UnixMilli(), true
	}
	return 0, false
}

// ReadAt returns the state that an answer showed; 0 if it showed none.
func ReadAt(s *tap.Source) int64 {
	if strings.HasPrefix(s.Rule, "get-") || strings.HasPrefix(s.Rule, "list-") {
		return s.Revision
	}
	return 0
}

// Behind reports whether a version is compacted: nobody can continue from it.
func (m *Model) Behind(rev int64) bool { return rev < m.State.Compacted }

// Collections returns paths that a new watch may be opened on: those in use first.
func (m *Model) Collections() []string {
	seen := map[string]bool{}
	var out []string
	add := func(p string) {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	for i := len(m.Lanes.List) - 1; i >= 0; i-- {
		add(m.Lanes.List[i].Target.Collection())
	}
	for _, c := range m.Chains.List {
		add(c.Target.Collection())
	}
	for _, p := range [...]string{
		"/api/v1/namespaces/default/pods", "/api/v1/pods", "/api/v1/namespaces/default/configmaps",
		"/api/v1/namespaces/default/services", "/apis/apps/v1/namespaces/default/deployments",
		"/api/v1/nodes", "/api/v1/namespaces",
	} {
		add(p)
	}
	return out
}
