package edge_test

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A socket is the client's end of a WebSocket with lines.
type socket struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	// lazy: it does not say how much it has taken.
	lazy bool
}

// The kinds of frames, of messages that are one frame.
const (
	text  = 0x81
	close = 0x88
)

// dial asks for a WebSocket, and returns the answer as well.
func dial(t *testing.T, url, token string) (*socket, *http.Response) {
	t.Helper()
	host, path, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /%s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"+
		"Sec-WebSocket-Protocol: tabernetes.dev, base64url.bearer.authorization.k8s.io.%s\r\n\r\n",
		path, host, base64.RawURLEncoding.EncodeToString([]byte(token)))
	s := &socket{t: t, conn: conn, in: bufio.NewReader(conn)}
	res, err := http.ReadResponse(s.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, res
}

// stream opens a WebSocket that has to open.
func stream(t *testing.T, url, token string) *socket {
	t.Helper()
	s, res := dial(t, url, token)
	if res.StatusCode != http.StatusSwitchingProtocols || res.Header.Get("Sec-Websocket-Protocol") != "tabernetes.dev" {
		body, _ := io.ReadAll(res.Body)
		t.Fatalf("%s %v %s", res.Status, res.Header, body)
	}
	return s
}

// send sends a short message. The mask is zero.
func (s *socket) send(message string) {
	s.t.Helper()
	if _, err := s.conn.Write(append([]byte{text, 0x80 | byte(len(message)), 0, 0, 0, 0}, message...)); err != nil {
		s.t.Fatal(err)
	}
}

// next returns the next message, or how the socket was closed.
func (s *socket) next() string {
	s.t.Helper()
	head := make([]byte, 2)
	if _, err := io.ReadFull(s.in, head); err != nil {
		s.t.Fatal(err)
	}
	size := uint64(head[1])
	if wide := map[uint64]int{126: 2, 127: 8}[size]; wide > 0 {
		long := make([]byte, 8)
		if _, err := io.ReadFull(s.in, long[8-wide:]); err != nil {
			s.t.Fatal(err)
		}
		size = binary.BigEndian.Uint64(long)
	}
	payload := make([]byte, size)
	if _, err := io.ReadFull(s.in, payload); err != nil {
		s.t.Fatal(err)
	}
	if head[0] == close && size >= 2 {
		return fmt.Sprintf("closed %d %s", binary.BigEndian.Uint16(payload), payload[2:])
	}
	if head[0] == text && !s.lazy && string(payload) != "pong" {
		s.send(fmt.Sprint(size))
	}
	return string(payload)
}

// until returns the first message with a text, and what came before.
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
