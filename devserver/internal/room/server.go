// Package room serves rooms natively, which are clusters that several people share, each below its own path
// /rooms/ID/. Members and rights of a room are in package core/room.
//
//	POST /rooms            creates a room, and returns its id and the token of its teacher
//	/rooms/ID/api/v1/...   is the API of that room
//
// With the host's key as its bearer token, POST /rooms {"id": "ID"} returns a new token of a teacher of a room that
// there is.
//
// Invariants: at most one cluster is open for a room. A room with open requests stays open. An idle
// room is closed: the next request opens a saved room again, a room that is not saved is lost. A client
// can open a few rooms, and then one in a while.
//
// The id is not a secret; the token is. Anyone who may read the files of the server can have a token of every room, by
// the host's key that it leaves there. A request costs a map lookup.
package room

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/lasting"
	"github.com/tabernetes/tabernetes/core/room/roomhost"
	"github.com/tabernetes/tabernetes/core/status"
)

// A Cluster is one that can be closed.
type Cluster interface {
	http.Handler
	io.Closer
	// TeacherToken returns a new token of a teacher.
	TeacherToken(context.Context) (string, error)
}

// A Server serves rooms. Set its fields before use.
type Server struct {
	// Open opens the cluster of a room. token is that of the first teacher if the room is
	// new, and "" for one that was saved.
	Open func(id, token string) (Cluster, error)
	// Saved reports whether a room that is not open is saved.
	Saved func(id string) bool
	// Failed gets the reason why a room could not be saved when it was closed.
	Failed func(error)
	// Random is where ids and tokens come from, Clock tells how long a room was not used.
	Random io.Reader
	Clock  clock.Clock
	// Idle is how long a room that nobody uses stays open; 0: DefaultIdle. Most is how many
	// may be open; 0: DefaultMost.
	Idle time.Duration
	Most int
	// HostKey is what somebody has to show who wants a teacher's token of any room. "": nobody gets one.
	HostKey string
	// Trusted reports whether a request may open any number of rooms. Nil: none may.
	Trusted func(*http.Request) bool

	mu      sync.Mutex
	open    map[string]*entry
	opening opening
}

// The defaults of a Server.
const (
	DefaultIdle = 30 * time.Minute
	DefaultMost = 100
)

// An entry is a room that is open, opening or closing.
type entry struct {
	// opened is closed when cluster or err is set.
	opened  chan struct{}
	cluster Cluster
	err     error
	// users is the number of open requests, last the end of the latest one.
	users int
	last  time.Time
	// closed is set when the cluster begins to close, and closed when that is done.
	closed chan struct{}
}

var errFull = status.NewUnavailable("as many rooms are open as this server takes: try again later", 60)

// ServeHTTP opens a room, or hands a request to the one that it is for.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	roomhost.Route(w, r, s.create, s.serve)
}

// create opens a new room, or answers as if it did with a teacher's token of another, if the host's key is shown.
func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	switch id, err := roomhost.Reopens(r, s.HostKey); {
	case err != nil:
		roomhost.Refuse(w, err)
		return
	case id != "":
		s.reopen(w, r, id)
		return
	}
	if err := s.mayOpen(r); err != nil {
		roomhost.Refuse(w, err)
		return
	}
	id, token, err := roomhost.Names(s.Random)
	if err == nil {
		err = s.use(r.Context(), id, token, func(Cluster) {})
	}
	if err != nil {
		roomhost.Refuse(w, err)
		return
	}
	roomhost.Created(w, id, token)
}

// reopen answers with a teacher's token of a room.
func (s *Server) reopen(w http.ResponseWriter, r *http.Request, id string) {
	var token string
	var failed error
	err := s.use(r.Context(), id, "", func(c Cluster) { token, failed = c.TeacherToken(r.Context()) })
	if err = cmp.Or(err, failed); err != nil {
		roomhost.Refuse(w, err)
		return
	}
	roomhost.Created(w, id, token)
}

// serve hands a request to a room, which sees it without what names the room.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, id string, u *url.URL) {
	err := s.use(r.Context(), id, "", func(c Cluster) {
		inner := r.Clone(r.Context())
		inner.URL = u
		c.ServeHTTP(w, inner)
	})
	if err != nil {
		roomhost.Refuse(w, err)
	}
}

// use calls f with a room's cluster, which stays open until the end of the request, of which ctx is. token is that of a
// new room's teacher, "" for one that has to be there.
func (s *Server) use(ctx context.Context, id, token string, f func(Cluster)) error {
	e, err := s.enter(id, token)
	if err != nil {
		return err
	}
	defer lasting.End(ctx, func() { s.leave(id, e) })
	<-e.opened
	if e.err == nil {
		f(e.cluster)
	}
	return e.err
}

// enter finds a room, or opens it.
func (s *Server) enter(id, token string) (*entry, error) {
	for {
		s.mu.Lock()
		e := s.open[id]
		if e == nil {
			return s.begin(id, token)
		}
		if e.closed == nil {
			e.users++
			s.mu.Unlock()
			return e, nil
		}
		s.mu.Unlock()
		<-e.closed
	}
}

// begin opens a room that is not open. It unlocks the server.
func (s *Server) begin(id, token string) (*entry, error) {
	if token == "" && !s.Saved(id) {
		s.mu.Unlock()
		return nil, roomhost.ErrNone
	}
	if len(s.open) >= cmp.Or(s.Most, DefaultMost) {
		s.mu.Unlock()
		return nil, errFull
	}
	e := &entry{opened: make(chan struct{}), users: 1}
	if s.open == nil {
		s.open = map[string]*entry{}
	}
	s.open[id] = e
	s.mu.Unlock()
	e.cluster, e.err = s.Open(id, token)
	close(e.opened)
	return e, nil
}

// leave ends a use of a room. One that could not be opened is tried again next time.
func (s *Server) leave(id string, e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.users--
	e.last = s.Clock.Now()
	if e.err != nil && s.open[id] == e {
		delete(s.open, id)
	}
}

// Count returns how many rooms are open, opening or closing.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// Each calls f with the clusters of the rooms that are open.
func (s *Server) Each(f func(Cluster)) {
	s.mu.Lock()
	var all []*entry
	for _, e := range s.open {
		all = append(all, e)
	}
	s.mu.Unlock()
	for _, e := range all {
		select {
		case <-e.opened:
			if e.err == nil {
				f(e.cluster)
			}
		default:
		}
	}
}

// Close closes all rooms. Their requests should have ended by then.
func (s *Server) Close() error { return s.close(func(*entry) bool { return true }) }

// Run closes rooms that nobody uses, until ctx ends.
func (s *Server) Run(ctx context.Context) {
	idle := cmp.Or(s.Idle, DefaultIdle)
	for {
		timer := s.Clock.NewTimer(idle / 4)
		select {
		case <-timer.C():
			now := s.Clock.Now()
			if err := s.close(func(e *entry) bool { return e.users == 0 && now.Sub(e.last) >= idle }); err != nil {
				s.Failed(err)
			}
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// close closes the rooms that f reports true for.
func (s *Server) close(f func(*entry) bool) error {
	s.mu.Lock()
	ending := map[string]*entry{}
	for id, e := range s.open {
		if e.closed == nil && f(e) {
			e.closed = make(chan struct{})
			ending[id] = e
		}
	}
	s.mu.Unlock()
	var errs []error
	for id, e := range ending {
		if <-e.opened; e.cluster != nil {
			errs = append(errs, e.cluster.Close())
		}
		s.mu.Lock()
		delete(s.open, id)
		s.mu.Unlock()
		close(e.closed)
	}
	return errors.Join(errs...)
}
