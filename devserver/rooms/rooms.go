// Package rooms serves rooms, which are clusters that several people share, each below its own path
// /rooms/ID/. Members and rights of a room are in package core/room.
//
//	POST /rooms            creates a room, and returns its id and the token of its teacher
//	/rooms/ID/api/v1/...   is the API of that room
//
// Invariants: at most one cluster is open for a room. A room with open requests stays open. An idle
// room is closed: the next request opens a saved room again, a room that is not saved is lost.
//
// The id is not a secret; the token is. A request costs a map lookup.
package rooms

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/status"
)

// Path is what the paths of rooms begin with; without the slash at its end it is where a room
// is opened.
const Path = "/rooms/"

// A Cluster is one that can be closed.
type Cluster interface {
	http.Handler
	io.Closer
}

// A Server serves rooms. Set its fields before use.
type Server struct {
	// Open opens the cluster of a room. token is that of the first teacher if the room is
	// new, and "" for one that was saved.
	Open func(id, token string) (Cluster, error)
	// Saved reports whether a room that is not open is saved.
	Saved func(id string) bool
	// Failed is told why a room could not be saved when it was closed.
	Failed func(error)
	// Random is where ids and tokens come from, Clock tells how long a room was not used.
	Random io.Reader
	Clock  clock.Clock
	// Idle is how long a room that nobody uses stays open; 0: DefaultIdle. Most is how many
	// may be open; 0: DefaultMost.
	Idle time.Duration
	Most int

	mu   sync.Mutex
	open map[string]*entry
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

var (
	errNone = status.New(http.StatusNotFound, status.NotFound, "there is no such room", nil)
	errFull = status.NewUnavailable("as many rooms are open as this server takes: try again later", 60)
)

// ServeHTTP opens a room, or hands a request to the one that it is for.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path+"/", Path), "/")
	switch {
	case id == "" && r.Method == http.MethodPost:
		s.create(w)
	case id == "":
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, status.NewMethodNotAllowed())
	case !validID(id):
		refuse(w, errNone)
	default:
		s.serve(w, r, id, "/"+strings.TrimSuffix(rest, "/"))
	}
}

// create opens a new room.
func (s *Server) create(w http.ResponseWriter) {
	id, token, err := s.names()
	if err == nil {
		err = s.use(id, token, func(Cluster) {})
	}
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]string{"id": id, "path": Path + id + "/", "token": token})
}

// serve hands a request to a room, which sees it without what names the room.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, id, path string) {
	err := s.use(id, "", func(c Cluster) {
		inner := r.Clone(r.Context())
		inner.URL.Path, inner.URL.RawPath = path, ""
		if raw := r.URL.RawPath; raw != "" {
			_, rest, _ := strings.Cut(strings.TrimPrefix(raw, Path), "/")
			inner.URL.RawPath = "/" + rest
		}
		c.ServeHTTP(w, inner)
	})
	if err != nil {
		refuse(w, err)
	}
}

// use calls f with a room's cluster, which stays open meanwhile. token is that of a new room's
// teacher, "" for one that has to be there.
func (s *Server) use(id, token string, f func(Cluster)) error {
	e, err := s.enter(id, token)
	if err != nil {
		return err
	}
	defer s.leave(id, e)
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
		return nil, errNone
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

// leave ends a use of a room. One that could not be opened is tried anew next time.
func (s *Server) leave(id string, e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.users--
	e.last = s.Clock.Now()
	if e.err != nil && s.open[id] == e {
		delete(s.open, id)
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

const (
	idBytes    = 5  // ten digits
	tokenBytes = 16 // 128 bits
)

// names draws the id and the teacher's token of a new room.
func (s *Server) names() (id, token string, err error) {
	var b [idBytes + tokenBytes]byte
	if _, err := io.ReadFull(s.Random, b[:]); err != nil {
		return "", "", err
	}
	return hex.EncodeToString(b[:idBytes]), base64.RawURLEncoding.EncodeToString(b[idBytes:]), nil
}

// validID reports whether a text may be the id of a room: it becomes the name of a directory.
func validID(id string) bool {
	return len(id) == 2*idBytes && strings.Trim(id, "0123456789abcdef") == ""
}

// refuse answers with an error as the API does.
func refuse(w http.ResponseWriter, err error) {
	var e *status.Error
	if !errors.As(err, &e) {
		e = status.NewInternal(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if e.Status.Details != nil && e.Status.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(e.Status.Details.RetryAfterSeconds))
	}
	w.WriteHeader(e.Status.Code)
	_, _ = w.Write(e.Status.JSON()) // a client that left is no concern of ours
}
