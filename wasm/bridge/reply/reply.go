// Package reply is the half of the bridge that knows nothing of JavaScript: it
// lets an http.Handler answer into a Sink, which takes a reply either as one
// whole or as a head, chunks and an end.
//
// Invariants:
//   - A Sink sees exactly one of: Whole; Head, any number of Chunks, End; or, at
//     any point before its end, Fail. Nothing follows Whole, End or Fail.
//   - A reply that is never flushed and stays below wholeLimit is one Whole; so
//     is a short one whose handler returns before its flush was carried out.
//   - A chunk is never empty, and is sent only while there is credit; the last
//     chunk of a credit may overdraw it.
//   - Nothing ends well on a cancelled context: that end is Fail.
//
// Flush is lazy: it wakes a goroutine, which runs once the handler blocks. A
// handler that writes and flushes ten thousand small events in a row costs a
// few hundred chunks, and the first still leaves as soon as the handler waits.
package reply

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	// Window is the credit in bytes that every reply begins with.
	Window = wellknown.Window
	// coalesce is how much a streamed reply gathers before it is written at once.
	coalesce = 32 << 10
	// maxChunk bounds one chunk, and so how far a credit can be overdrawn.
	maxChunk = wellknown.MaxChunk
	// wholeLimit is how much a reply that is not flushed may gather before it is
	// streamed after all, so that a huge list is not held twice.
	wholeLimit = 1 << 20
)

// ErrCanceled is the cause of a reply whose client no longer wants it.
var ErrCanceled = errors.New("the client cancelled the request")

// ErrFinished is the error of a Write after its handler has returned.
var ErrFinished = errors.New("reply: write after the handler returned")

// A Sink takes one reply. Its methods are called by one goroutine at a time and
// must neither block nor call Pull or Cancel before they return. The bytes
// given to Whole and Chunk are valid during the call only.
type Sink interface {
	Whole(status int, header http.Header, body []byte)
	Head(status int, header http.Header)
	Chunk(p []byte)
	End()
	Fail(err error)
}

// A Reply is the http.ResponseWriter of one request.
type Reply struct {
	sink   Sink
	ctx    context.Context
	cancel context.CancelCauseFunc
	credit atomic.Int64
	wake   chan struct{} // has a token when credit may have arrived
	header http.Header

	mu       lock // held while sending, waits for credit included
	bodyless bool // a reply to HEAD
	status   int  // 0 until WriteHeader
	sent     http.Header
	declared int64 // Content-Length as the handler gave it, -1 without
	written  int64
	buf      []byte
	flushed  bool // Flush has been called
	streamed bool // Head has been sent
	finished bool

	flusher sync.Once
	flush   chan struct{}
}

var (
	_ http.ResponseWriter = (*Reply)(nil)
	_ http.Flusher        = (*Reply)(nil)
)

// New returns a reply into sink whose request context is a child of parent.
func New(parent context.Context, sink Sink) *Reply {
	w := &Reply{
		sink:     sink,
		mu:       make(lock, 1),
		wake:     make(chan struct{}, 1),
		flush:    make(chan struct{}, 1),
		header:   http.Header{},
		declared: -1,
	}
	w.ctx, w.cancel = context.WithCancelCause(parent)
	w.credit.Store(Window)
	return w
}

// Context returns the context the request must be served with: it ends when the
// client cancels, and when the reply is finished.
func (w *Reply) Context() context.Context { return w.ctx }

// Pull adds credit for n more bytes.
func (w *Reply) Pull(n int) {
	if n <= 0 {
		return
	}
	w.credit.Add(int64(n))
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Cancel ends the request's context with cause. The reply then ends with Fail,
// once the handler has returned.
func (w *Reply) Cancel(cause error) { w.cancel(cause) }

// Serve lets h answer r, whose context must be that of w, and returns when the
// reply is finished. A panic of h becomes a Fail.
func (w *Reply) Serve(h http.Handler, r *http.Request) {
	w.bodyless = r.Method == http.MethodHead
	returned := false
	defer func() {
		var err error
		if p := recover(); p != nil {
			err = failure(p, r)
		} else if !returned { // runtime.Goexit
			err = http.ErrAbortHandler
		}
		w.finish(err)
	}()
	h.ServeHTTP(w, r)
	returned = true
}

// failure turns a panic into an error, and reports unexpected ones.
func failure(p any, r *http.Request) error {
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return err
	}
	log.Printf("panic while answering %s %s: %v\n%s", r.Method, r.URL, p, debug.Stack())
	return fmt.Errorf("the server panicked: %v", p)
}

// Header returns the header that the first Write, WriteHeader or Flush sends.
func (w *Reply) Header() http.Header { return w.header }

// WriteHeader sets status and header. Informational statuses are not passed on.
func (w *Reply) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(status)
}

func (w *Reply) writeHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("reply: invalid status %d", status))
	}
	if status < 200 || w.status != 0 || w.finished {
		return
	}
	w.status, w.sent = status, w.header.Clone()
	if s := w.sent.Get("Content-Length"); s != "" {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 {
			w.declared = n
		} else {
			w.sent.Del("Content-Length")
		}
	}
}

// Write adds to the body. In a stream it blocks while there is no credit.
func (w *Reply) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.finished {
		return 0, ErrFinished
	}
	if w.status == 0 {
		w.writeHeader(http.StatusOK)
	}
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	if !bodyAllowed(w.status) {
		return 0, http.ErrBodyNotAllowed
	}
	if w.declared >= 0 && w.written+int64(len(p)) > w.declared {
		return 0, http.ErrContentLength
	}
	w.sniff(p)
	w.written += int64(len(p))
	if w.bodyless {
		return len(p), nil
	}
	limit := wholeLimit
	if w.flushed || w.streamed {
		limit = coalesce
	}
	if len(w.buf)+len(p) <= limit {
		w.buf = append(w.buf, p...)
		return len(p), nil
	}
	if err := w.drain(); err != nil {
		return 0, err
	}
	if w.streamed && len(p) < coalesce {
		w.buf = append(w.buf, p...)
		return len(p), nil
	}
	w.sendHead()
	return w.send(p)
}

// sniff sets the content type of a body whose handler did not, as net/http does.
func (w *Reply) sniff(p []byte) {
	if _, given := w.sent["Content-Type"]; w.written > 0 || given || len(p) == 0 || w.streamed {
		return
	}
	w.sent.Set("Content-Type", http.DetectContentType(p))
}

// Flush makes sure that what has been written leaves soon, with the head before it
// even when nothing has been written.
func (w *Reply) Flush() {
	w.mu.Lock()
	if w.finished {
		w.mu.Unlock()
		return
	}
	if w.status == 0 {
		w.writeHeader(http.StatusOK)
	}
	w.flushed = true
	w.mu.Unlock()
	select {
	case w.flush <- struct{}{}:
	default:
	}
	w.flusher.Do(func() { go w.flushes() })
}

func (w *Reply) flushes() {
	for {
		select {
		case <-w.ctx.Done(): // finish ends the context
			return
		case <-w.flush:
		}
		w.mu.Lock()
		if !w.finished && w.ctx.Err() == nil {
			w.sendHead()
			_ = w.drain() // an error is the context's: the handler learns of it there
		}
		w.mu.Unlock()
	}
}

// sendHead begins a stream unless it has begun.
func (w *Reply) sendHead() {
	if !w.streamed {
		w.streamed = true
		w.sink.Head(w.status, w.sent)
	}
}

// drain sends what is buffered.
func (w *Reply) drain() error {
	if len(w.buf) == 0 {
		return nil
	}
	w.sendHead()
	n, err := w.send(w.buf)
	w.buf = w.buf[:copy(w.buf, w.buf[n:])]
	return err
}

// send sends p in chunks as credit allows, and returns how much of it was sent.
func (w *Reply) send(p []byte) (n int, err error) {
	for n < len(p) {
		for w.credit.Load() <= 0 {
			select {
			case <-w.wake:
			case <-w.ctx.Done():
			}
			if err := context.Cause(w.ctx); err != nil {
				return n, err
			}
		}
		piece := p[n:min(len(p), n+maxChunk)]
		w.sink.Chunk(piece)
		w.credit.Add(-int64(len(piece)))
		n += len(piece)
	}
	return n, nil
}

// finish ends the reply: well when err is nil and the client still wants it.
func (w *Reply) finish(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status == 0 {
		w.writeHeader(http.StatusOK)
	}
	if err == nil {
		err = context.Cause(w.ctx)
	}
	if err == nil && w.declared > w.written && !w.bodyless && bodyAllowed(w.status) {
		err = fmt.Errorf("the server declared %d bytes and wrote %d", w.declared, w.written)
	}
	if err == nil && w.streamed {
		err = w.drain()
	}
	switch {
	case err != nil:
		w.sink.Fail(err)
	case w.streamed:
		w.sink.End()
	default:
		if w.declared < 0 && bodyAllowed(w.status) {
			w.sent.Set("Content-Length", strconv.FormatInt(w.written, 10))
		}
		w.sink.Whole(w.status, w.sent, w.buf)
	}
	w.finished, w.buf = true, nil
	w.cancel(ErrFinished)
}

// bodyAllowed reports whether a reply of this status can have a body.
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified &&
		status != http.StatusResetContent
}

// A lock is a mutex that is held while waiting for something else: as a channel it lets synctest see that everybody
// waits.
type lock chan struct{}

func (l lock) Lock()   { l <- struct{}{} }
func (l lock) Unlock() { <-l }
