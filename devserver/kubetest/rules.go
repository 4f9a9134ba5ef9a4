package kubetest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/status"
)

// rules are what tests make of certain requests.
type rules struct {
	mu    sync.Mutex
	all   []*rule
	made  []*rule           // all there ever were
	seen  map[string]uint64 // requests of a kind, which chance counts
	ended chan struct{}
}

type rule struct {
	method               string // of Server, which has made it
	verb, resource, name string
	// act reports whether the request is to be served; else it has answered it, or its client has gone.
	act func(w http.ResponseWriter, r *http.Request, q *Request) (served bool)

	made string      // where in the test
	used atomic.Bool // whether a request has fitted
}

func (r *rule) fits(q *Request) bool {
	fits := func(pattern, value string) bool { return anything(pattern) || pattern == value }
	return fits(r.verb, q.Verb) && fits(r.resource, q.Type()) && fits(r.name, q.Name)
}

func (r *rule) String() string {
	return fmt.Sprintf("%s(%q, %q, %q), made at %s", r.method, r.verb, r.resource, r.name, r.made)
}

// rule adds a rule, and returns what removes it. One that no request can fit fails the test.
func (s *Server) rule(r *rule) (remove func()) {
	s.t.Helper()
	if why := misfit(r.verb, r.resource); why != "" {
		s.misused(r.method, "%s", why)
	}
	r.made = origin()
	return s.rules.add(r)
}

// reportRules reports the rules that no request has fitted.
func (s *Server) reportRules() {
	report := s.t.Logf
	if s.config.failOnUnusedRules {
		report = s.t.Errorf
	}
	s.rules.mu.Lock()
	defer s.rules.mu.Unlock()
	for _, r := range s.rules.made {
		if !r.used.Load() {
			report("kubetest: no request has met %s", r)
		}
	}
}

// add adds a rule, and returns what removes it.
func (s *rules) add(r *rule) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = append(s.made, r)
	s.all = append(slices.Clip(s.all), r)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all = slices.DeleteFunc(slices.Clone(s.all), func(other *rule) bool { return other == r })
	}
}

// apply applies the rules that fit a request, and reports whether it is to be served.
func (s *rules) apply(w http.ResponseWriter, r *http.Request, q *Request) bool {
	s.mu.Lock()
	all := s.all
	s.mu.Unlock()
	for _, rule := range all {
		if !rule.fits(q) {
			continue
		}
		if rule.used.Store(true); !rule.act(w, r, q) {
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
// "deployments.apps", "pods/status") and with a name. An empty one, or "*", stands for all. They are served once it is
// released, or the server ends; a client that gives up before is not. A verb or type that no request can have fails the
// test; one that no request had is reported at its end.
func (s *Server) Block(verb, resource, name string) *Blocked {
	b := &Blocked{arrived: make(chan Request, 1024), released: make(chan struct{})}
	over := s.rules.over()
	s.t.Helper()
	b.remove = s.rule(&rule{method: "Block", verb: verb, resource: resource, name: name,
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
				panic(http.ErrAbortHandler) // nobody waits for an answer
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
	// RetryAfter, in whole seconds, rounded up, asks the client to try again then.
	RetryAfter time.Duration
	// Drop cuts the connection instead of an answer.
	Drop bool
	// After serves the request first, so that it is in force and the client does not know it.
	After bool
	// Times is how often it happens; 0: always.
	Times int
}

// Fail makes requests fail, which are selected as for Block, until stop is called.
func (s *Server) Fail(verb, resource, name string, f Failure) (stop func()) {
	s.t.Helper()
	switch {
	case f.Code != 0 && (f.Code < 400 || f.Code > 599):
		s.misused("Fail", "a request does not fail with the code %d", f.Code)
	case f.Times < 0 || f.RetryAfter < 0:
		s.misused("Fail", "Times %d and RetryAfter %v must not be negative", f.Times, f.RetryAfter)
	}
	left := f.Times
	var mu sync.Mutex
	return s.rule(&rule{method: "Fail", verb: verb, resource: resource, name: name,
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
	if seconds := inSeconds(f.RetryAfter); seconds > 0 {
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
	s.t.Helper()
	if !(share >= 0 && share <= 1) {
		s.misused("Faults", "a share of requests is from 0 to 1, not %v", share)
	}
	kinds := []Failure{
		{Code: 429, RetryAfter: time.Second}, {Code: 500}, {Code: 503}, {Drop: true}, {Drop: true, After: true},
		{Code: 504, After: true},
	}
	return s.rules.add(&rule{method: "Faults", act: func(w http.ResponseWriter, r *http.Request, q *Request) bool {
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
