package main

import (
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"
)

// slowest is how late a busy machine is at most.
const slowest = time.Second

// A busy machine is one on which programs are slow: each piece of a watch comes to them late, by what a seed decides.
// (A request that takes its time would not end in a bubble: who waits for a lock that is held meanwhile keeps time
// still.)
type busy struct {
	mu     sync.Mutex
	random *rand.Rand
	under  atomic.Int64 // what is on its way
}

func newBusy(seed uint64) *busy { return &busy{random: rand.New(rand.NewPCG(seed, 49))} }

func (b *busy) pause() {
	b.under.Add(1)
	defer b.under.Add(-1)
	b.mu.Lock()
	d := time.Duration(b.random.Int64N(int64(slowest)))
	b.mu.Unlock()
	time.Sleep(d)
}

// settle waits until nothing is on its way and all programs wait, as the page does by asking them.
func (b *busy) settle() {
	for synctest.Wait(); b.under.Load() > 0; synctest.Wait() {
		time.Sleep(10 * time.Millisecond)
	}
}

// wrap has the requests of programs go through the machine.
func (b *busy) wrap(next http.RoundTripper) http.RoundTripper { return slow{b, next} }

type slow struct {
	*busy
	next http.RoundTripper
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	w, err := s.next.RoundTrip(r)
	// Leases are renewed all the time, and nobody waits for that.
	if err == nil && r.URL.Query().Get("watch") == "true" && resourceOf(r.URL.Path) != "leases" {
		w.Body = slowBody{w.Body, s.busy}
	}
	return w, err
}

// A slowBody is that of a watch.
type slowBody struct {
	io.ReadCloser
	*busy
}

func (b slowBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.pause()
	}
	return n, err
}
