package apiserver

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
)

// Limits are limits for requests. They do not apply to long-running ones: see longRunning.
type Limits struct {
	// Reads is the maximum number of concurrent gets and lists, and Writes that of other requests. 0:
	// no limit.
	Reads, Writes int
	// Queue makes further requests wait, in the order in which they came, until one is done. Otherwise
	// they are answered with 429, as they are if very many wait for webhooks.
	Queue bool
	// Memory bounds what requests hold at the moment. Nil: it is not bounded.
	Memory *Memory
	// Deadline is how long a request may take, by the host's clock, without waiting. 0: no limit.
	Deadline time.Duration
}

// DefaultLimits returns the defaults of kube-apiserver.
func DefaultLimits() Limits { return Limits{Reads: 400, Writes: 200, Deadline: time.Minute} }

// longRunning reports whether a request may take long, so that limits do not apply to it.
func (s *Server) longRunning(a auth.Attributes) bool {
	switch {
	case a.Verb == "watch", a.Verb == "proxy":
		return true
	case !a.IsResource || a.Subresource == "":
		return false
	}
	return slices.Contains([]string{"attach", "exec", "proxy", "log", "portforward"}, a.Subresource) ||
		s.Subresources[Subresource{a.Group, a.Resource, a.Subresource, a.Verb}].Streams
}

// begin takes a seat for a request, and sets its deadline. The caller ends it.
func (s *Server) begin(r *http.Request) (limited *http.Request, end func(), err error) {
	given, err := askedTimeout(r)
	if s.Limits == (Limits{}) && err == nil {
		return r, func() {}, nil
	}
	asked := attributesOf(r)
	if s.longRunning(asked) {
		return r, func() {}, nil
	}
	if err != nil {
		return r, func() {}, err
	}
	held, ctx, err := s.take(r.Context(), asked)
	if err != nil {
		return r, func() {}, err
	}
	// Only now: the time that a request waits for its seat does not count.
	ctx, stop := s.deadline(ctx, asked, given)
	if ctx != r.Context() {
		r = r.WithContext(ctx)
	}
	return r, func() { stop(); held.leave() }, nil
}

// take waits for a seat for a request, or refuses it.
func (s *Server) take(ctx context.Context, asked auth.Attributes) (*seat, context.Context, error) {
	p := &seat{among: &s.writes, most: s.Limits.Writes}
	switch asked.Verb {
	case "get", "list":
		p.among, p.most = &s.reads, s.Limits.Reads
	}
	switch {
	case p.most == 0:
		return nil, ctx, nil
	case s.Limits.Queue && p.among.away.Load() >= int64(mostAway*p.most): // as if there were no place in the queue
		return nil, ctx, ErrTooMany
	}
	if err := p.among.enter(ctx, p.most, s.Limits.Queue); err != nil {
		return nil, ctx, err
	}
	if s.Limits.Queue {
		ctx = context.WithValue(ctx, seatKey{}, p)
	}
	return p, ctx, nil
}

// A seat admits one request to those that run concurrently; API Priority and Fairness calls it so too.
type seat struct {
	among *seats
	most  int

	mu   sync.Mutex
	away int  // how often it was given up and not taken back yet
	lost bool // the request has lost it and cannot get it back
}

type seatKey struct{}

// ReleaseSeat gives up a request's seat, until back is called, while it waits for something that may make
// requests to this server: if requests waited for seats that they hold themselves, none could
// continue. It does nothing if requests do not queue.
func ReleaseSeat(ctx context.Context) (back func()) {
	p, _ := ctx.Value(seatKey{}).(*seat)
	if p == nil {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away++; p.away == 1 {
		p.among.away.Add(1)
		p.among.leave()
	}
	return func() { p.back(ctx) }
}

func (p *seat) back(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away--; p.away > 0 {
		return
	}
	if !p.lost {
		p.lost = p.among.enter(ctx, p.most, true) != nil
	}
	p.among.away.Add(-1)
}

// leave gives up the seat.
func (p *seat) leave() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away == 0 && !p.lost {
		p.among.leave()
	}
	p.lost = true
}

// mostAway is how many requests may have given up theirs at once, for each seat: a webhook whose requests call itself
// would have them without end.
const mostAway = 8

// seats are the seats for requests of one kind.
type seats struct {
	away    atomic.Int64 // how many requests have given up theirs
	mu      sync.Mutex
	taken   int
	waiting []chan struct{} // closed when it is their turn, in order of arrival
}

// enter takes a seat, of which there are most. The error is that of the context, if it ends before
// a seat is free, or ErrTooMany if requests do not queue.
func (p *seats) enter(ctx context.Context, most int, queue bool) error {
	p.mu.Lock()
	if p.taken < most {
		p.taken++
		p.mu.Unlock()
		return nil
	}
	if !queue {
		p.mu.Unlock()
		return ErrTooMany
	}
	turn := make(chan struct{})
	p.waiting = append(p.waiting, turn)
	p.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.Index(p.waiting, turn); at >= 0 {
		p.waiting = slices.Delete(p.waiting, at, at+1)
	} else {
		p.pass() // it got a seat all the same
	}
	return ctx.Err()
}

// leave gives a seat to the request that has waited longest, or frees it.
func (p *seats) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pass()
}

func (p *seats) pass() {
	if len(p.waiting) == 0 {
		p.taken--
		return
	}
	close(p.waiting[0])
	p.waiting = p.waiting[1:]
}
