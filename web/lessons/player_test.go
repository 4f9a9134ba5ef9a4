//go:build !js

package lessons_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/tap"
)

// patience is how long a player waits for a step to pass.
const patience = time.Minute

// cluster is a fresh one in memory.
func cluster(t *testing.T) *core.Cluster {
	t.Helper()
	c, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader, Build: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// A player takes a lesson against an http.Handler. It reports what it does to
// the session as the page's tap does.
type player struct {
	t       *testing.T
	server  http.Handler
	session *lesson.Session
	ctx     context.Context
	streams sync.WaitGroup

	mu     sync.Mutex
	lastID int
	news   chan struct{} // receives after something was reported
}

func newPlayer(t *testing.T, server http.Handler, l *lesson.Lesson) *player {
	ctx, cancel := context.WithCancel(context.Background())
	p := &player{t: t, server: server, session: lesson.NewSession(l, lesson.Progress{}), ctx: ctx, news: make(chan struct{}, 1)}
	t.Cleanup(func() { cancel(); p.streams.Wait() })
	return p
}

func (p *player) report(ev tap.Event) {
	p.mu.Lock()
	p.session.Observe(ev, true)
	p.mu.Unlock()
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// Do implements lesson.Transport.
func (p *player) Do(ctx context.Context, r lesson.Outgoing, _ bool, head func(int, []tap.Field), text func(string)) error {
	req := httptest.NewRequestWithContext(ctx, r.Method, r.Target, strings.NewReader(r.Body))
	req.Header.Set("User-Agent", "lesson")
	for _, f := range r.Header {
		req.Header.Set(f.Name, f.Value)
	}
	p.mu.Lock()
	p.lastID++
	w := &writer{p: p, id: p.lastID, header: http.Header{}, head: head, text: text}
	p.session.Observe(tap.Event{Type: tap.Request, ID: w.id, Method: r.Method, URL: r.Target, Header: r.Header, Body: r.Body, Origin: "lesson"}, true)
	p.mu.Unlock()
	err := w.serve(req)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		p.report(tap.Event{Type: tap.Fail, ID: w.id, Err: err.Error(), Aborted: ctx.Err() != nil})
		return err
	}
	p.report(tap.Event{Type: tap.End, ID: w.id})
	return nil
}

// writer is a ResponseWriter that hands everything on at once.
type writer struct {
	p      *player
	id     int
	header http.Header
	wrote  bool
	head   func(int, []tap.Field)
	text   func(string)
}

// serve runs the handler. One that gives up on its client panics with
// http.ErrAbortHandler, as under a real server.
func (w *writer) serve(r *http.Request) (err error) {
	defer func() {
		if e := recover(); e == http.ErrAbortHandler {
			err = http.ErrAbortHandler
		} else if e != nil {
			panic(e)
		}
	}()
	w.p.server.ServeHTTP(w, r)
	w.Flush()
	return nil
}

func (w *writer) Header() http.Header { return w.header }

func (w *writer) WriteHeader(status int) {
	if w.wrote {
		return
	}
	w.wrote = true
	var fields []tap.Field
	for name, values := range w.header {
		for _, v := range values {
			fields = append(fields, tap.Field{Name: name, Value: v})
		}
	}
	w.p.report(tap.Event{Type: tap.Head, ID: w.id, Status: status, Header: fields})
	w.head(status, fields)
}

func (w *writer) Write(b []byte) (int, error) {
	w.Flush()
	w.p.report(tap.Event{Type: tap.Chunk, ID: w.id, Text: string(b)})
	w.text(string(b))
	return len(b), nil
}

// Flush sends the head, if that was not done yet.
func (w *writer) Flush() { w.WriteHeader(http.StatusOK) }

// send runs a request as its Run button does. A watch goes on in the
// background; send returns when its answer has begun.
func (p *player) send(r *lesson.Request) lesson.Report {
	p.t.Helper()
	var last lesson.Report
	if !r.Watch() {
		p.session.Run(p.ctx, p, r, func(rep lesson.Report) { last = rep })
	} else {
		begun := make(chan lesson.Report, 1)
		p.streams.Add(1)
		go func() {
			defer p.streams.Done()
			p.session.Run(p.ctx, p, r, func(rep lesson.Report) {
				if rep.Status > 0 || rep.Done {
					select {
					case begun <- rep:
					default:
					}
				}
			})
		}()
		select {
		case last = <-begun:
		case <-time.After(patience):
			p.t.Fatalf("%s: no answer", r.Target)
		}
	}
	if last.Err != nil {
		p.t.Fatalf("%s %s: %v", r.Method, r.Target, last.Err)
	}
	if strings.HasSuffix(r.Target, "/disconnect") {
		p.streams.Wait() // as a learner sees the watches end before going on
	}
	return last
}

// passed is how many steps are passed by now.
func (p *player) passed() int {
	p.session.Recheck()
	return p.session.Passed()
}

// await waits until so many steps are passed.
func (p *player) await(want int) {
	p.t.Helper()
	late := time.After(patience)
	for p.passed() < want {
		select {
		case <-p.news:
		case <-late:
			st := p.session.Step(want - 1)
			p.t.Fatalf("step %d, %q, does not pass: %+v", want, p.session.Lesson.Steps[want-1].Title, st)
		}
	}
}

// solve passes the step that comes next by its solution.
func (p *player) solve(step int) {
	p.t.Helper()
	if got := p.passed(); got != step {
		p.t.Fatalf("%d steps are passed before step %d", got, step+1)
	}
	for _, r := range p.session.Lesson.Steps[step].Solve() {
		p.send(r)
	}
	p.await(step + 1)
}
