package core

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
)

// patience is how long tests wait for what has to come, however slow the machine is.
const patience = 3 * time.Minute

// at returns the value at a dotted path of an object.
var at = objecttest.At

// randomness returns a repeatable source for tests.
func randomness() io.Reader { return rand.NewChaCha8([32]byte{1}) }

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// newCluster starts a cluster on a clock that the test moves.
func newCluster(t testing.TB, o Options) (*Cluster, *clock.Manual) {
	t.Helper()
	manual := clock.NewManual(start)
	if o.Clock == nil {
		o.Clock = manual
	}
	if o.Rand == nil {
		o.Rand = randomness()
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, manual
}

// call makes a request and returns its status and body.
func call(t testing.TB, h http.Handler, method, path, body string) (int, string) {
	t.Helper()
	w := apitest.Do(h, method, path, body)
	return w.Code, w.Body.String()
}

// must does what call does, for a request that has to be answered with code.
func must(t testing.TB, h http.Handler, code int, method, path, body string) map[string]any {
	t.Helper()
	got, text := call(t, h, method, path, body)
	if got != code {
		t.Fatalf("%s %s: %d, want %d: %s", method, path, got, code, text)
	}
	var obj map[string]any
	if err := json.Unmarshal([]byte(text), &obj); err != nil {
		t.Fatalf("%s %s: %v in %q", method, path, err, text)
	}
	return obj
}

func configMap(name, value string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q},"data":{"v":%q}}`, name, value)
}

const configMaps = "/api/v1/namespaces/default/configmaps"

// tail follows a stream of JSON lines.
type tail struct {
	t      testing.TB
	lines  *bufio.Scanner
	cancel context.CancelFunc
	closed chan struct{}
}

func follow(t testing.TB, h http.Handler, path string) *tail {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	r := httptest.NewRequest("GET", path, nil).WithContext(ctx)
	w := &streamWriter{header: http.Header{}, body: writer, head: make(chan struct{})}
	s := &tail{t: t, lines: bufio.NewScanner(reader), cancel: cancel, closed: make(chan struct{})}
	s.lines.Buffer(nil, 1<<20)
	go func() {
		defer close(s.closed)
		defer writer.Close()
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
		}()
		h.ServeHTTP(w, r)
	}()
	t.Cleanup(s.stop)
	<-w.head
	if w.code != http.StatusOK {
		t.Fatalf("GET %s: %d", path, w.code)
	}
	return s
}

// next returns the next line; nil at the end of the stream.
func (s *tail) next() map[string]any {
	s.t.Helper()
	if !s.lines.Scan() {
		return nil
	}
	var obj map[string]any
	if err := json.Unmarshal(s.lines.Bytes(), &obj); err != nil {
		s.t.Fatalf("%v in %q", err, s.lines.Text())
	}
	return obj
}

// stop ends the stream from the client's side and waits for the handler.
func (s *tail) stop() {
	s.cancel()
	for s.lines.Scan() {
	}
	<-s.closed
}

// streamWriter is a response that can be read while it is written.
type streamWriter struct {
	header http.Header
	body   *io.PipeWriter
	code   int
	head   chan struct{}
}

func (w *streamWriter) Header() http.Header         { return w.header }
func (w *streamWriter) Write(b []byte) (int, error) { return w.body.Write(b) }
func (w *streamWriter) Flush()                      {}
func (w *streamWriter) WriteHeader(code int) {
	w.code = code
	close(w.head)
}
