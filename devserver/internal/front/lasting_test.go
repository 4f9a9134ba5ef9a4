package front

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
)

const allMaps = "/api/v1/namespaces/default/configmaps"

func newTestCluster(t *testing.T) *core.Cluster {
	t.Helper()
	c, err := cluster.Open(cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // in memory
	return c
}

// A host is a server with the front of a devserver.
type host struct {
	*testing.T
	*httptest.Server
	*Front
}

func newHost(t *testing.T) host {
	f := New(newTestCluster(t), Options{Addr: "127.0.0.1:0", APIOnly: true})
	h := host{t, httptest.NewServer(limitBodyTime(bodyTimeout, f)), f}
	t.Cleanup(func() {
		f.Close()
		h.Server.Close()
	})
	return h
}

// open asks for a watch over its own connection.
func (h host) open(query, headers string) (net.Conn, *http.Response) {
	h.Helper()
	conn, err := net.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		h.Fatal(err)
	}
	fmt.Fprintf(conn, "GET %s?watch=1%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", allMaps, query, headers)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		h.Fatal(err)
	}
	if res.StatusCode != http.StatusOK || len(res.TransferEncoding) != 1 || res.TransferEncoding[0] != "chunked" ||
		!res.Close {
		h.Fatalf("%v", res)
	}
	return conn, res
}

func (h host) create(name, value string) {
	h.Helper()
	body := fmt.Sprintf(`{"metadata":{"name":%q},"data":{"v":%q}}`, name, value)
	res, err := http.Post(h.URL+allMaps, "application/json", strings.NewReader(body))
	if err != nil {
		h.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		h.Fatal(res.Status)
	}
}

// openWatches waits until so many watches continue.
func (h host) openWatches(n int) {
	h.Helper()
	for end := time.Now().Add(time.Minute); h.waiting() != n; runtime.Gosched() {
		if time.Now().After(end) {
			h.Fatalf("%d watches go on, not %d", h.waiting(), n)
		}
	}
}

// waiting returns how many goroutines write the rest of a watch.
func (h host) waiting() int { return inside("(*watches).run(") }

// inside returns how many goroutines are inside of a function.
func inside(function string) int {
	all := make([]byte, 4<<20)
	all = all[:runtime.Stack(all, true)]
	return bytes.Count(all, []byte(function))
}

// TestWatchGoesOn has events of all lengths, and the end of the watch.
func TestWatchGoesOn(t *testing.T) {
	h := newHost(t)
	conn, res := h.open("&timeoutSeconds=2&fieldSelector=metadata.name%3Dlarge", wellknown.EarlyHeader+": 1\r\n")
	h.openWatches(1)
	large := strings.Repeat("x", 3*writePiece)
	h.create("small", "1")
	h.create("large", large)
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(string(body), "\n"); len(lines) != 3 || lines[0] != "" ||
		!strings.HasPrefix(lines[1], `{"type":"ADDED"`) || !strings.Contains(lines[1], large) || lines[2] != "" {
		t.Errorf("%.300s", body)
	}
	if n, err := conn.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the connection is not closed: %d %v", n, err)
	}
	h.openWatches(0)
}

// TestClientOfWatchLeaves has clients that leave, which the server notices though it has nothing to write.
func TestClientOfWatchLeaves(t *testing.T) {
	for name, leave := range map[string]func(*net.TCPConn) error{
		"closed":      func(c *net.TCPConn) error { return c.Close() },
		"reset":       func(c *net.TCPConn) error { return errors.Join(c.SetLinger(0), c.Close()) },
		"half closed": func(c *net.TCPConn) error { return c.CloseWrite() },
		"closed after it has sent something": func(c *net.TCPConn) error {
			_, err := io.WriteString(c, "GET / HTTP/1.1\r\n\r\n")
			return errors.Join(err, c.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			stays, _ := h.open("", "")
			leaves, _ := h.open("", "")
			h.openWatches(2)
			if err := leave(leaves.(*net.TCPConn)); err != nil {
				t.Fatal(err)
			}
			h.openWatches(1)
			if err := stays.Close(); err != nil {
				t.Fatal(err)
			}
			h.openWatches(0)
		})
	}
}

// TestServerOfWatchEnds wants a stream that the server cuts off to be recognized as such.
func TestServerOfWatchEnds(t *testing.T) {
	h := newHost(t)
	_, res := h.open("", "")
	h.openWatches(1)
	h.Front.Close()
	if body, err := io.ReadAll(res.Body); err != io.ErrUnexpectedEOF {
		t.Errorf("%s %v", body, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	h.watches.wait(ctx)
	if ctx.Err() != nil || h.waiting() > 0 {
		t.Errorf("%v, %d watches go on", ctx.Err(), h.waiting())
	}
}

// TestEndOfWatches ends those that are open, and those that begin later, and forgets those that have ended.
func TestEndOfWatches(t *testing.T) {
	l := newWatches()
	begin := func() (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(context.Background())
		return ctx, l.begin(cancel)
	}
	ended, end := begin()
	open, _ := begin()
	if end(); ended.Err() == nil || open.Err() != nil || len(l.cancels.Values) != 1 {
		t.Errorf("%v, %v, %d are open", ended.Err(), open.Err(), len(l.cancels.Values))
	}
	l.end()
	late, _ := begin()
	if open.Err() == nil || late.Err() == nil || len(l.cancels.Values) != 0 {
		t.Errorf("%v, %v, %d are open", open.Err(), late.Err(), len(l.cancels.Values))
	}
}

// TestErrorOfWatch wants a watch that is refused to be answered as any request, on a connection that stays.
func TestErrorOfWatch(t *testing.T) {
	h := newHost(t)
	res, err := http.Get(h.URL + allMaps + "?watch=1&fieldSelector=nothing%3D1")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusBadRequest || res.Close {
		t.Errorf("%v", res)
	}
}

// TestIdleWatch bounds the memory of a watch with its connection: benchWatches measures it.
func TestIdleWatch(t *testing.T) {
	const few, many = 20, 400
	h := newHost(t)
	var before uint64
	for i := range few + many {
		if i == few {
			h.openWatches(few)
			before = inUse()
		}
		h.open("&allowWatchBookmarks=true", "User-Agent: kubectl/v1.36.3 (linux/amd64) kubernetes/0123456\r\n")
	}
	h.openWatches(few + many)
	each := (inUse() - before) / many
	t.Logf("%d bytes for a watch, its connection and its client", each)
	if each > 24<<10 {
		t.Errorf("a watch, its connection and its client take %d bytes", each)
	}
}

// TestUnreadWatches has clients that read nothing: what they have not read is not kept for each of them.
func TestUnreadWatches(t *testing.T) {
	for name, socket := range map[string]bool{"HTTP": false, "WebSocket": true} {
		t.Run(name, func(t *testing.T) {
			const clients, objects, size = 30, 12, 900_000
			h := newHost(t)
			for i := range objects {
				h.create(fmt.Sprint("large-", i), strings.Repeat("x", size))
			}
			before, sends := inUse(), "(*chunks).Write("
			for range clients {
				conn, err := net.Dial("tcp", h.Listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { conn.Close() })
				headers := ""
				if socket {
					headers, sends = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
						"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "(*Conn).writeFrame("
				}
				if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(conn, "GET %s?watch=1 HTTP/1.1\r\nHost: localhost\r\n%s\r\n", allMaps, headers)
			}
			for end := time.Now().Add(time.Minute); inside(sends) != clients; runtime.Gosched() {
				if time.Now().After(end) {
					t.Fatalf("%d watches are in the middle of an object", inside(sends))
				}
			}
			each := int64(inUse()-before) / clients
			t.Logf("%d bytes each", each)
			if each > 300_000 {
				t.Errorf("a watch that is not read takes %d bytes of objects of %d", each, size)
			}
		})
	}
}

// inUse returns how many bytes the heap and the stacks of this process take.
func inUse() uint64 {
	for range 3 { // stacks shrink by half in each
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
