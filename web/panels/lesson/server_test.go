//go:build !js

package lesson

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/tap"
)

// serve has the server answer, unless the request is to be refused.
func (v *visit) serve(w http.ResponseWriter, ctx context.Context, r app.Request) {
	v.sent = append(v.sent, strings.TrimSpace(r.Origin+" "+r.Method+" "+r.Path))
	if why, refused := v.refused[r.Method+" "+r.Path]; refused {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = fmt.Fprintf(w, `{"kind": "Status", "message": %q, "reason": %q}`, why, why)
		return
	}
	q := httptest.NewRequestWithContext(ctx, r.Method, r.Path, strings.NewReader(r.Body))
	for _, f := range r.Header {
		q.Header.Set(f.Name, f.Value)
	}
	v.server.ServeHTTP(w, q)
}

// tell reports a tap event, as the page does.
func (v *visit) tell(ev tap.Event) {
	ev.Time = time.Now()
	if e := v.requests.Add(ev); e != nil {
		app.Emit(v.bus, app.EntryChanged{Exchange: e, Event: ev})
	}
	app.Emit(v.bus, ev)
}

// console makes a request of the learner's own.
func (v *visit) console(method, path, body string) {
	v.t.Helper()
	q := app.Request{Method: method, Path: path, Body: body, Origin: "console",
		Header: app.ContentType("application/json")}
	if err := v.stream(context.Background(), q, nil, nil); err != nil {
		v.t.Error(err)
	}
	v.settle()
}

// stream makes a request that the tap sees. Of a watch, what comes is handed on in turns of settle.
func (v *visit) stream(ctx context.Context, r app.Request, head func(app.Response), body func(string)) error {
	v.turn.Lock()
	v.lastID++
	id := v.lastID
	v.tell(tap.Event{Type: tap.Request, ID: id, Method: r.Method, URL: r.Path, Header: r.Header, Body: r.Body,
		Origin: r.Origin})
	begin := func(status int, header http.Header) {
		var fields []tap.Field
		for name, values := range header {
			fields = append(fields, tap.Field{Name: name, Value: values[0]})
		}
		v.tell(tap.Event{Type: tap.Head, ID: id, Status: status, Header: fields})
		if head != nil {
			head(app.Response{Request: id, Status: status, Header: fields})
		}
	}
	hand := func(text string) bool {
		if text == "" {
			return false
		}
		v.tell(tap.Event{Type: tap.Chunk, ID: id, Text: text})
		if body != nil {
			body(text)
		}
		return true
	}
	if !strings.Contains(r.Path, "watch=1") {
		defer v.turn.Unlock()
		w := httptest.NewRecorder()
		v.serve(w, ctx, r)
		begin(w.Code, w.Header())
		hand(w.Body.String())
		v.tell(tap.Event{Type: tap.End, ID: id})
		return nil
	}
	p := &pipe{header: http.Header{}, began: make(chan int, 1)}
	over, turn := make(chan struct{}), make(chan chan bool)
	go func() {
		defer close(over)
		defer func() {
			if e := recover(); e != nil && e != http.ErrAbortHandler { // the client is gone
				panic(e)
			}
		}()
		v.serve(p, ctx, r)
		p.Flush()
	}()
	status := <-p.began
	begin(status, p.header)
	v.streams = append(v.streams, turn)
	v.turn.Unlock()
	defer func() { v.streams = slices.DeleteFunc(v.streams, func(c chan chan bool) bool { return c == turn }) }()
	for {
		done := <-turn
		select {
		case <-over:
		default:
			done <- hand(p.take())
			continue
		}
		hand(p.take())
		defer func() { done <- true }()
		if ctx.Err() != nil {
			v.tell(tap.Event{Type: tap.Fail, ID: id, Err: ctx.Err().Error(), Aborted: true})
			return ctx.Err()
		}
		v.tell(tap.Event{Type: tap.End, ID: id})
		return nil
	}
}

// A pipe keeps what is written until it is taken.
type pipe struct {
	header http.Header
	once   sync.Once
	began  chan int
	mu     sync.Mutex
	text   bytes.Buffer
}

func (p *pipe) Header() http.Header    { return p.header }
func (p *pipe) WriteHeader(status int) { p.once.Do(func() { p.began <- status }) }
func (p *pipe) Flush()                 { p.WriteHeader(http.StatusOK) }

func (p *pipe) Write(b []byte) (int, error) {
	p.Flush()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *pipe) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.text.Reset()
	return p.text.String()
}
