package front

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/lasting"
	"github.com/tabernetes/tabernetes/core/set"
)

// watches lets the watches of HTTP/1.1 continue after their handlers have returned, on a connection that is taken from
// net/http. There, one that waits costs 37 KB, of which 18 are the stacks of two goroutines and 10 buffers; here 8 KB.
//
// The connection is closed after the watch, as the head of the answer says. Watches over TLS, HTTP/2 and WebSockets
// stay where they are.
type watches struct {
	mu sync.Mutex
	// cancels end the watches that are open; ended is set once all are to end. A context of which all were children
	// would keep the memory of as many as there ever were.
	cancels set.Of[*context.CancelFunc]
	ended   bool
	open    sync.WaitGroup
	// left tells which clients have left.
	left hangups
}

func newWatches() *watches { return new(watches) }

// begin returns what ends a watch that cancel ends. The end of all ends it too.
func (l *watches) begin(cancel context.CancelFunc) context.CancelFunc {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		cancel()
		return cancel
	}
	l.cancels.Add(&cancel)
	return func() {
		cancel()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.cancels.Delete(&cancel)
	}
}

// end ends all watches, and those that begin later.
func (l *watches) end() {
	l.mu.Lock()
	l.ended = true
	open := l.cancels.Values
	l.cancels = set.Of[*context.CancelFunc]{}
	l.mu.Unlock()
	for cancel := range open {
		(*cancel)()
	}
}

// goOn returns a handler whose watches continue. A client may take as long as timeout to receive a piece; 0: any time.
func (l *watches) goOn(timeout time.Duration, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !mayGoOn(r) {
			h.ServeHTTP(w, r)
			return
		}
		// Of the request's context only that is kept which does not refer to the connection.
		ctx, cancel := context.WithCancel(context.WithValue(context.Background(), http.LocalAddrContextKey,
			r.Context().Value(http.LocalAddrContextKey)))
		cancel = l.begin(cancel)
		stop := context.AfterFunc(r.Context(), cancel)
		ctx, request := lasting.New(ctx)
		var conn net.Conn
		defer func() {
			stop()
			if conn != nil {
				return
			}
			cancel()
			if request.Continues() { // but its handlers, or the connection, failed
				_ = request.Run(io.Discard) // which ends it at once
			}
		}()
		h.ServeHTTP(closing{w}, r.WithContext(ctx))
		if !request.Continues() {
			return
		}
		taken, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		conn = taken
		if first, ok := conn.(interface{ NetConn() net.Conn }); ok { // those that were read first
			conn = first.NetConn()
		}
		l.open.Go(func() { l.run(conn, timeout, request, cancel) })
	})
}

// mayGoOn reports whether a request may be for a watch, over a connection that can be taken.
func mayGoOn(r *http.Request) bool {
	return r.Method == http.MethodGet && r.ProtoMajor == 1 && r.ProtoMinor == 1 && r.TLS == nil &&
		r.Header.Get("Upgrade") == "" && r.ContentLength == 0 && r.URL.Query().Has("watch")
}

// run writes the rest of a watch.
func (l *watches) run(conn net.Conn, timeout time.Duration, request *lasting.Request, cancel context.CancelFunc) {
	defer func() { _ = conn.Close() }() // what was to be sent was sent
	defer cancel()
	defer l.left.notice(conn, cancel)()
	w := &chunks{conn, timeout}
	if request.Run(w) == nil {
		_ = w.end() // a client that left is no concern of ours
	}
}

// wait waits, after their end was asked for, until no watch is open, or until ctx ends.
func (l *watches) wait(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		l.open.Wait()
		l.left.close()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// A closing writer says of streams, which have no length, that the connection is closed after them.
type closing struct{ http.ResponseWriter }

func (w closing) WriteHeader(code int) {
	if w.Header().Get("Content-Length") == "" && code == http.StatusOK {
		w.Header().Set("Connection", "close")
	}
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap is for http.ResponseController.
func (w closing) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush is for handlers that ask for it by interface.
func (w closing) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() } // which every server's writer can

// chunks writes the body of an answer in the chunks of HTTP/1.1.
type chunks struct {
	net.Conn
	timeout time.Duration
}

var lineEnd = []byte("\r\n")

// Write sends chunks of at most writePiece.
func (w *chunks) Write(b []byte) (int, error) {
	if len(b) == 0 { // which would be the end
		return 0, nil
	}
	return inPieces(b, func(piece []byte) (int, error) {
		head := strconv.AppendInt(make([]byte, 0, 16), int64(len(piece)), 16)
		if err := w.send(append(head, lineEnd...), piece, lineEnd); err != nil {
			return 0, err
		}
		return len(piece), nil
	})
}

// end sends the chunk that is the last one.
func (w *chunks) end() error { return w.send([]byte("0\r\n\r\n")) }

// send writes parts within the timeout.
func (w *chunks) send(parts ...[]byte) error {
	if w.timeout > 0 {
		if err := w.SetWriteDeadline(time.Now().Add(w.timeout)); err != nil {
			return err
		}
	}
	_, err := (*net.Buffers)(&parts).WriteTo(w.Conn)
	return err
}

// read calls gone once a client has left, which reading from its connection tells. What it sends is dropped: there is
// nothing that it could ask for. It ends when the connection is closed.
func read(c net.Conn, gone context.CancelFunc) (stop func()) {
	go func() {
		defer gone()
		var some [64]byte
		for {
			if _, err := c.Read(some[:]); err != nil {
				return
			}
		}
	}()
	return func() {}
}
