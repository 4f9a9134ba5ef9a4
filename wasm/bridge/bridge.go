//go:build js && wasm

// Package bridge lets JavaScript call an http.Handler. A Bridge makes the function
//
//	serve(id, head, body)
//
// which begins to answer a request, and the function control, which grants credit
// and cancels. The answer goes to five functions of the host: whole, head, chunk,
// end and fail. PROTOCOL.md, one directory up, has the whole of it, and
// ../host/bridge.js is its half in JavaScript. What can be said without JavaScript
// is in package reply.
//
// Each object or string that crosses costs some 4 µs, most of it for the finalizer
// that Go keeps for it. That is why requests are numbers here, and why what is
// short crosses as bytes in two buffers of the host, of which only lengths are
// said. Headers cross as one text.
//
// Every request has a goroutine to itself, and one more from its first Flush on.
// A few goroutines wait for further requests, with stacks that are as large as
// requests need: growing a new one is a tenth of a small request.
package bridge

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/wasm/bridge/reply"
	"github.com/tabernetes/tabernetes/wasm/jsvalue"
)

// A Bridge passes requests of a host to handlers, and their replies to the host.
type Bridge struct {
	// Shares says that the host gives no chunk away, so that equal ones in a row cross once. Set it before anything is
	// served.
	Shares bool

	requests, replies             js.Value // the buffers: Uint8Arrays
	whole, head, chunk, end, fail js.Value
	size                          int // of the buffer of replies, in bytes

	mu   sync.Mutex
	open map[int]*reply.Reply

	// sending is held until the host has taken what is written into its buffer: what calls JavaScript allocates, and other
	// goroutines run while Go collects garbage. The other buffer needs no lock: see Serve.
	sending sync.Mutex
	text    []byte // what is written into the buffer
	last    []byte // the chunk that crossed last, if Shares
}

// New returns the bridge to a host: what ../host/bridge.js says that Go finds.
func New(host js.Value) *Bridge {
	b := &Bridge{
		requests: host.Get("requests"), replies: host.Get("replies"),
		whole: host.Get("whole"), head: host.Get("head"), chunk: host.Get("chunk"), end: host.Get("end"),
		fail: host.Get("fail"),
		open: map[int]*reply.Reply{},
	}
	b.size = b.replies.Length()
	return b
}

// Serve returns the function serve for h. The contexts of requests are children of ctx. The caller may Release the
// function when no request is on its way.
//
// Go reads the buffer of requests before JavaScript can write the next one into it, or else gets that as a string.
func (b *Bridge) Serve(ctx context.Context, h http.Handler) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		b.serve(ctx, h, args[0].Int(), b.request(args[1], args[2]))
		return nil
	})
}

// Resume returns the function serve for h, of a GET by one who has shown a token before, whose hash is in the place of
// the method. It is for the host only, which keeps no tokens.
func (b *Bridge) Resume(ctx context.Context, h http.Handler) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		r := b.request(args[1], args[2])
		b.serve(auth.WithTokenHash(ctx, r.method), h, args[0].Int(), request{method: http.MethodGet, url: r.url})
		return nil
	})
}

// Control returns the function control(id, bytes): it grants a request credit for so many bytes more, or cancels it if
// that is negative. It does nothing to a request that has ended.
func (b *Bridge) Control() js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		b.mu.Lock()
		w := b.open[args[0].Int()]
		b.mu.Unlock()
		if n := args[1].Int(); w != nil && n >= 0 {
			w.Pull(n)
		} else if w != nil {
			w.Cancel(reply.ErrCanceled)
		}
		return nil
	})
}

// A request is what serve is called with.
type request struct {
	method, url, headers string
	content              []byte
	later                *body // instead of the content, if that is long
}

// request reads a request. The head is a string, or the length of one in the buffer; the body is an Uint8Array, or the
// length of what follows the head there.
func (b *Bridge) request(head, content js.Value) (r request) {
	var text string
	if head.Type() == js.TypeString {
		text = head.String()
	} else {
		n := head.Int()
		all := n
		if content.Type() == js.TypeNumber {
			all += content.Int()
		}
		p := make([]byte, all)
		js.CopyBytesToGo(p, b.requests)
		text, r.content = string(p[:n]), p[n:]
	}
	if content.Type() == js.TypeObject {
		r.content, r.later = bodyOf(content)
	}
	text, r.headers, _ = strings.Cut(text, "\n")
	r.method, r.url, _ = strings.Cut(text, " ")
	return r
}

// serve answers a request.
func (b *Bridge) serve(ctx context.Context, h http.Handler, id int, q request) {
	lastTurn = time.Now()
	w := reply.New(ctx, sink{b, id})
	r, err := reply.Request(w.Context(), q.method, q.url, q.headers, q.content)
	if err != nil {
		r, _ = reply.Request(w.Context(), q.method, "/", "", nil)
		h = reply.BadRequest(err)
	} else if q.later != nil {
		r.Body, r.ContentLength = q.later, int64(q.later.size)
	}
	b.mu.Lock()
	b.open[id] = w
	b.mu.Unlock()
	work(func() {
		defer b.forget(id)
		w.Serve(h, r)
	})
}

func (b *Bridge) forget(id int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, id)
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

// A sink passes the reply to a request to the host.
type sink struct {
	*Bridge
	id int
}

func (s sink) Whole(status int, h http.Header, body []byte) {
	s.sending.Lock()
	defer s.sending.Unlock()
	headers := s.headers(h)
	if len(s.text)+len(body) > s.size {
		s.write()
		s.whole.Invoke(s.id, status, headers, jsvalue.Of(body))
		return
	}
	s.text = append(s.text, body...)
	s.write()
	s.whole.Invoke(s.id, status, headers, len(body))
}

func (s sink) Head(status int, h http.Header) {
	s.sending.Lock()
	defer s.sending.Unlock()
	headers := s.headers(h)
	s.write()
	s.head.Invoke(s.id, status, headers)
}

func (s sink) Chunk(p []byte) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.Shares {
		if bytes.Equal(p, s.last) {
			s.chunk.Invoke(s.id, 0)
			return
		}
		s.last = append(s.last[:0], p...)
	}
	if len(p) > s.size {
		s.chunk.Invoke(s.id, jsvalue.Of(p))
		return
	}
	js.CopyBytesToJS(s.replies, p)
	s.chunk.Invoke(s.id, len(p))
}

func (s sink) End()           { s.end.Invoke(s.id) }
func (s sink) Fail(err error) { s.fail.Invoke(s.id, err.Error()) }

// headers begins a text with headers, and returns what the host gets: their length, or all that does not fit.
func (s sink) headers(h http.Header) any {
	s.text = reply.AppendBlock(s.text[:0], h)
	n := len(s.text)
	if n > s.size {
		all := string(s.text)
		s.text = s.text[:0]
		return all
	}
	return n
}

// write writes the text into the buffer.
func (s sink) write() { js.CopyBytesToJS(s.replies, s.text) }
