//go:build js && wasm

// Package bridge lets JavaScript call an http.Handler: it exports one function,
//
//	serve(method, url, headers, body, sink)
//
// where headers is a block of "name: value" lines, body a Uint8Array or null, and
// sink the JavaScript object that takes the reply; and another one, resume, for a
// host that knows who makes a request. PROTOCOL.md, one directory up, has the
// whole of it. What can be said without JavaScript is in package reply.
//
// Each value that crosses costs some 4 µs, most of it for the finalizer that Go
// keeps for it: that is why headers cross as one string, and not one by one.
//
// Every request has a goroutine to itself, and one more from its first Flush on.
// A few goroutines wait for further requests, with stacks that are as large as
// requests need: growing a new one is a tenth of a small request. The functions
// set on a sink are released when the reply has ended.
package bridge

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/wasm/bridge/reply"
	"github.com/tabernetes/tabernetes/wasm/jsvalue"
)

// Func returns the serve function for h. Contexts of requests are children of
// ctx. The caller may Release the function when no request is on its way.
func Func(ctx context.Context, h http.Handler) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		serve(ctx, h, args[0].String(), args[1].String(), args[2].String(), args[3], args[4])
		return nil
	})
}

// Resume returns the resume function for h, resume(hash, url, sink): a GET by one who has shown the token of a hash
// before. It is for the host only, which keeps no tokens.
func Resume(ctx context.Context, h http.Handler) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		known := auth.WithTokenHash(ctx, args[0].String())
		serve(known, h, http.MethodGet, args[1].String(), "", js.Null(), args[2])
		return nil
	})
}

// serve answers a request into a sink.
func serve(ctx context.Context, h http.Handler, method, url, headers string, content, into js.Value) {
	lastTurn = time.Now()
	s := sink{into}
	w := reply.New(ctx, s)
	body, later := bodyOf(content)
	r, err := reply.Request(w.Context(), method, url, headers, body)
	if err != nil {
		r, _ = reply.Request(w.Context(), method, "/", "", nil)
		h = reply.BadRequest(err)
	} else if later != nil {
		r.Body, r.ContentLength = later, int64(later.size)
	}
	// One function serves as both, since making one is the most expensive part of a
	// small request: pull(n) has an argument, cancel() has none.
	control := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) == 0 {
			w.Cancel(reply.ErrCanceled)
		} else {
			w.Pull(args[0].Int())
		}
		return nil
	})
	s.v.Set("pull", control)
	s.v.Set("cancel", control)
	work(func() {
		defer control.Release()
		w.Serve(h, r)
	})
}

// maxIdleWorkers is how many goroutines wait for work at most.
const maxIdleWorkers = 8

var (
	jobs = make(chan func())
	idle atomic.Int32
)

// work runs a job in a waiting goroutine, or in a new one.
func work(job func()) {
	select {
	case jobs <- job:
	default:
		go worker(job)
	}
}

// worker runs a job, and then further jobs, unless too many workers are idle. A job that ends the goroutine ends only
// itself.
func worker(job func()) {
	for job != nil {
		job()
		job = nil
		if idle.Add(1) <= maxIdleWorkers {
			job = <-jobs
		}
		idle.Add(-1)
	}
}

// copyLimit is the size up to which a body is copied when its request comes. A larger one stays with JavaScript until
// it is read, so that requests that wait for their turn take no memory of Go's, which is never given back.
const copyLimit = 32 << 10

// bodyOf returns a request's body: its bytes, or a reader of them.
func bodyOf(v js.Value) ([]byte, *body) {
	if v.IsNull() || v.IsUndefined() {
		return nil, nil
	}
	size := v.Length()
	if size > copyLimit {
		return nil, &body{rest: v, size: size}
	}
	return jsvalue.Bytes(v), nil
}

// A body reads an Uint8Array.
type body struct {
	rest js.Value
	size int
	at   int
}

func (b *body) Read(p []byte) (int, error) {
	if b.at == b.size {
		return 0, io.EOF
	}
	n := js.CopyBytesToGo(p, b.rest.Call("subarray", b.at))
	b.at += n
	return n, nil
}

// Close releases the bytes.
func (b *body) Close() error {
	b.at, b.rest = b.size, js.Undefined()
	return nil
}

// Shares says that sinks leave bytes as they are, so that equal chunks in a row cross once, for all of their sinks. Set
// it before anything is served.
var Shares bool

// last is the chunk that has crossed last, if Shares.
var last struct {
	bytes []byte
	array js.Value
}

// shared returns an Uint8Array with these bytes, which may be that of other sinks.
func shared(p []byte) js.Value {
	if !Shares {
		return jsvalue.Of(p)
	}
	if last.array.IsUndefined() || !bytes.Equal(p, last.bytes) {
		last.bytes, last.array = append(last.bytes[:0], p...), jsvalue.Of(p)
	}
	return last.array
}

// A sink passes a reply to JavaScript.
type sink struct{ v js.Value }

func (s sink) Whole(status int, h http.Header, body []byte) {
	s.v.Call("whole", status, reply.Block(h), jsvalue.Of(body))
}

func (s sink) Head(status int, h http.Header) { s.v.Call("head", status, reply.Block(h)) }
func (s sink) Chunk(p []byte)                 { s.v.Call("chunk", shared(p)) }
func (s sink) End()                           { s.v.Call("end") }
func (s sink) Fail(err error)                 { s.v.Call("fail", err.Error()) }
