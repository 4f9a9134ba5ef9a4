//go:build !js

// Package play takes lessons against an http.Handler, as a learner does in the page: it
// runs their requests, and reports them to a session.Session as the page's tap does. Tests
// and authors play lessons with it.
//
// Invariants: what a Player reports is in the order in which a page would see it; a
// Player that is closed has no stream open.
//
// Costs: those of the requests. Where steps wait for the cluster's time (a cache that
// does not catch up lets a client wait for 3 s), a testing/synctest bubble makes them
// immediate.
package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/tap"
)

// StepTimeout is how long a Player waits for a step to pass.
const StepTimeout = time.Minute

// A Player takes one lesson. Close it when it is done with.
type Player struct {
	Session *session.Session

	server http.Handler
	ctx    context.Context
	cancel context.CancelFunc
	runner session.Runner
	before format.Settings

	mu     sync.Mutex
	log    tap.Log
	onTap  func(tap.Event)
	lastID int
	news   chan struct{} // receives after something was reported
}

// New returns a Player for a lesson that nobody has begun yet.
func New(ctx context.Context, server http.Handler, l *format.Lesson) *Player {
	return Resume(ctx, server, l, session.Progress{})
}

// Resume returns a Player for a lesson of which some is done.
func Resume(ctx context.Context, server http.Handler, l *format.Lesson, done session.Progress) *Player {
	p := &Player{server: server, news: make(chan struct{}, 1)}
	p.Session = session.New(l, done, &p.log)
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.runner = session.Runner{Session: p.Session, Transport: p, Wait: p.wait}
	return p
}

// Reloaded returns a Player that continues as a page does that was loaded again: of the one before, which has to be
// closed, only the progress is kept, and what the settings were before the lesson.
func (p *Player) Reloaded(ctx context.Context, done session.Progress) *Player {
	next := Resume(ctx, p.server, p.Session.Lesson, done)
	next.before = p.before
	return next
}

// AfterRequest sets a function that is called after each request, to let controllers settle.
func (p *Player) AfterRequest(f func()) { p.runner.AfterRequest = f }

// Command sets a function that runs commands of kubectl, which are then preferred to requests.
func (p *Player) Command(f func(ctx context.Context, text string) error) { p.runner.Command = f }

// Lever sets a function that pulls levers of programs, which run beside the server.
func (p *Player) Lever(f func(ctx context.Context, l format.Lever) error) { p.runner.Lever = f }

// Log returns what was reported.
func (p *Player) Log() *tap.Log { return &p.log }

// OnTap sets a function that is called with what the session gets.
func (p *Player) OnTap(f func(tap.Event)) { p.onTap = f }

// Close ends the streams.
func (p *Player) Close() {
	p.cancel()
	p.runner.Join()
}

// Begin sets what the lesson requires, and makes what it starts with.
func (p *Player) Begin() error {
	now, err := p.Settings()
	if err != nil {
		return err
	}
	p.before = now
	if err := p.Set(format.Changes(now, now, p.Session.Lesson.Requires).Patch); err != nil {
		return err
	}
	return p.Prepare()
}

// Prepare makes what the lesson starts with.
func (p *Player) Prepare() error {
	err := p.Session.Prepare(p.ctx, p, p.runner.AfterRequest)
	if p.runner.AfterRequest != nil {
		p.runner.AfterRequest()
	}
	return err
}

// End deletes what the lesson has made, and sets back what it has changed.
func (p *Player) End() error {
	if err := p.Session.Tidy(p.ctx, p); err != nil {
		return err
	}
	now, err := p.Settings()
	if err != nil {
		return err
	}
	return p.Set(format.Changes(now, p.before, nil).Patch)
}

// SetUp makes what a step starts with, as the page does when it sets a step up again.
func (p *Player) SetUp(step int) error {
	now, err := p.Settings()
	if err != nil {
		return err
	}
	if err := p.Set(format.Changes(now, p.before, p.Session.Lesson.Requires).Patch); err != nil {
		return err
	}
	return p.runner.SetUp(p.ctx, step, nil)
}

// Console makes a request as a learner does in the console, and returns the status of its answer, of a watch when it
// has ended.
func (p *Player) Console(method, target, body string) (status int, err error) {
	r := format.Outgoing{Method: method, Target: target, Body: body}
	switch {
	case method == "PATCH":
		r.Header = []tap.Field{{Name: "Content-Type", Value: "application/merge-patch+json"}}
	case body != "":
		r.Header = []tap.Field{{Name: "Content-Type", Value: "application/json"}}
	}
	err = p.Do(p.ctx, r, "console", func(code int, _ []tap.Field) { status = code }, func(string) {})
	if p.runner.AfterRequest != nil {
		p.runner.AfterRequest()
	}
	return status, err
}

// Settings returns those of the cluster.
func (p *Player) Settings() (format.Settings, error) {
	s, _, err := p.controlPlane()
	return s, err
}

// controlPlane returns the settings of the cluster, and its newest revision.
func (p *Player) controlPlane() (format.Settings, int64, error) {
	w := httptest.NewRecorder()
	p.server.ServeHTTP(w, httptest.NewRequestWithContext(p.ctx, "GET", wellknown.ControlPlane, nil))
	var plane struct{ Status struct{ Revision int64 } }
	if err := json.Unmarshal(w.Body.Bytes(), &plane); err != nil {
		return nil, 0, err
	}
	s, err := format.ParseSettings(w.Body.String())
	return s, plane.Status.Revision, err
}

// Set changes settings by a merge patch of the ControlPlane; an empty one changes nothing.
func (p *Player) Set(patch string) error {
	if patch == "" {
		return nil
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(p.ctx, "PATCH", wellknown.ControlPlane, strings.NewReader(patch))
	r.Header.Set("Content-Type", "application/merge-patch+json")
	if p.server.ServeHTTP(w, r); w.Code != http.StatusOK {
		return fmt.Errorf("%s: %d %s", patch, w.Code, w.Body)
	}
	return nil
}

func (p *Player) report(ev tap.Event) {
	p.mu.Lock()
	ev.Time = time.Now()
	p.log.Add(ev)
	if p.onTap != nil {
		p.onTap(ev)
	}
	p.Session.Observe(ev, true)
	p.mu.Unlock()
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// Do implements session.Transport.
func (p *Player) Do(ctx context.Context, r format.Outgoing, from session.Origin, head func(int, []tap.Field),
	text func(string)) error {
	req := httptest.NewRequestWithContext(ctx, r.Method, r.Target, strings.NewReader(r.Body))
	req.Header.Set("User-Agent", "lesson")
	req.Header.Set(wellknown.ExplainHeader, "1")
	for _, f := range r.Header {
		req.Header.Set(f.Name, f.Value)
	}
	p.mu.Lock()
	p.lastID++
	w := &writer{p: p, id: p.lastID, header: http.Header{}, head: head, text: text}
	p.mu.Unlock()
	p.report(tap.Event{Type: tap.Request, ID: w.id, Method: r.Method, URL: r.Target, Header: r.Header, Body: r.Body,
		Origin: string(from)})
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
	p      *Player
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
	told := w.header.Get(wellknown.SourceHeader)
	w.header.Del(wellknown.SourceHeader) // as the page's fetch does
	for name, values := range w.header {
		for _, v := range values {
			fields = append(fields, tap.Field{Name: name, Value: v})
		}
	}
	w.p.report(tap.Event{Type: tap.Head, ID: w.id, Status: status, Header: fields, Source: tap.ParseSource(told)})
	w.head(status, fields)
}

func (w *writer) Write(b []byte) (int, error) {
	w.Flush()
	text := string(b)
	w.p.report(tap.Event{Type: tap.Chunk, ID: w.id, Text: text})
	w.text(text)
	return len(b), nil
}

// Flush sends the head, if that was not done yet.
func (w *writer) Flush() { w.WriteHeader(http.StatusOK) }

// Send runs a request as its Run button does. A watch continues in the background; Send
// returns when its answer has begun.
func (p *Player) Send(r *format.Request) (session.Report, error) { return p.runner.Send(p.ctx, r) }

// Passed returns how many steps are passed by now.
func (p *Player) Passed() int {
	p.Session.Recheck()
	return p.Session.Passed()
}

// errLate is the error of what does not happen.
var errLate = errors.New("it takes too long")

// wait calls done after each event until it reports true.
func (p *Player) wait(ctx context.Context, done func() bool) error {
	late := time.After(StepTimeout)
	for !done() {
		select {
		case <-p.news:
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			return errLate
		}
	}
	return nil
}

// Solve passes the step that comes next by its solution.
func (p *Player) Solve(step int) error { return p.runner.Solve(p.ctx, step) }
