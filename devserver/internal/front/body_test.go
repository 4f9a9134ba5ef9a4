package front

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// shortTimeout is enough for bodies that arrive, and soon over for those that do not.
const shortTimeout = 50 * time.Millisecond

// TestStalledBody sends the head of a request and half of its body: it is answered, and
// the connection closed, whether anybody reads the body or not.
func TestStalledBody(t *testing.T) {
	server := httptest.NewServer(limitBodyTime(shortTimeout,
		New(newTestCluster(t), Options{Addr: "127.0.0.1:0", APIOnly: true})))
	defer server.Close()
	for _, c := range []struct {
		method, path, length string
		code                 int
		body                 string
	}{
		{"POST", "/api/v1/namespaces", "Content-Length: 100", 504,
			`{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted ` +
				`timeout","reason":"Timeout","details":{},"code":504}` + "\n"},
		{"POST", "/api/v1/namespaces", "Transfer-Encoding: chunked", 504, "allotted timeout"},
		{"PUT", wellknown.ControlPlane + "/snapshot", "Content-Length: 100", 504, "allotted timeout"},
		{"GET", "/api/v1/namespaces/default", "Content-Length: 100", 200, `"name":"default"`},
		{"POST", "/nothing", "Content-Length: 100", 404, "404 page not found"},
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetDeadline(time.Now().Add(3 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n", c.method, c.path, conn.RemoteAddr(), c.length)
		if strings.HasPrefix(c.length, "Transfer") {
			fmt.Fprint(conn, "5\r\n{\"kin\r\n")
		} else {
			fmt.Fprint(conn, "{\"kin")
		}
		r := bufio.NewReader(conn)
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("%s %s %s: %v", c.method, c.path, c.length, err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != c.code || !strings.Contains(string(body), c.body) {
			t.Errorf("%s %s %s: %d %s, %v", c.method, c.path, c.length, res.StatusCode, body, err)
		}
		if _, err := r.ReadByte(); err != io.EOF {
			t.Errorf("%s %s %s: the connection is still open: %v", c.method, c.path, c.length, err)
		}
		conn.Close()
	}
}

// TestStalledBodyOverHTTP2 does the same to a stream of a connection that continues.
func TestStalledBodyOverHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(limitBodyTime(shortTimeout,
		New(newTestCluster(t), Options{Addr: "127.0.0.1:0", APIOnly: true})))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	body, client := io.Pipe()
	defer client.Close()
	go func() { _, _ = io.WriteString(client, "{\"kin") }()
	res, err := server.Client().Post(server.URL+"/api/v1/namespaces", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); res.StatusCode != 504 || res.ProtoMajor != 2 ||
		!strings.Contains(string(text), "allotted timeout") {
		t.Errorf("%s %s, %v", res.Proto, text, err)
	}
}

// deadlines is a ResponseWriter whose connection notes its deadlines.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// TestTimeoutIsForBodiesOnly: nothing limits a stream, neither after a body that arrived
// nor without one.
func TestTimeoutIsForBodiesOnly(t *testing.T) {
	for body, want := range map[string]int{"": 0, "all of it": 2} {
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if got, err := io.ReadAll(r.Body); string(got) != body || err != nil {
				t.Errorf("read %q, %v", got, err)
			}
		})
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		if body == "" {
			r.Body = http.NoBody // as the server has it
		}
		before := time.Now()
		limitBodyTime(bodyTimeout, handler).ServeHTTP(w, r)
		if len(w.set) != want || want > 0 && (w.set[0].Before(before.Add(bodyTimeout)) || !w.set[1].IsZero()) {
			t.Errorf("%q: %v", body, w.set)
		}
	}
}
