package reflector

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// server is a small API server with one collection: what of it a client meets is as
// in a real one. It is used in a synctest bubble, by turns: what the test does to it is
// seen by clients when the test calls settle or lets time pass.
type server struct {
	rev, compacted int64
	log            []change
	live           map[string]int64 // name to revision
	streams, ends  []*stream        // those that are open; those that are to be cut
	down           bool
	answers        []Answer // given instead, once each
	requests       []string
	tracker        ServerTracker
	turns
}

type change struct {
	rev  int64
	verb revisions.Verb
	name string // empty: of another resource
}

type stream struct {
	wake, cut chan struct{}
	bookmarks int // to be sent
	marks     bool
}

func newServer() *server {
	s := &server{rev: 10, compacted: 1, live: map[string]int64{}, tracker: ServerTracker{Resource: "pods"}}
	s.turns.Lock()
	return s
}

// commit writes an object; without a name another resource's.
func (s *server) commit(verb revisions.Verb, name string) {
	s.rev++
	s.log = append(s.log, change{s.rev, verb, name})
	resource := "pods"
	switch {
	case name == "":
		resource = "events"
	case verb == revisions.Deleted:
		delete(s.live, name)
	default:
		s.live[name] = s.rev
	}
	s.tracker.Frame(revisions.Frame{Commit: &revisions.Commit{Revision: s.rev, Verb: verb, Resource: resource,
		Name: name}})
}

// settle lets clients have their turn, until nobody has anything to do but to wait.
func (s *server) settle() { s.pass(0) }

// pass lets clients have their turn, and time pass.
func (s *server) pass(d time.Duration) {
	ends, streams := s.ends, slices.Clone(s.streams)
	s.ends = nil
	for _, st := range ends {
		close(st.cut)
	}
	for _, st := range streams {
		st.wake <- struct{}{}
	}
	s.turns.pass(d)
}

func (s *server) bookmark() {
	for _, st := range s.streams {
		st.bookmarks++
	}
}

func (s *server) compact() {
	s.compacted = s.rev
	s.tracker.Frame(revisions.Frame{State: &revisions.State{Compacted: s.rev}})
}

func (s *server) cut() { s.ends, s.streams = append(s.ends, s.streams...), nil }

var errDown = errors.New("connection refused")

// begin notes a request, and gives another answer than the usual one if there is one.
func (s *server) begin(path string) (url.Values, *Answer, error) {
	s.await()
	s.requests = append(s.requests, strings.TrimPrefix(path, "/api/v1/pods"))
	if s.down {
		return nil, nil, errDown
	}
	if len(s.answers) > 0 {
		a := s.answers[0]
		s.answers = s.answers[1:]
		return nil, &a, nil
	}
	u, err := url.Parse(path)
	return u.Query(), nil, err
}

const expiredStatus = `{"kind":"Status","status":"Failure","reason":"Expired","code":410}`

func status(code int, reason string) Answer {
	return Answer{code, fmt.Sprintf(`{"kind":"Status","status":"Failure","reason":%q,"code":%d}`, reason, code)}
}

func object(name string, rev int64) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"resourceVersion":"%d"}}`, name, rev)
}

// Get answers a list. A continue token is the revision and the number of objects before.
func (s *server) Get(_ context.Context, path string) (Answer, error) {
	q, other, err := s.begin(path)
	if err != nil {
		return Answer{}, err
	}
	if other != nil {
		return *other, nil
	}
	at, from := s.rev, 0
	if token := q.Get("continue"); token != "" {
		fmt.Sscanf(token, "%d.%d", &at, &from)
	}
	if wanted, _ := strconv.ParseInt(q.Get("resourceVersion"), 10, 64); wanted > s.rev {
		return status(504, "ResourceVersionTooLarge"), nil
	}
	if at < s.compacted {
		return Answer{410, expiredStatus}, nil
	}
	names := s.asOf(at)
	limit, _ := strconv.Atoi(q.Get("limit"))
	if limit == 0 || q.Get("resourceVersion") == "0" {
		limit = len(names)
	}
	var items []string
	to := min(len(names), from+limit)
	for _, k := range names[from:to] {
		items = append(items, object(k.Name, k.Revision))
	}
	token := ""
	if to < len(names) {
		token = fmt.Sprintf("%d.%d", at, to)
	}
	return Answer{200, fmt.Sprintf(`{"kind":"PodList","metadata":{"resourceVersion":"%d","continue":%q},"items":[%s]}`,
		at, token, strings.Join(items, ","))}, nil
}

// asOf returns the objects at a revision.
func (s *server) asOf(rev int64) []Key {
	live := map[string]int64{}
	for _, c := range s.log {
		switch {
		case c.rev > rev || c.name == "":
		case c.verb == revisions.Deleted:
			delete(live, c.name)
		default:
			live[c.name] = c.rev
		}
	}
	var out []Key
	for name, rev := range live {
		out = append(out, Key{Name: name, Revision: rev})
	}
	slices.SortFunc(out, Key.compare)
	return out
}

func (s *server) Watch(ctx context.Context, path string, line func(string)) (Answer, error) {
	q, other, err := s.begin(path)
	if err != nil {
		return Answer{}, err
	}
	if other != nil {
		return *other, nil
	}
	event := func(kind string, o string) { line(`{"type":"` + kind + `","object":` + o + `}`) }
	from, err := strconv.ParseInt(q.Get("resourceVersion"), 10, 64)
	switch {
	case err != nil:
		return status(400, "BadRequest"), nil
	case from == 0:
		for _, k := range s.asOf(s.rev) {
			event("ADDED", object(k.Name, k.Revision))
		}
		from = s.rev
	case from < s.compacted:
		event("ERROR", expiredStatus)
		return Answer{Status: 200}, nil
	}
	st := &stream{wake: make(chan struct{}, 1), cut: make(chan struct{}), marks: q.Get("allowWatchBookmarks") == "true"}
	s.streams = append(s.streams, st)
	for {
		for _, c := range s.log {
			if c.rev > from && c.name != "" {
				event(string(c.verb), object(c.name, c.rev))
			}
		}
		from = s.rev
		for ; st.marks && st.bookmarks > 0; st.bookmarks-- {
			event("BOOKMARK", object("", from))
		}
		select {
		case <-ctx.Done():
			return Answer{}, ctx.Err()
		case <-st.cut:
			s.await()
			return Answer{Status: 200}, nil
		case <-st.wake:
			s.await()
		}
	}
}

// caches returns the keys and versions of a cache.
func caches(s *objects.Store) string {
	var out []string
	for _, o := range s.Rows() {
		out = append(out, fmt.Sprintf("%s@%d", o.Name, o.Revision))
	}
	return strings.Join(out, " ")
}

// has returns the keys and versions of the server.
func (s *server) has() string {
	var out []string
	for _, k := range s.asOf(s.rev) {
		out = append(out, fmt.Sprintf("%s@%d", k.Name, k.Revision))
	}
	return strings.Join(out, " ")
}
