package kubetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
)

// errEnded is the error of requests after the server's end.
var errEnded = errors.New("kubetest: the server has ended with its test")

// enter counts a request as served until serving is done; false if the server has ended.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.serving.Add(1)
	}
	return !s.ended
}

// transport is a client's transport in process.
type transport struct{ client *Client }

// RoundTrip serves a request in its own goroutine, and returns the answer as soon as it begins.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	s := t.client.server
	if !s.enter() {
		return nil, errEnded
	}
	ctx, cancel := context.WithCancel(r.Context())
	if strings.Contains(r.URL.RawQuery, "watch=") {
		ctx = context.WithValue(ctx, originKey{}, origin())
	}
	in := r.Clone(ctx)
	in.RequestURI, in.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:0"
	in.Proto, in.ProtoMajor, in.ProtoMinor = "HTTP/2.0", 2, 0
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	t.client.identify(in.Header)
	w := &writer{header: http.Header{}, begun: make(chan struct{}), pipe: newPipe(r.Context(), cancel)}
	go func() {
		defer s.serving.Done()
		defer cancel()
		defer func() {
			if r.Body != nil {
				_ = r.Body.Close()
			}
			end := io.EOF
			if p := recover(); p != nil {
				if end = io.ErrUnexpectedEOF; p != http.ErrAbortHandler {
					s.t.Errorf("kubetest: %s %s: panic: %v\n%s", r.Method, r.URL, p, debug.Stack())
				}
			} else {
				w.WriteHeader(http.StatusOK)
			}
			w.pipe.end(end)
			w.abort()
		}()
		s.ServeHTTP(w, in)
	}()
	select {
	case <-w.begun:
	case <-r.Context().Done():
	}
	// Whichever came first: who has given up gets no answer, as over HTTP/2.
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if w.code == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{
		Status: fmt.Sprint(w.code, " ", http.StatusText(w.code)), StatusCode: w.code, Proto: "HTTP/2.0", ProtoMajor: 2,
		Header: w.sent, Body: w.pipe, ContentLength: -1, Request: r,
	}, nil
}

// writer is the server's side of an answer.
type writer struct {
	header, sent http.Header
	code         int
	begun        chan struct{}
	once         sync.Once
	pipe         *pipe
}

func (w *writer) Header() http.Header { return w.header }
func (w *writer) Flush()              { w.WriteHeader(http.StatusOK) }

func (w *writer) WriteHeader(code int) {
	w.once.Do(func() {
		w.code, w.sent = code, w.header.Clone()
		close(w.begun)
	})
}

// abort says that there is no answer, if none has begun.
func (w *writer) abort() { w.once.Do(func() { close(w.begun) }) }

func (w *writer) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.pipe.write(b)
}

// mostUnread is how many bytes of an answer wait for its reader before the server waits for it, too: as many as a
// connection's buffers may have.
const mostUnread = 256 << 10

// pipe is a body that is read while it is written. A read after the request's context has ended gives the context's
// error, whatever was written or has ended before.
type pipe struct {
	ctx    context.Context // of the client
	cancel context.CancelFunc

	mu      sync.Mutex
	unread  []byte
	ended   error         // why the server writes no more
	closed  bool          // the client reads no more
	changed chan struct{} // closed and replaced by whatever the other side may wait for
}

func newPipe(ctx context.Context, cancel context.CancelFunc) *pipe {
	return &pipe{ctx: ctx, cancel: cancel, changed: make(chan struct{})}
}

// change wakes the other side. Callers hold the lock.
func (p *pipe) change() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// wait waits for a change, or for the context's end. Callers hold the lock, which is given away meanwhile.
func (p *pipe) wait() {
	changed := p.changed
	p.mu.Unlock()
	select {
	case <-changed:
	case <-p.ctx.Done():
	}
	p.mu.Lock()
}

// gone returns why the client reads no more, or nil. Callers hold the lock.
func (p *pipe) gone() error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if p.closed {
		return http.ErrBodyReadAfterClose
	}
	return nil
}

func (p *pipe) write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if err := p.gone(); err != nil {
			return 0, err
		}
		if len(p.unread) <= mostUnread {
			break
		}
		p.wait()
	}
	p.unread = append(p.unread, b...)
	p.change()
	return len(b), nil
}

func (p *pipe) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = err
	p.change()
}

// Read returns what was written, or waits for more.
func (p *pipe) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if err := p.gone(); err != nil {
			return 0, err
		}
		if len(p.unread) > 0 {
			break
		}
		if p.ended != nil {
			return 0, p.ended
		}
		p.wait()
	}
	n := copy(b, p.unread)
	if p.unread = p.unread[n:]; len(p.unread) == 0 {
		p.unread = nil
	}
	p.change()
	return n, nil
}

// Close says that no more is read: the request ends.
func (p *pipe) Close() error {
	p.mu.Lock()
	p.closed = true
	p.change()
	p.mu.Unlock()
	p.cancel()
	return nil
}
