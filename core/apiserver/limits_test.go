package apiserver

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// blockingAct is an act that continues until it is released, or its request ends.
type blockingAct struct {
	started chan string
	release chan struct{}
}

// newBlockingServer returns a server with an act that creates, and one that reads, on configmaps.
func newBlockingServer(s *Server) *blockingAct {
	h := &blockingAct{make(chan string), make(chan struct{})}
	serve := func(w http.ResponseWriter, r *http.Request, c Call) error {
		h.started <- r.Header.Get("Name")
		select {
		case <-h.release:
			return nil
		case <-r.Context().Done():
			return context.Cause(r.Context())
		}
	}
	s.Subresources = map[Subresource]Act{
		{"", "pods", "eviction", "create"}:         {Serve: serve},
		{"", "namespaces", "status", "get"}:        {Serve: serve},
		{"", "persistentvolumes", "status", "get"}: {Serve: serve, Streams: true},
	}
	return h
}

const (
	heldWrite  = "POST /api/v1/namespaces/default/pods/p/eviction"
	heldRead   = "GET /api/v1/namespaces/default/status"
	heldStream = "GET /api/v1/persistentvolumes/p/status"
)

// inBackground makes a request in the background; its answer is sent to the channel, nil if the
// request was cut off.
func inBackground(ctx context.Context, s *Server, request, name string) <-chan *httptest.ResponseRecorder {
	answered := make(chan *httptest.ResponseRecorder, 1)
	method, path, _ := strings.Cut(request, " ")
	r := httptest.NewRequestWithContext(ctx, method, path, nil)
	r.Header.Set("Name", name)
	go func() {
		w := httptest.NewRecorder()
		defer func() {
			if p := recover(); p != nil {
				w = nil
			}
			answered <- w
		}()
		s.ServeHTTP(w, r)
	}()
	return answered
}

func TestTooManyRequests(t *testing.T) {
	s := newServer(t)
	s.Limits = Limits{Reads: 2, Writes: 1}
	h := newBlockingServer(s)
	var answers []<-chan *httptest.ResponseRecorder
	for _, request := range []string{heldRead, heldRead, heldWrite, heldStream, heldStream, heldStream} {
		answers = append(answers, inBackground(t.Context(), s, request, ""))
		<-h.started
	}
	for request, code := range map[string]int{
		heldRead: 429, heldWrite: 429,
		"GET /version":                              429,
		"GET /api/v1/namespaces":                    429,
		"DELETE /api/v1/namespaces/default":         429,
		"OPTIONS /api/v1/namespaces":                429, // a write, as in the real server
		"GET /api/v1/namespaces?timeout=soon":       400, // found out before
		"GET /api/v1/nodes/n/proxy/":                404, // as long as it likes
		"GET /api/v1/namespaces/default/pods/p/log": 404,
	} {
		w := <-inBackground(t.Context(), s, request, "")
		if w.Code != code {
			t.Errorf("%s: %d %s, want %d", request, w.Code, w.Body, code)
		}
		if code != 429 {
			continue
		}
		got, want := w.Header(), map[string]string{
			"Content-Type": "text/plain; charset=utf-8", "Retry-After": "1", "X-Content-Type-Options": "nosniff",
			"Cache-Control": wellknown.NoCache,
		}
		for name, value := range want {
			if got.Get(name) != value {
				t.Errorf("%s: %s: %q", request, name, got.Get(name))
			}
		}
		if len(got) != len(want) || w.Body.String() != "Too many requests, please try again later.\n" {
			t.Errorf("%s: %v %q", request, got, w.Body)
		}
	}
	close(h.release)
	for _, a := range answers {
		if w := <-a; w.Code != 201 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if s.reads.taken+s.writes.taken != 0 {
		t.Errorf("%d and %d places are still taken", s.reads.taken, s.writes.taken)
	}
}

// await returns once n requests wait for a seat.
func (p *seats) await(n int) {
	for {
		p.mu.Lock()
		got := len(p.waiting)
		p.mu.Unlock()
		if got == n {
			return
		}
		runtime.Gosched() // it is about to
	}
}

// TestRequestsTakeTurns lets requests wait, one of which disconnects while it waits.
func TestRequestsTakeTurns(t *testing.T) {
	manual := clock.NewManual(time.Unix(0, 0))
	s := newServer(t)
	s.Limits, s.Clock = Limits{Writes: 1, Queue: true, Deadline: time.Minute}, manual
	h := newBlockingServer(s)
	impatient, leave := context.WithCancel(t.Context())
	first := inBackground(t.Context(), s, heldWrite, "a")
	<-h.started
	answers := map[string]<-chan *httptest.ResponseRecorder{"a": first}
	for n, name := range []string{"b", "c", "d"} {
		ctx := t.Context()
		if name == "c" {
			ctx = impatient
		}
		answers[name] = inBackground(ctx, s, heldWrite, name)
		s.writes.await(n + 1)
	}
	leave()
	if w := <-answers["c"]; w != nil {
		t.Errorf("who has left was answered %d", w.Code)
	}
	for _, name := range []string{"a", "b", "d"} {
		// A waiting request's time has not begun: each takes nearly all of it.
		manual.Advance(33 * time.Second)
		h.release <- struct{}{}
		if w := <-answers[name]; w.Code != 201 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if next := map[string]string{"a": "b", "b": "d"}[name]; next != "" {
			if got := <-h.started; got != next {
				t.Errorf("after %s it was the turn of %s", name, got)
			}
		}
	}
	if s.writes.taken != 0 {
		t.Errorf("%d places are still taken", s.writes.taken)
	}
}

// TestReleaseSeat checks that a request which waits for another one gives up its seat meanwhile.
func TestReleaseSeat(t *testing.T) {
	s := newServer(t)
	s.Limits = Limits{Writes: 1, Queue: true}
	var wg sync.WaitGroup
	s.Subresources = map[Subresource]Act{
		{"", "pods", "eviction", "create"}: {Serve: func(w http.ResponseWriter, r *http.Request, c Call) error {
			for range 2 { // at the same time, as webhooks are called
				wg.Go(func() {
					defer ReleaseSeat(r.Context())()
					if w := <-inBackground(r.Context(), s, "POST "+configMaps, ""); w.Code != 400 {
						t.Errorf("%d %s", w.Code, w.Body)
					}
				})
			}
			wg.Wait()
			if s.writes.taken != 1 {
				t.Errorf("%d have a place", s.writes.taken)
			}
			return nil
		}},
	}
	if w := <-inBackground(t.Context(), s, heldWrite, ""); w.Code != 201 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if s.writes.taken != 0 {
		t.Errorf("%d places are still taken", s.writes.taken)
	}
	ReleaseSeat(t.Context())() // without limits there are no seats to give up
}

func TestDeadline(t *testing.T) {
	const allotted = `{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the ` +
		`allotted timeout",` +
		`"reason":"Timeout","details":{},"code":504}` + "\n"
	const requested = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: ` +
		`request did not complete within ` +
		`requested timeout - context deadline exceeded","reason":"Timeout","details":{},"code":504}` + "\n"
	for _, c := range []struct {
		request string
		after   time.Duration // it is answered
		kind    string
		body    string
	}{
		{heldRead, time.Minute, "text/plain; charset=utf-8", allotted},
		{heldRead + "?timeout=5s", 5 * time.Second, "text/plain; charset=utf-8", allotted},
		{heldRead + "?timeout=5h", time.Minute, "text/plain; charset=utf-8", allotted},
		{heldRead + "?timeout=0s", time.Minute, "text/plain; charset=utf-8", allotted},
		{heldRead + "?timeout=-1s", time.Minute, "text/plain; charset=utf-8", allotted},
		{heldWrite, 34 * time.Second, "application/json", requested},
		{heldWrite + "?timeout=50s", 34 * time.Second, "application/json", requested},
		{heldWrite + "?timeout=5s", 5 * time.Second, "text/plain; charset=utf-8", allotted},
	} {
		manual := clock.NewManual(time.Unix(0, 0))
		s := newServer(t)
		s.Limits, s.Clock = Limits{Deadline: time.Minute}, manual
		h := newBlockingServer(s)
		answered := inBackground(t.Context(), s, c.request, "")
		<-h.started
		manual.AwaitTimers(1)
		manual.Advance(c.after - time.Nanosecond)
		select {
		case w := <-answered:
			t.Fatalf("%s: answered too early: %d %s", c.request, w.Code, w.Body)
		default:
		}
		manual.Advance(time.Nanosecond)
		w := <-answered
		if w.Code != 504 || w.Header().Get("Content-Type") != c.kind || w.Body.String() != c.body ||
			w.Header().Get("Cache-Control") != wellknown.NoCache {
			t.Errorf("%s: %d %v %s", c.request, w.Code, w.Header(), w.Body)
		}
	}
	// Long-running requests have no deadline, and do not wait for seats.
	manual := clock.NewManual(time.Unix(0, 0))
	s := newServer(t)
	s.Limits, s.Clock = Limits{Deadline: time.Minute}, manual
	h := newBlockingServer(s)
	answered := inBackground(t.Context(), s, heldStream+"?timeout=x", "")
	<-h.started
	manual.Advance(time.Hour)
	h.release <- struct{}{}
	if w := <-answered; w.Code != 201 {
		t.Errorf("a stream: %d %s", w.Code, w.Body)
	}
}

// lateBody is a body that its host has stopped waiting for.
type lateBody struct{}

func (lateBody) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

func TestBodyThatDoesNotArrive(t *testing.T) {
	w := httptest.NewRecorder()
	newServer(t).ServeHTTP(w, httptest.NewRequest("POST", configMaps, lateBody{}))
	if w.Code != 504 || !strings.Contains(w.Body.String(), "allotted timeout") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
