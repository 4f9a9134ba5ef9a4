// More than 400 lines: a lane's input and output are one type.

package timeline

import (
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

const (
	keptLanes = 24
	keptMarks = 40_000 // per lane
)

// Start says what a watch asked to begin with.
type Start uint8

// The four ways in which a watch begins.
const (
	FromExact      Start = iota // behind the given version
	FromMostRecent              // no version: the present state, then changes
	FromAny                     // version 0: some state, then changes
	FromStreaming               // sendInitialEvents: the present state, a mark at its end, then changes
)

// Ending says how a stream ended.
type Ending uint8

// The ways in which a stream ends.
const (
	Open    Ending = iota
	Served         // the server ended it: its time was over, or an ERROR was its last word
	Aborted        // the client closed it
	Broken         // it broke off
)

// A Conn is one watch stream: a connection of a client.
type Conn struct {
	Req int // the tap's id of the request
	URL string
	// Replica is the API server that answers, 0 if there is only one; Pinned says
	// that the request asked for this one.
	Replica int
	Pinned  bool

	Start    Start
	StartRev int64 // the exact version, or the head when the stream opened
	Opened   int64 // the head when the stream opened
	Initial  bool  // the stream begins with synthetic ADDED events

	// Origin is who made the request, as the tap says, and Command the command of kubectl that did.
	Origin, Command string

	Binary bool // its events are no text, so none is drawn

	Began   time.Time
	Ending  Ending
	Ended   time.Time
	EndHead int64 // the head when the stream ended
	Code    int   // of an ERROR event
	Reason  string
	Message string
	// Gone is why its version was too old when it was opened; empty if it was not, or that is not known.
	Gone horizon.Cause
}

// Over reports whether nothing more comes on the connection.
func (c *Conn) Over() bool { return c.Ending != Open || c.Code != 0 }

// A Lane is one client: a watch stream, and those that continued where it ended.
// A watch of the same path that starts at an ended lane's Resume continues in that
// lane; every other watch gets a new lane.
type Lane struct {
	Num    int // w1, w2, …
	Target tap.Info
	Conn   // the newest connection
	Past   []Conn

	settled bool // the initial state is over

	State Series // the initial state's synthetic ADDED events
	Marks Series // everything after it

	// Resume is the version that the client may continue from; 0 if it has none.
	Resume int64
	Odd    int // lines that were no watch event

	read int  // the number of the last line that was taken
	told bool // its error has been announced
}

// ID returns how the lane is called: w1.
func (l *Lane) ID() string { return "w" + strconv.Itoa(l.Num) }

// Ref names the lane's requests in a data-ref attribute.
func (l *Lane) Ref() string {
	ref := "req-" + strconv.Itoa(l.Req)
	for i := range l.Past {
		ref += " req-" + strconv.Itoa(l.Past[i].Req)
	}
	return ref
}

// Replayed reports whether a mark came on a later connection than the one that was open when it was written: it was
// missed, and caught up on.
func (l *Lane) Replayed(rev int64) bool {
	return len(l.Past) > 0 && rev > l.Past[len(l.Past)-1].EndHead && rev <= l.Opened || l.caughtUp(rev)
}

func (l *Lane) caughtUp(rev int64) bool {
	for i := 1; i < len(l.Past); i++ {
		if rev > l.Past[i-1].EndHead && rev <= l.Past[i].Opened {
			return true
		}
	}
	return false
}

// Events returns how many events came, and how many of them are bookmarks.
func (l *Lane) Events() int { return l.State.Total() + l.Marks.Total() }

// Lanes has the watch streams, from the tap's events.
type Lanes struct {
	List []*Lane // oldest first

	byReq   map[int]*Lane
	numbers int
	drawn   int // marks that dropped lanes held
}

// Get finds a lane by its request.
func (ls *Lanes) Get(req int) *Lane { return ls.byReq[req] }

// ByID finds a lane by its name.
func (ls *Lanes) ByID(id string) *Lane {
	for _, l := range ls.List {
		if l.ID() == id {
			return l
		}
	}
	return nil
}

// tap takes an event of an exchange and returns the lane that it changed; list reports that the list of lanes has
// changed, or how one ended.
func (ls *Lanes) tap(e tap.Event, x *tap.Exchange, at revisions.State, objs *Objects) (l *Lane, list bool) {
	if e.Type == tap.Head && x.Method == "GET" && x.Info.Verb == "watch" && x.Status == 200 {
		return ls.open(x, e.Source, at), true
	}
	l = ls.byReq[e.ID]
	if l == nil || l.Ending != Open {
		return l, false
	}
	before, settled := l.Code, l.settled
	for _, line := range x.LinesAfter(l.read) {
		l.read = line.Num
		l.take(line, e.Time, at.Head, objs)
	}
	if x.Live() {
		return l, l.Code != before || l.settled != settled
	}
	l.Ended, l.EndHead = e.Time, max(at.Head, l.Resume, l.Marks.Last())
	switch x.Phase {
	case tap.Done:
		l.Ending = Served
	case tap.Aborted:
		l.Ending = Aborted
	default:
		l.Ending = Broken
		if l.Message == "" {
			l.Message = x.Err
		}
	}
	return l, true
}

func replicaOf(fields []tap.Field) (int, bool) {
	n, err := strconv.Atoi(tap.Get(fields, wellknown.ReplicaHeader))
	return n, err == nil
}

func (ls *Lanes) open(x *tap.Exchange, told *tap.Source, at revisions.State) *Lane {
	t := x.Info
	c := Conn{Req: x.ID, Binary: x.Binary, URL: x.URL, Origin: x.Origin, Command: x.Command(), Opened: at.Head,
		Began: x.Answered, Gone: horizon.Cause(x.Source.Gone)}
	if told != nil && told.Head > 0 {
		c.Opened = told.Head
	}
	c.Replica, _ = replicaOf(x.ResHeader)
	_, c.Pinned = replicaOf(x.Header)
	if ls.byReq == nil {
		ls.byReq = map[int]*Lane{}
	}
	rv := t.Query.Get("resourceVersion")
	send := t.Query.Get("sendInitialEvents")
	n, err := strconv.ParseInt(rv, 10, 64)
	switch {
	case send == "true" || send == "1":
		c.Start, c.Initial = FromStreaming, true
	case err == nil && n > 0:
		c.Start, c.StartRev = FromExact, n
		if l := ls.endedAt(t, n); l != nil {
			l.Past = append(l.Past, l.Conn)
			l.Conn, l.read, l.told = c, 0, false
			ls.byReq[c.Req] = l
			return l
		}
	case err == nil:
		c.Start, c.Initial = FromAny, send == ""
	default:
		c.Start, c.Initial = FromMostRecent, send == ""
	}
	if c.StartRev == 0 {
		c.StartRev = c.Opened
		if c.Start == FromAny {
			// Any state is that of the cache: what it does not hold yet comes as changes.
			c.StartRev = at.Cache(c.Replica)
		}
	}
	ls.Drop((*Lane).done)
	ls.numbers++
	l := &Lane{Num: ls.numbers, Target: t, Conn: c, State: NewSeries(keptMarks), Marks: NewSeries(keptMarks)}
	if c.Start == FromExact {
		l.Resume = c.StartRev
	}
	ls.List = append(ls.List, l)
	ls.byReq[c.Req] = l
	ls.trim()
	return l
}

// done reports whether a lane is of a command that has only waited by its watch, and has what it waited for: nobody
// continues from there. It goes when another one begins, so that such lanes do not pile up.
func (l *Lane) done() bool {
	if l.Code != 0 || l.Ending != Aborted && l.Ending != Served {
		return false
	}
	_, verb, _ := strings.Cut(l.Command, " ")
	return verb == "wait" || verb == "delete" || strings.HasPrefix(verb, "rollout")
}

// endedAt returns the lane whose client continues from rev with a watch of t.
func (ls *Lanes) endedAt(t tap.Info, rev int64) *Lane {
	for _, l := range ls.List {
		if l.Over() && l.Ending != Open && l.Code == 0 && l.Resume == rev && l.Target.Same(t) {
			return l
		}
	}
	return nil
}

// trim forgets the oldest ended lanes beyond the number kept.
func (ls *Lanes) trim() {
	for i := 0; len(ls.List) > keptLanes && i < len(ls.List); {
		if ls.List[i].Ending == Open {
			i++
			continue
		}
		ls.forget(i)
	}
}

func (ls *Lanes) forget(i int) {
	ls.drawn += ls.List[i].Events()
	delete(ls.byReq, ls.List[i].Req)
	for _, c := range ls.List[i].Past {
		delete(ls.byReq, c.Req)
	}
	ls.List = append(ls.List[:i], ls.List[i+1:]...)
}

// Drop forgets the lanes of which f reports true, and returns the requests of those whose connections are still open.
func (ls *Lanes) Drop(f func(*Lane) bool) (open []int) {
	for i := len(ls.List) - 1; i >= 0; i-- {
		l := ls.List[i]
		if !f(l) {
			continue
		}
		if l.Ending == Open {
			open = append(open, l.Req)
		}
		ls.forget(i)
	}
	return open
}

// take takes one line of the stream, which came while the store's head was at head.
func (l *Lane) take(e *tap.Line, at time.Time, head int64, objs *Objects) {
	m := Mark{Rev: e.Rev, At: at.UnixMilli(), Delivered: max(head, e.Rev)}
	if e.Name != "" {
		m.Obj = objs.Number(Object{l.Target.Group, l.Target.Resource, e.Namespace, e.Name})
	}
	switch e.Type {
	case "ADDED":
		m.Kind = Added
	case "MODIFIED":
		m.Kind = Modified
	case "DELETED":
		m.Kind = Deleted
	case "BOOKMARK":
		m.Kind = Bookmark
		if e.InitialEnd {
			m.Kind = InitialEnd
		}
	case "ERROR":
		l.Code, l.Reason, l.Message = e.Code, strings.Clone(e.Reason), strings.Clone(e.Message)
		m.Kind, m.Obj = Error, 0
		m.Rev = max(l.Resume, l.Marks.Last())
		if m.Rev == 0 {
			m.Rev = l.StartRev
		}
		l.Marks.Add(m)
		return
	default:
		l.Odd++
		return
	}
	if l.Initial && !l.settled {
		if l.synthetic(m) {
			l.State.Add(m)
			return
		}
		l.settled = true
		if l.StartRev == 0 {
			l.StartRev = l.State.Last()
		}
	}
	l.Marks.Add(m)
	l.Resume = max(l.Resume, m.Rev)
}

// synthetic reports whether an event belongs to the initial state. Streaming lists mark its end. Without a mark, an
// ADDED that is newer than the head was when the stream opened, or any other event, is the first change.
func (l *Lane) synthetic(m Mark) bool {
	if m.Kind != Added {
		return false
	}
	return l.Start == FromStreaming || m.Rev <= l.StartRev || l.StartRev == 0
}

// Doing returns the lane's condition in a few words.
func (l *Lane) Doing() string {
	switch {
	case l.Code != 0:
		return "error " + strconv.Itoa(l.Code)
	case l.Ending == Served:
		return "ended"
	case l.Ending == Aborted:
		return "closed"
	case l.Ending == Broken:
		return "broken off"
	case l.Binary:
		return "open, in a format that is not drawn"
	case l.Initial && !l.settled && l.State.Len() > 0:
		return "initial state"
	}
	return "open"
}

// Asked returns what the watch asked to begin with, in a few words.
func (l *Lane) Asked() string {
	switch l.Start {
	case FromExact:
		return "from " + strconv.FormatInt(l.StartRev, 10)
	case FromAny:
		return "from any state (resourceVersion 0)"
	case FromStreaming:
		return "streaming list"
	}
	if !l.Initial {
		return "from now"
	}
	return "from the most recent state"
}

// ResumeURL returns the request that continues where the lane stopped; empty if the
// client has no version to continue from.
func (l *Lane) ResumeURL() string {
	if l.Resume == 0 {
		return ""
	}
	marks := l.Target.Query.Get("allowWatchBookmarks")
	return l.Target.With("watch", "1", "resourceVersion", strconv.FormatInt(l.Resume, 10), "allowWatchBookmarks",
		strings.TrimSpace(marks))
}

// Expired reports whether the server said that the lane's version is gone: to continue from it would fail again, only a
// new list helps.
func (l *Lane) Expired() bool { return l.Code == 410 }

// ListURL returns the list to start again with, and WatchURL the watch from there.
func (l *Lane) ListURL() string { return l.Target.With() }

// WatchURL returns the lane's watch from a list's version.
func (l *Lane) WatchURL(version string) string {
	return l.Target.With("watch", "1", "resourceVersion", version, "allowWatchBookmarks", "true")
}

// Pin returns the header that makes a request go to the API server of the lane, if the lane's request named one.
func (l *Lane) Pin() []tap.Field {
	if !l.Pinned {
		return nil
	}
	return []tap.Field{{Name: wellknown.ReplicaHeader, Value: strconv.Itoa(l.Replica)}}
}

// First returns the client's first connection.
func (l *Lane) First() *Conn {
	if len(l.Past) > 0 {
		return &l.Past[0]
	}
	return &l.Conn
}

// Delivered returns the event by which the client learnt of a revision, or false if it received no such event.
func (l *Lane) Delivered(rev int64) (Mark, bool) {
	for _, s := range [...]*Series{&l.Marks, &l.State} {
		for i := s.Index(rev); i < s.Len(); i++ {
			k := s.At(i)
			if k.Rev != rev {
				break
			}
			if k.Kind < counted {
				return k, true
			}
		}
	}
	return Mark{}, false
}

// ResumeAt returns the version that the client could have continued from when the head was at rev; 0 if it had none, or
// did not exist yet.
func (l *Lane) ResumeAt(rev int64) int64 {
	first := l.First()
	if first.Opened > rev {
		return 0
	}
	var at int64
	if first.Start == FromExact {
		at = first.StartRev
	}
	for i := l.Marks.Index(rev+1) - 1; i >= 0; i-- {
		if k := l.Marks.At(i); k.Delivered <= rev && k.Kind != Error {
			return max(at, k.Rev)
		}
	}
	return at
}

// TimedOut reports whether a connection that the server ended had been open for
// as long as its request allowed: the API server's default is 30 to 60 minutes.
func (c *Conn) TimedOut() bool {
	t, ok := tap.ParseTarget(c.URL)
	if !ok || c.Began.IsZero() {
		return false
	}
	allowed := 30 * time.Minute
	if n, err := strconv.Atoi(t.Query.Get("timeoutSeconds")); err == nil && n > 0 {
		allowed = time.Duration(n)*time.Second - 500*time.Millisecond
	}
	return c.Ended.Sub(c.Began) >= allowed
}
