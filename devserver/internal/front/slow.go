package front

import (
	"bufio"
	"net"
	"net/http"
	"time"
)

// writeTimeout is how long a client of a room may take to receive a piece of an answer or an event.
const writeTimeout = time.Minute

// writePiece is the length of a piece, in bytes.
const writePiece = 64 << 10

// limitWriteTime ends the requests whose clients do not receive their answers: otherwise each would keep
// its goroutine, its buffers and its seat for as long as the client likes.
func limitWriteTime(timeout time.Duration, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		timed := &timedWriter{w, http.NewResponseController(w), timeout}
		defer timed.extend() // for what is still in a buffer
		h.ServeHTTP(timed, r)
	})
}

// A timedWriter sets a deadline for each piece that is written.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

// extend sets the deadline.
func (w *timedWriter) extend() {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.timeout)) // a test's ResponseWriter has no connection
}

func (w *timedWriter) Write(b []byte) (int, error) {
	return inPieces(b, func(piece []byte) (int, error) {
		w.extend()
		return w.ResponseWriter.Write(piece)
	})
}

// inPieces writes the pieces of b; nothing is a piece too.
func inPieces(b []byte, write func([]byte) (int, error)) (n int, err error) {
	for first := true; err == nil && (first || n < len(b)); first = false {
		var more int
		more, err = write(b[n:min(len(b), n+writePiece)])
		n += more
	}
	return n, err
}

// FlushError sends what was written.
func (w *timedWriter) FlushError() error {
	w.extend()
	return w.control.Flush()
}

// Flush is for handlers that ask for it by interface.
func (w *timedWriter) Flush() { _ = w.FlushError() } // whose failure the next write has too

// Hijack hands over a connection, as to a WebSocket, whose writes have deadlines too.
func (w *timedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.extend() // for the head, which is sent now
	conn, buffered, err := w.control.Hijack()
	if err != nil {
		return nil, nil, err
	}
	timed := &timedConn{conn, w.timeout}
	return timed, bufio.NewReadWriter(buffered.Reader, bufio.NewWriter(timed)), nil
}

// A timedConn sets a deadline for each piece that is written.
type timedConn struct {
	net.Conn
	timeout time.Duration
}

func (c *timedConn) Write(b []byte) (int, error) {
	return inPieces(b, func(piece []byte) (int, error) {
		if err := c.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
			return 0, err
		}
		return c.Conn.Write(piece)
	})
}

// Unwrap is for http.ResponseController.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// withoutWriteTime removes the deadline that an earlier request of the same connection may have left.
func withoutWriteTime(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // see extend
}
