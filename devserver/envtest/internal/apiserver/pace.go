package apiserver

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// A pace delays requests, about as the real server takes to answer them: programs that were written for that may
// depend on it, and find out too late that they do.
type pace struct {
	latency time.Duration
	seed    uint64

	mu sync.Mutex
	// seen is how often a request was made, by the hash of its method and its path.
	seen map[uint64]uint64
}

func newPace(latency time.Duration, seed uint64) *pace {
	return &pace{latency: latency, seed: seed, seen: map[uint64]uint64{}}
}

// mostSeen bounds pace.seen.
const mostSeen = 100_000

// slow returns a handler that delays each request, except for health checks, where the real server takes its time: a
// read before it is carried out; a list that has to be the newest half as long again, since that asks etcd first and
// waits for the cache then; a write half before and half after, so that its event is on its way to watches before its
// answer is. Controllers and tests race in that order.
func (p *pace) slow(api http.Handler) http.Handler {
	if p.latency == 0 {
		return api
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch "/" + first {
		case wellknown.Healthz, wellknown.Livez, wellknown.Readyz:
		default:
			before, after := p.next(r), time.Duration(0)
			switch r.Method {
			case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
				after = before / 2
				before -= after
			case http.MethodGet:
				if asked, _ := apiserver.AttributesOf(r); asked.Verb == "list" && r.URL.Query().Get("resourceVersion") == "" {
					before += before / 2
				}
			}
			if clock.Sleep(r.Context(), clock.Real(), before) != nil {
				panic(http.ErrAbortHandler) // the client has left
			}
			r = r.WithContext(context.WithValue(r.Context(), requestKey{}, r))
			if after > 0 {
				w = &lateWriter{ResponseWriter: w, request: r, delay: after}
			}
		}
		api.ServeHTTP(w, r)
	})
}

// requestKey is the key of a delayed request in its context.
type requestKey struct{}

// between waits before each write of a request but the first, as long as a request is delayed: that is what etcd takes,
// and informers are shown what was written before. What the server writes on its own, such as the status of
// definitions, waits too.
func (p *pace) between(ctx context.Context) error {
	d := p.latency
	if r, ok := ctx.Value(requestKey{}).(*http.Request); ok {
		d = p.next(r)
	}
	return clock.Sleep(ctx, clock.Real(), d)
}

// next returns how long a request is delayed. With a seed that follows from the seed, the request, and how often it
// was made, whatever other clients do in between: half the latency to one and a half, and every sixteenth request four
// times as long.
func (p *pace) next(r *http.Request) time.Duration {
	if p.seed == 0 {
		return p.latency
	}
	h := fnv.New64a() // which is the same in every process
	_, _ = h.Write([]byte(r.Method + " " + r.URL.Path))
	key := h.Sum64()
	p.mu.Lock()
	if len(p.seen) >= mostSeen {
		clear(p.seen)
	}
	p.seen[key]++
	n := p.seen[key]
	p.mu.Unlock()
	random := rand.New(rand.NewPCG(p.seed, key^n*0x9e3779b97f4a7c15)) //nolint:gosec // no secret
	d := p.latency/2 + time.Duration(random.Int64N(int64(p.latency)+1))
	if random.IntN(16) == 0 {
		d *= 4
	}
	return d
}

// A lateWriter delays the first byte of an answer.
type lateWriter struct {
	http.ResponseWriter
	request *http.Request
	delay   time.Duration
	begun   bool
}

func (w *lateWriter) begin() {
	if !w.begun {
		w.begun = true
		_ = clock.Sleep(w.request.Context(), clock.Real(), w.delay) // a client that left is no concern of ours
	}
}

func (w *lateWriter) WriteHeader(code int) {
	w.begin()
	w.ResponseWriter.WriteHeader(code)
}

func (w *lateWriter) Write(b []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *lateWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
