package kubetest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/status"
)

// rules are what tests make of certain requests.
type rules struct {
	mu    sync.Mutex
	all   []rule
	next  int
	seen  map[string]uint64 // requests of a kind, which chance counts
	ended chan struct{}
}

type rule struct {
	id                   int
	verb, resource, name string
	act                  func(w http.ResponseWriter, r *http.Request, q *Request) (served bool)
}

func (r *rule) fits(q *Request) bool {
	fits := func(pattern, value string) bool { return pattern == "" || pattern == "*" || pattern == value }
	return fits(r.verb, q.Verb) && fits(r.resource, q.Type()) && fits(r.name, q.Name)
}

// add adds a rule, and returns what removes it.
func (s *rules) add(r rule) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	r.id = s.next
	s.all = append(s.all, r)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		var left []rule
		for _, other := range s.all {
			if other.id != r.id {
				left = append(left, other)
			}
		}
		s.all = left
	}
}

// apply applies the rules that fit a request, and reports whether it is to be served.
func (s *rules) apply(w http.ResponseWriter, r *http.Request, q *Request) bool {
	s.mu.Lock()
	all := s.all
	s.mu.Unlock()
	for i := range all {
		if all[i].fits(q) && !all[i].act(w, r, q) {
			return false
		}
	}
	return true
}

// end lets requests go that wait.
func (s *rules) end() { close(s.over()) }

// over returns what is closed at the end.
func (s *rules) over() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = make(chan struct{})
	}
	return s.ended
}

// chance returns a number from 0 up to 1 that depends on a seed, on what is asked, and on how often it was asked
// before: so it does not matter in which order clients ask at the same time.
func (s *rules) chance(seed uint64, q *Request) float64 {
	key := q.Method + " " + q.Path
	s.mu.Lock()
	if s.seen == nil {
		s.seen = map[string]uint64{}
	}
	n := s.seen[key]
	s.seen[key]++
	s.mu.Unlock()
	h := fnv.New64a()
	fmt.Fprint(h, key, n)
	return rand.New(rand.NewPCG(seed, h.Sum64())).Float64()
}

// A Blocked holds requests until it is released.
type Blocked struct {
	arrived  chan Request
	released chan struct{}
	once     sync.Once
	remove   func()
}

// Block makes requests wait before they are served: those with a verb (see Request), of a type ("pods",
// "deployments.apps", "pods/status") and with a name. An empty one stands for all. They are served once it is released,
// or the server ends; a client that gives up before is not.
func (s *Server) Block(verb, resource, name string) *Blocked {
	b := &Blocked{arrived: make(chan Request, 1024), released: make(chan struct{})}
	over := s.rules.over()
	b.remove = s.rules.add(rule{verb: verb, resource: resource, name: name,
		act: func(_ http.ResponseWriter, r *http.Request, q *Request) bool {
			select {
			case b.arrived <- *q:
			default: // nobody counts so many
			}
			select {
			case <-b.released:
				return true
			case <-over:
				return true
			case <-r.Context().Done():
				return false
			}
		}})
	return b
}

// Await returns the next request that is blocked. Without one for a minute it fails the test.
func (b *Blocked) Await(t TB) Request {
	t.Helper()
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	select {
	case r := <-b.arrived:
		return r
	case <-late.C:
		t.Fatalf("kubetest: no request came to be blocked")
	}
	return Request{}
}

// Release serves the requests that wait, and holds no more.
func (b *Blocked) Release() {
	b.once.Do(func() {
		b.remove()
		close(b.released)
	})
}

// A Failure is how requests fail.
type Failure struct {
	// Code, Reason and Message are those of the Status that the client gets. Without a Code it is 500 InternalError.
	Code            int
	Reason, Message string
	// RetryAfter, in whole seconds, asks the client to try again then.
	RetryAfter time.Duration
	// Drop cuts the connection instead of an answer.
	Drop bool
	// After serves the request first, so that it is in force and the client does not know it.
	After bool
	// Times is how often it happens; 0: always.
	Times int
}

// Fail makes requests fail, which are told as for Block, until stop is called.
func (s *Server) Fail(verb, resource, name string, f Failure) (stop func()) {
	left := f.Times
	var mu sync.Mutex
	return s.rules.add(rule{verb: verb, resource: resource, name: name,
		act: func(w http.ResponseWriter, r *http.Request, _ *Request) bool {
			mu.Lock()
			done := f.Times > 0 && left == 0
			left--
			mu.Unlock()
			if done {
				return true
			}
			if f.After {
				s.cluster.ServeHTTP(nowhere{http.Header{}}, r)
			}
			f.answer(w)
			return false
		}})
}

func (f Failure) answer(w http.ResponseWriter) {
	if f.Drop {
		panic(http.ErrAbortHandler)
	}
	if f.Code == 0 {
		f.Code = http.StatusInternalServerError
	}
	if f.Reason == "" {
		f.Reason = map[int]string{
			403: "Forbidden", 404: "NotFound", 409: "Conflict", 410: "Expired", 429: "TooManyRequests", 500: "InternalError",
			503: "ServiceUnavailable", 504: "Timeout",
		}[f.Code]
	}
	if f.Message == "" {
		f.Message = "kubetest makes this request fail"
	}
	failure := status.New(f.Code, status.Reason(f.Reason), f.Message, nil)
	if seconds := int(f.RetryAfter / time.Second); seconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		failure.Status.Details = &status.Details{RetryAfterSeconds: seconds}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Code)
	_, _ = w.Write(failure.Status.JSON()) // else the client has gone
}

// nowhere is an answer that nobody gets.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (n nowhere) WriteHeader(int)             {}
func (n nowhere) Flush()                      {}

// Faults makes a share of all requests fail, from 0 to 1, until stop is called: with 429, 500, 503, or a connection
// that is cut, before or after the request is served. Which ones follows from the seed, and from how often the same
// was asked.
func (s *Server) Faults(seed uint64, share float64) (stop func()) {
	kinds := []Failure{
		{Code: 429, RetryAfter: time.Second}, {Code: 500}, {Code: 503}, {Drop: true}, {Drop: true, After: true},
		{Code: 504, After: true},
	}
	return s.rules.add(rule{act: func(w http.ResponseWriter, r *http.Request, q *Request) bool {
		n := s.rules.chance(seed, q)
		if n >= share {
			return true
		}
		f := kinds[int(n/share*float64(len(kinds)))]
		if f.After && q.Verb != "watch" {
			s.cluster.ServeHTTP(nowhere{http.Header{}}, r)
		}
		f.answer(w)
		return false
	}})
}
