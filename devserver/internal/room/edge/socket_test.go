package edge_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// A socket is the client's end of a WebSocket with lines.
type socket struct {
	t    *testing.T
	ctx  context.Context
	conn *websocket.Conn
	tcp  net.Conn // below it
	// lazy: it does not say how much it has taken.
	lazy bool
	// lines are those of the last message that next has not returned yet.
	lines []string
}

// dial asks for a WebSocket, and returns the answer as well.
func dial(t *testing.T, url, token string) (*socket, *http.Response) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	s := &socket{t: t, ctx: ctx}
	connect := func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		conn, err = new(net.Dialer).DialContext(ctx, network, address)
		s.tcp = conn
		return conn, err
	}
	conn, res, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: &http.Transport{DialContext: connect, DisableKeepAlives: true}},
		Subprotocols: []string{
			"tabernetes.dev", wellknown.BearerProtocol + base64.RawURLEncoding.EncodeToString([]byte(token)),
		},
	})
	if res == nil {
		t.Fatal(err)
	}
	if s.conn = conn; conn != nil {
		conn.SetReadLimit(-1)
		t.Cleanup(func() { _ = conn.CloseNow() })
	}
	return s, res
}

// stream opens a WebSocket that has to open.
func stream(t *testing.T, url, token string) *socket {
	t.Helper()
	s, res := dial(t, url, token)
	if s.conn == nil || s.conn.Subprotocol() != "tabernetes.dev" {
		body := []byte(nil)
		if res.Body != nil {
			body, _ = io.ReadAll(res.Body)
		}
		t.Fatalf("%s %v %s", res.Status, res.Header, body)
	}
	return s
}

// send sends a message.
func (s *socket) send(message string) {
	s.t.Helper()
	if err := s.conn.Write(s.ctx, websocket.MessageText, []byte(message)); err != nil {
		s.t.Fatal(err)
	}
}

// next returns the next line, or how the socket was closed.
func (s *socket) next() string {
	s.t.Helper()
	if len(s.lines) == 0 {
		s.lines = s.receive()
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	return line
}

// receive returns the lines of the next message, or how the socket was closed.
func (s *socket) receive() []string {
	s.t.Helper()
	kind, payload, err := s.conn.Read(s.ctx)
	if closed := (websocket.CloseError{}); errors.As(err, &closed) {
		return []string{fmt.Sprintf("closed %d %s", closed.Code, closed.Reason)}
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if kind == websocket.MessageText && !s.lazy && string(payload) != "pong" {
		s.send(fmt.Sprint(len(payload)))
	}
	return slices.Collect(strings.Lines(string(payload)))
}

// until returns the first line with a text, and what came before.
func (s *socket) until(text string) (line string, before []string) {
	s.t.Helper()
	for {
		line := s.next()
		if strings.Contains(line, text) {
			return line, before
		}
		if strings.HasPrefix(line, "closed") {
			s.t.Fatalf("%s, and no %q after %q", line, text, before)
		}
		before = append(before, line)
	}
}
