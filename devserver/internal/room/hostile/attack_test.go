package hostile

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// An attack is all that hostile people do at the same time, until it is stopped.
type attack struct {
	*testing.T
	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup
	// spent are attackers that have not yet reached what their share takes.
	spent sync.WaitGroup
	// pace is the least time between two requests of an attacker.
	pace time.Duration

	mu    sync.Mutex
	fresh map[string]int         // how many are not spent, by what they do
	codes map[string]map[int]int // by what is done, how often it was answered with a code
	worst map[string]answer      // by what is done, an answer that no request should get
}

// atEdge is the pace there, where the front and all rooms of a machine share one thread: who takes all of that takes it
// from everybody.
const atEdge = 50 * time.Millisecond

func newAttack(h *host) *attack {
	t := h.T
	a := &attack{T: t, fresh: map[string]int{}, codes: map[string]map[int]int{}, worst: map[string]answer{}}
	a.ctx, a.stop = context.WithCancel(t.Context())
	if h.edge {
		a.pace = atEdge
	}
	t.Cleanup(a.end)
	return a
}

// end stops the attack and waits for its end.
func (a *attack) end() {
	a.stop()
	a.wg.Wait()
}

// saw notes an answer: what a server says of a bad request, of full shares, or of a request that took too long is
// right. That something in it has failed is not.
func (a *attack) saw(what string, got answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.codes[what] == nil {
		a.codes[what] = map[int]int{}
	}
	a.codes[what][got.code]++
	if got.failed() {
		a.worst[what] = got
	}
}

// failed reports whether a server says of itself that it has failed: by an internal error, or as its program has ended.
func (a answer) failed() bool {
	return a.code == http.StatusInternalServerError ||
		a.code == http.StatusServiceUnavailable && (bytes.Contains(a.text, []byte("starts anew")) ||
			bytes.Contains(a.text, []byte("does not start")))
}

// fault notes an answer that no server should give.
func (a *attack) fault(what string, got answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.worst[what] = got
}

// does makes a request and notes its answer, whose code is 0 if it got none.
func (a *attack) does(p *person, what, method, path string, body []byte) answer {
	return a.sends(p, what, request{method: method, path: path, body: body})
}

// sends is does for a request of any kind. A server has failed that cuts off the connection of who waits for it.
func (a *attack) sends(p *person, what string, q request) answer {
	got, err := p.send(a.ctx, q)
	if a.ctx.Err() == nil {
		if err != nil {
			got = answer{text: []byte(err.Error())}
		}
		if a.saw(what, got); err != nil && !p.rude && !unread(q, err) {
			a.fault(what, got)
		}
	}
	return got
}

// unread reports whether a server has closed a connection while a body was on its way, which it may do after an answer
// that refuses the body: then the client may not see that answer (RFC 9112, section 9.6).
func unread(q request, err error) bool { return len(q.body) > 0 && errors.Is(err, syscall.EPIPE) }

// insists is sends until the answer is another than that too much is asked.
func (a *attack) insists(p *person, what string, q request) answer {
	for {
		got := a.sends(p, what, q)
		if got.code != http.StatusTooManyRequests || a.ctx.Err() != nil {
			return got
		}
		pause(a.ctx, max(a.pace, min(got.again, time.Second)))
	}
}

// report prints what was done, and fails for each answer that no server should give.
func (a *attack) report() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(a.codes)) {
		a.Logf("%-28s answers by code: %v", what, a.codes[what])
	}
	for _, what := range slices.Sorted(maps.Keys(a.worst)) {
		a.Errorf("wrong answers: %s: %v", what, a.worst[what])
	}
}

// count changes how many attackers are not spent.
func (a *attack) count(what string, change int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fresh[what] += change
}

// goes runs an attacker, which calls spent when it has reached what its share takes, and continues.
func (a *attack) goes(what string, f func(spent func())) {
	a.spent.Add(1)
	a.count(what, 1)
	var once sync.Once
	spent := func() {
		once.Do(func() {
			a.count(what, -1)
			a.spent.Done()
		})
	}
	a.wg.Go(func() {
		defer spent()
		f(spent)
	})
}

// again calls f until the attack ends; it waits before the next time, as if there was a network.
func (a *attack) again(wait time.Duration, f func(n int)) {
	for n := 0; a.ctx.Err() == nil; n++ {
		f(n)
		pause(a.ctx, max(wait, a.pace))
	}
}
