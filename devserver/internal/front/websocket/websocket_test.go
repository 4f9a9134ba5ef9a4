package websocket

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coder "github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
)

func newTestCluster(t *testing.T, o cluster.Options) *core.Cluster {
	t.Helper()
	c, err := cluster.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // in memory
	return c
}

// The kinds of frames.
const (
	frameMore  = 0x0 // of the same message as the frame before
	frameText  = 0x1
	frameClose = 0x8
	framePing  = 0x9
	framePong  = 0xA
	frameFinal = 0x80 // the flag of a frame that is a whole message
)

// dialSocket asks for a WebSocket, without the library that the server uses, and returns the answer with the open
// connection.
func dialSocket(t *testing.T, server *httptest.Server, path, header string) (*http.Response, net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	res, r := askSocket(t, conn, path, header)
	return res, conn, r
}

// askSocket asks for a WebSocket on a connection.
func askSocket(t *testing.T, conn net.Conn, path, header string) (*http.Response, *bufio.Reader) {
	t.Helper()
	t.Cleanup(func() { conn.Close() })
	// The key and its answer are those of RFC 6455.
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n", path, header)
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res, r
}

// readMessage reads a server's frame.
func readMessage(t *testing.T, r *bufio.Reader) (kind byte, payload string) {
	t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(r, head[:2]); err != nil {
		t.Fatal(err)
	}
	n := int(head[1])
	if n == 126 {
		if _, err := io.ReadFull(r, head[2:]); err != nil {
			t.Fatal(err)
		}
		n = int(head[2])<<8 | int(head[3])
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		t.Fatal(err)
	}
	return head[0], string(b)
}

func TestWatchBySocket(t *testing.T) {
	server := httptest.NewServer(Handler(newTestCluster(t, cluster.Options{})))
	defer server.Close()
	res, conn, r := dialSocket(t, server, "/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3Ddefault", "")
	if res.StatusCode != http.StatusSwitchingProtocols ||
		res.Header.Get("Sec-Websocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		t.Fatal(res)
	}
	kind, event := readMessage(t, r)
	if kind != frameFinal|frameText || !strings.HasPrefix(event, `{"type":"ADDED","object":{"kind":"Namespace"`) ||
		!strings.HasSuffix(event, "}\n") {
		t.Errorf("%x %s", kind, event)
	}
	// A message, which nobody reads, and a ping.
	if _, err := conn.Write([]byte("\x81\x82\x01\x02\x03\x04xx" + "\x89\x82\x01\x02\x03\x04\x69\x6b")); err != nil {
		t.Fatal(err)
	}
	if kind, payload := readMessage(t, r); kind != frameFinal|framePong || payload != "hi" {
		t.Errorf("%x %q", kind, payload)
	}
	if _, err := conn.Write([]byte("\x81\x84\x00\x00\x00\x00ping")); err != nil {
		t.Fatal(err)
	}
	if kind, payload := readMessage(t, r); kind != frameFinal|frameText || payload != "pong" {
		t.Errorf("%x %q", kind, payload)
	}
	if _, err := conn.Write([]byte("\x88\x80\x00\x00\x00\x00")); err != nil {
		t.Fatal(err)
	}
	if kind, _ := readMessage(t, r); kind != frameFinal|frameClose {
		t.Errorf("%x", kind)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Error(err)
	}
}

// A listener takes connections that are made in memory.
type listener chan net.Conn

func (l listener) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l listener) Close() error { return nil } // the test closes it

func (l listener) Addr() net.Addr { return &net.TCPAddr{} }

// TestSocketPings ends the watch of a client that does not answer pings, but not of one that does, or says something
// else.
func TestSocketPings(t *testing.T) {
	for name, sign := range map[string]byte{"pongs": framePong, "pings": framePing, "messages": frameText} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testSocketPings(t, sign) })
		})
	}
}

// serveInMemory serves a handler on a connection in memory, on which a WebSocket is opened: its time may be a bubble's.
func serveInMemory(t *testing.T, h http.Handler) (net.Conn, *bufio.Reader) {
	t.Helper()
	server := http.Server{Handler: Handler(h)}
	l := make(listener)
	served := make(chan error)
	go func() { served <- server.Serve(l) }()
	conn, other := net.Pipe()
	l <- other
	t.Cleanup(func() { close(l); <-served })
	_, r := askSocket(t, conn, "/api/v1/pods?watch=1", "")
	return conn, r
}

// say sends a frame, whose mask is zeros.
func say(t *testing.T, conn net.Conn, kind byte, payload string) {
	t.Helper()
	if _, err := fmt.Fprintf(conn, "%s%s", []byte{kind, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload); err != nil {
		t.Fatal(err)
	}
}

func testSocketPings(t *testing.T, sign byte) {
	ended := make(chan time.Time, 1)
	conn, r := serveInMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		<-r.Context().Done()
		ended <- time.Now()
	}))
	last := time.Now()
	for range 4 { // longer than a silent client stays
		kind, payload := readMessage(t, r)
		if since := time.Since(last); kind != frameFinal|framePing || since != pingInterval {
			t.Fatalf("%x %q after %v", kind, payload, since)
		}
		last = time.Now()
		say(t, conn, frameFinal|sign, payload) // which a pong repeats
		if sign == framePing {
			if kind, text := readMessage(t, r); kind != frameFinal|framePong || text != payload {
				t.Errorf("%x %q", kind, text)
			}
		}
	}
	select {
	case <-ended:
		t.Error("a client that answers was given up")
	default:
	}
	if _, err := io.Copy(io.Discard, r); err != nil { // now it is silent
		t.Error(err)
	}
	if stayed := (<-ended).Sub(last); stayed != patience {
		t.Errorf("a silent client was given up after %v", stayed)
	}
}

// TestSocketUnread has a client that reads nothing for a while, but pings: it is waited for, and continues then.
func TestSocketUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, r := serveInMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for _, line := range []string{strings.Repeat("x", 100) + "\n", "two\n"} {
				if _, err := io.WriteString(w, line); err != nil {
					t.Error(err)
				}
			}
			<-r.Context().Done()
		}))
		synctest.Wait() // until the handler waits for the client
		for range 4 {
			say(t, conn, frameFinal|framePing, "p")
			time.Sleep(pingInterval) // of the bubble
		}
		next := func() (kind byte, text string) { // but for the server's pings
			for kind = frameFinal | framePing; kind == frameFinal|framePing; {
				kind, text = readMessage(t, r)
			}
			return kind, text
		}
		for _, want := range []string{strings.Repeat("x", 100) + "\n", "two\n"} {
			if kind, text := next(); kind != frameFinal|frameText || text != want {
				t.Errorf("%x %q, want %q", kind, text, want)
			}
		}
		say(t, conn, frameFinal|framePing, "q")
		if kind, text := next(); kind != frameFinal|framePong || text != "q" {
			t.Errorf("%x %q", kind, text)
		}
	})
}

// TestSocketIgnores sends what nobody asked for, in any length.
func TestSocketIgnores(t *testing.T) {
	server := httptest.NewServer(Handler(newTestCluster(t, cluster.Options{})))
	defer server.Close()
	conn, _, err := coder.Dial(t.Context(), server.URL+"/api/v1/pods?watch=1&resourceVersion=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	for _, message := range []string{strings.Repeat("x", 1<<20), "", "pingpong", textPing} {
		if err := conn.Write(t.Context(), coder.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	if _, message, err := conn.Read(t.Context()); string(message) != textPong || err != nil {
		t.Errorf("%q %v", message, err)
	}
}

func TestAsksForSocket(t *testing.T) {
	for header, want := range map[string]bool{
		"":                                    true,
		"Connection: keep-alive, Upgrade":     true,
		"Connection: close":                   false,
		"Connection: notupgrade":              false,
		"Upgrade: WebSocket":                  true,
		"Upgrade: h2c":                        false,
		"Sec-Websocket-Version: 8":            false,
		"Sec-Websocket-Key: ":                 false,
		"Sec-Websocket-Key: dGhlIHNhbXBsZSBu": false, // which the library refuses
	} {
		r := httptest.NewRequest("GET", "/api/v1/pods?watch=1", nil)
		name, value, _ := strings.Cut(header, ": ")
		for n, v := range map[string]string{
			"Connection": "Upgrade", "Upgrade": "websocket", "Sec-Websocket-Version": "13",
			"Sec-Websocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
		} {
			r.Header.Set(n, v)
		}
		if header != "" {
			r.Header.Set(name, value)
		}
		if got := asksForSocket(r); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

// TestSocketEnds closes a watch that has timed out.
func TestSocketEnds(t *testing.T) {
	server := httptest.NewServer(Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, strings.Repeat("x", 200)+"\nhalf ")
		_, _ = io.WriteString(w, "an event\n")
	})))
	defer server.Close()
	conn, _, err := coder.Dial(t.Context(), server.URL+"/api/v1/pods?watch=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{strings.Repeat("x", 200) + "\n", "half an event\n"} {
		kind, message, err := conn.Read(t.Context())
		if kind != coder.MessageText || string(message) != want || err != nil {
			t.Errorf("%v %q %v, want %q", kind, message, err, want)
		}
	}
	if _, _, err := conn.Read(t.Context()); coder.CloseStatus(err) != coder.StatusNormalClosure {
		t.Error(err)
	}
}

func TestNoSocket(t *testing.T) {
	api := newTestCluster(t, cluster.Options{
		Authorization: "RBAC", WithoutCredentials: "Anonymous",
		Tokens: []core.Token{{Token: "secret", User: "root", Groups: []string{"system:masters"}}},
	})
	server := httptest.NewServer(Handler(api))
	defer server.Close()
	token := "Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io." +
		base64.RawURLEncoding.EncodeToString([]byte("secret")) + ", base64.binary.k8s.io\r\n"
	for _, c := range []struct {
		path, header string
		code         int
		body         string
	}{
		{"/api/v1/pods?watch=1", "", 403, `User \"system:anonymous\" cannot watch`},
		{"/api/v1/pods?watch=1&resourceVersion=x", token, 500, "invalid"},
		{"/api/v1/pods", token, 200, "PodList"},
		{"/api/v1/namespaces/default/pods/p/exec", token, 404, `pods \"p\" not found`},
		{"/api/v1/pods?watch=1", token, 101, ""},
	} {
		res, _, _ := dialSocket(t, server, c.path, c.header)
		if c.code == 101 {
			if res.StatusCode != 101 || res.Header.Get("Sec-Websocket-Protocol") != "base64.binary.k8s.io" {
				t.Errorf("%v", res)
			}
			continue
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != c.code || !strings.Contains(string(body), c.body) {
			t.Errorf("%s %s: %d %s, %v", c.path, c.header, res.StatusCode, body, err)
		}
	}
}

// TestSocketParts has an event that is written in parts, with a page's ping in between: its answer follows the event.
func TestSocketParts(t *testing.T) {
	begun, pinged := make(chan struct{}), make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i, part := range []string{"one\n{", "large", "}\n", "two\n"} {
			if _, err := io.WriteString(w, part); err != nil {
				t.Error(err)
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			if i == 0 {
				close(begun)
				<-pinged
			}
		}
	})
	server := httptest.NewServer(Handler(h))
	defer server.Close()
	_, conn, r := dialSocket(t, server, "/api/v1/namespaces?watch=1", "")
	for i, want := range []struct {
		kind byte
		text string
	}{
		{frameFinal | frameText, "one\n"}, {frameText, "{"}, {frameFinal | framePong, "p"}, {frameMore, "large"},
		{frameMore, "}\n"}, {frameFinal | frameMore, ""}, {frameFinal | frameText, textPong},
		{frameFinal | frameText, "two\n"},
	} {
		if kind, text := readMessage(t, r); kind != want.kind || text != want.text {
			t.Fatalf("%x %q, want %x %q", kind, text, want.kind, want.text)
		}
		if i == 0 { // the page's ping, and one of the protocol, whose answer says that both were read
			<-begun
			if _, err := conn.Write([]byte("\x81\x84\x00\x00\x00\x00ping" + "\x89\x81\x00\x00\x00\x00p")); err != nil {
				t.Fatal(err)
			}
		}
		if i == 2 {
			close(pinged)
		}
	}
}
