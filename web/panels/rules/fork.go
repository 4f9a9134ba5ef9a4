//go:build js && wasm

package rules

import (
	"strings"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A fork is a cluster of web/room/fork.js with the Secrets of the rows.
type fork struct {
	value   js.Value
	fixture *Fixture
}

// Ask implements Client.
func (f fork) Ask(r app.Request) (app.Response, error) {
	v, err := app.Await(f.value.Call("ask", r.Method, r.Path, tap.Get(r.Header, "Content-Type"), r.Body))
	if err != nil {
		return app.Response{}, err
	}
	res := app.Response{Status: v.Get("status").Int(), Body: app.Text(v.Get("body"))}
	for line := range strings.Lines(app.Text(v.Get("headers"))) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok {
			res.Header = append(res.Header, tap.Field{Name: name, Value: value})
		}
	}
	return res, nil
}

// forks are the two clusters that the rows are sent to, made of one snapshot when they are needed. Its methods block:
// call them in one goroutine, and close in any.
type forks struct {
	*app.App
	script   js.Value // fork.js, once it has loaded
	snapshot js.Value
	made     time.Time
	revision int64
	open     map[bool]*fork
	// round counts up when the forks are closed, so that one that is being made meanwhile
	// is not kept.
	round int
}

// of returns the fork whose cache is behind, or that whose cache keeps up.
func (f *forks) of(behind bool) (*fork, error) {
	if have := f.open[behind]; have != nil {
		return have, nil
	}
	round := f.round
	var err error
	if f.script.IsUndefined() {
		if f.script, err = f.Load("fork.js"); err != nil {
			return nil, err
		}
	}
	snapshot := f.snapshot
	if snapshot.IsUndefined() {
		if snapshot, err = app.Await(f.script.Call("takeSnapshot")); err != nil {
			return nil, err
		}
	}
	made := time.Now()
	value, err := app.Await(f.script.Call("makeFork", snapshot))
	if err != nil {
		return nil, err
	}
	next := &fork{value: value}
	if next.fixture, err = Prepare(next, behind); err != nil {
		value.Call("close")
		return nil, err
	}
	if f.round != round {
		value.Call("close")
		return nil, errClosed
	}
	if f.snapshot.IsUndefined() {
		f.snapshot, f.made, f.revision = snapshot, made, int64(value.Get("revision").Int())
	}
	f.open[behind] = next
	return next, nil
}

// drop ends a fork that no longer answers.
func (f *forks) drop(behind bool) {
	if have := f.open[behind]; have != nil {
		have.value.Call("close")
		delete(f.open, behind)
	}
}

// close ends the forks. The next ones are of the cluster as it is then.
func (f *forks) close() {
	f.round++
	f.drop(false)
	f.drop(true)
	f.snapshot = js.Undefined()
}
