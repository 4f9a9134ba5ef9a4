package websocket

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"time"

	coder "github.com/coder/websocket"
)

// A socket answers a request: by a WebSocket if the answer is a stream of JSON, otherwise as it is.
type socket struct {
	http.ResponseWriter
	request  *http.Request // which asks for the WebSocket
	protocol string        // the one of the client's that is taken; empty: none
	// gone is called when the client has left, which closes left.
	gone func()
	left <-chan struct{}

	begun bool
	conn  *coder.Conn // nil: it is no WebSocket
	out   *gatherer   // below conn
	// silence ends a client that does not give a sign of life.
	silence *time.Timer

	// turn has a value while somebody writes: the handler, or the reader, which answers textPings.
	turn chan struct{}
	// message is open between the parts of a line, and owed is whether a textPong is to follow it.
	message io.WriteCloser
	owed    bool
}

func (s *socket) WriteHeader(code int) {
	if s.begun {
		return
	}
	s.begun = true
	h := s.Header()
	if code != http.StatusOK || h.Get("Content-Length") != "" || h.Get("Content-Type") != "application/json" {
		s.ResponseWriter.WriteHeader(code)
		return
	}
	if err := s.open(); err != nil {
		s.gone()
		panic(http.ErrAbortHandler)
	}
}

// open takes the connection over and begins the WebSocket.
func (s *socket) open() error {
	clear(s.Header()) // it is that of the stream
	o := &coder.AcceptOptions{
		InsecureSkipVerify: true, // which pages may open one was decided before
		OnPingReceived: func(context.Context, []byte) bool {
			s.alive()
			return s.await(pongPatience) // or the client reads nothing: a pong would end it
		},
		OnPongReceived: func(context.Context, []byte) { s.alive() },
	}
	if s.protocol != "" {
		o.Subprotocols = []string{s.protocol}
	}
	t := &taker{ResponseWriter: s.ResponseWriter}
	conn, err := coder.Accept(t, s.request, o)
	if err != nil {
		return err
	}
	conn.SetReadLimit(-1) // nothing of it is kept
	s.conn, s.out = conn, t.taken
	s.silence = time.AfterFunc(patience, func() { _ = conn.CloseNow() }) // writers to it learn of it
	go s.listen()
	go s.ping()
	return nil
}

// alive is called when the client has given a sign of life.
func (s *socket) alive() { s.silence.Reset(patience) }

// Write sends each line as a message, of several frames if the line is written in parts.
func (s *socket) Write(b []byte) (int, error) {
	if !s.begun {
		s.WriteHeader(http.StatusOK)
	}
	if s.conn == nil {
		return s.ResponseWriter.Write(b)
	}
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.out.begin()
	var err error
	for line := range bytes.Lines(b) {
		if err = s.line(line); err != nil {
			break
		}
	}
	if err = cmp.Or(err, s.out.end()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// line sends a line, or a part of one, for the caller that has the turn.
func (s *socket) line(line []byte) (err error) {
	whole := line[len(line)-1] == '\n'
	if s.message == nil && whole {
		return s.send(line)
	}
	if s.message == nil {
		s.message, err = s.conn.Writer(context.Background(), coder.MessageText)
	}
	if err == nil {
		_, err = s.message.Write(line)
	}
	if err != nil || !whole {
		return err
	}
	err = s.message.Close()
	s.message = nil
	if err == nil && s.owed {
		s.owed = false
		err = s.send([]byte(textPong))
	}
	return err
}

// send sends a message, for the caller that has the turn.
func (s *socket) send(message []byte) error {
	return s.conn.Write(context.Background(), coder.MessageText, message)
}

// pongPatience is how long a pong waits for others who write: the library gives it 5 s, and ends the WebSocket then.
const pongPatience = 2 * time.Second

// await waits until nobody writes, and reports whether that is so in time.
func (s *socket) await(timeout time.Duration) bool {
	late := time.NewTimer(timeout)
	defer late.Stop()
	select {
	case s.turn <- struct{}{}:
		<-s.turn
		return true
	case <-late.C:
		return false
	}
}

// FlushError sends what was written. Of a WebSocket every message was sent; what a line has so far is sent at its end
// at the latest.
func (s *socket) FlushError() error {
	if s.conn == nil {
		return http.NewResponseController(s.ResponseWriter).Flush()
	}
	return nil
}

// Flush is for handlers that ask for it by interface.
func (s *socket) Flush() { _ = s.FlushError() } // whose failure the next write has too

// The messages by which a page, which cannot send pings, looks whether the connection is there.
const (
	textPing = "ping"
	textPong = "pong"
)

// listen reads what the client sends until it leaves: it answers textPings, and ignores other messages.
func (s *socket) listen() {
	defer s.gone()
	for s.next() == nil {
	}
	_ = s.conn.CloseNow() // what is being written to it fails
}

// next reads a message.
func (s *socket) next() error {
	kind, message, err := s.conn.Reader(context.Background())
	if err != nil {
		return err
	}
	s.alive()
	text, err := io.ReadAll(io.LimitReader(message, int64(len(textPing))+1))
	if err == nil {
		_, err = io.Copy(io.Discard, message)
	}
	if err == nil && kind == coder.MessageText && string(text) == textPing {
		err = s.pong()
	}
	return err
}

// pong answers a textPing, after the message that is being written.
func (s *socket) pong() error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.message != nil {
		s.owed = true
		return nil
	}
	return s.send([]byte(textPong))
}

// ping asks the client for a sign of life until it has left.
func (s *socket) ping() {
	ticker := time.NewTicker(pingInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-s.left:
			return
		}
		if !s.await(pingInterval) {
			continue // it has enough to read
		}
		ctx, cancel := context.WithTimeout(context.Background(), pingInterval)
		_ = s.conn.Ping(ctx) // one without an answer is no failure yet: see alive
		cancel()
	}
}

// close ends the WebSocket, if it became one.
func (s *socket) close() {
	if s.conn == nil {
		return
	}
	_ = s.conn.Close(coder.StatusNormalClosure, "") // a client that left is no concern of ours
	s.silence.Stop()
}
