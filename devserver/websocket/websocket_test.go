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
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/devserver/cluster"
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

// dialSocket asks for a WebSocket and returns the answer with the open connection.
func dialSocket(t *testing.T, server *httptest.Server, path, header string) (*http.Response, net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	// The key and its answer are those of RFC 6455.
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n", path, conn.RemoteAddr(), header)
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res, conn, r
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

// TestSocketPings ends the watch of a client that does not answer pings, but not of one that does.
func TestSocketPings(t *testing.T) {
	ended := make(chan struct{}, 1)
	server := httptest.NewServer(pinged(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		<-r.Context().Done()
		ended <- struct{}{}
	}), 300*time.Millisecond))
	defer server.Close()
	_, conn, r := dialSocket(t, server, "/api/v1/pods?watch=1", "")
	for range 4 { // longer than a silent client stays
		if kind, payload := readMessage(t, r); kind != frameFinal|framePing || payload != "" {
			t.Fatalf("%x %q", kind, payload)
		}
		if _, err := conn.Write([]byte("\x8a\x80\x00\x00\x00\x00")); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-ended:
		t.Error("a client that answers was given up")
	default:
	}
	<-ended // now it is silent
	if _, err := io.Copy(io.Discard, r); err != nil {
		t.Error(err)
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
	_, _, r := dialSocket(t, server, "/api/v1/pods?watch=1", "")
	for _, want := range []string{strings.Repeat("x", 200) + "\n", "half ", "an event\n", "\x03\xe8"} {
		if _, payload := readMessage(t, r); payload != want {
			t.Errorf("%q, want %q", payload, want)
		}
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
	pinged := make(chan struct{})
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
		{frameFinal | frameMore, "}\n"}, {frameFinal | frameText, textPong}, {frameFinal | frameText, "two\n"},
	} {
		if kind, text := readMessage(t, r); kind != want.kind || text != want.text {
			t.Fatalf("%x %q, want %x %q", kind, text, want.kind, want.text)
		}
		if i == 1 { // the page's ping, and one of the protocol, whose answer says that both were read
			if _, err := conn.Write([]byte("\x81\x84\x00\x00\x00\x00ping" + "\x89\x81\x00\x00\x00\x00p")); err != nil {
				t.Fatal(err)
			}
		}
		if i == 2 {
			close(pinged)
		}
	}
}
