package reflector

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	real "github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// cluster is a real API server as a Transport.
type cluster struct {
	t testing.TB
	*core.Cluster
	away *atomic.Bool // the client does not reach it
}

func (c cluster) call(method, path, body string) Answer {
	w := apitest.Do(c, method, path, body, "Content-Type",
		map[string]string{"PATCH": "application/apply-patch+yaml"}[method])
	return Answer{w.Code, w.Body.String()}
}

func (c cluster) must(method, path, body string) {
	c.t.Helper()
	if a := c.call(method, path, body); a.Status >= 400 {
		c.t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
}

func (c cluster) Get(_ context.Context, path string) (Answer, error) {
	if c.away.Load() {
		return Answer{}, errDown
	}
	return c.call("GET", path, ""), nil
}

// answerer is the answer to a watch.
type answerer struct {
	header http.Header
	status int
	body   *io.PipeWriter
}

func (s *answerer) Header() http.Header  { return s.header }
func (s *answerer) WriteHeader(code int) { s.status = code }
func (s *answerer) Flush()               {}
func (s *answerer) Write(p []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	return s.body.Write(p)
}

func (c cluster) Watch(ctx context.Context, path string, line func(string)) (Answer, error) {
	if c.away.Load() {
		return Answer{}, errDown
	}
	read, write := io.Pipe()
	s := &answerer{header: http.Header{}, body: write}
	go func() {
		defer func() {
			err, _ := recover().(error)
			if err != nil && !errors.Is(err, http.ErrAbortHandler) {
				panic(err)
			}
			write.Close()
		}()
		c.ServeHTTP(s, httptest.NewRequest("GET", path, nil).WithContext(ctx))
	}()
	var all bytes.Buffer
	lines := bufio.NewScanner(read)
	for lines.Scan() {
		if s.status == http.StatusOK {
			line(lines.Text())
		} else {
			all.Write(lines.Bytes())
		}
	}
	return Answer{s.status, all.String()}, ctx.Err()
}

// Against the real server each mode does what its note says.
func TestAgainstTheServer(t *testing.T) {
	for _, info := range Modes {
		t.Run(info.ID, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { againstTheServer(t, info.Mode) }) })
	}
}

func againstTheServer(t *testing.T, mode Mode) {
	made, err := core.New(core.Options{Clock: real.Real(), Rand: rand.NewChaCha8([32]byte{1})})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := made.Close(); err != nil {
			t.Error(err)
		}
	}()
	s := cluster{t, made, new(atomic.Bool)}
	const path = "/api/v1/namespaces/default/configmaps"
	put := func(name, value string) {
		s.must("PATCH", path+"/"+name+"?fieldManager=t",
			fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q},"data":{"v":%q}}`, name, value))
	}
	put("a", "1")
	put("b", "1")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tracker := ServerTracker{Resource: "configmaps", Namespace: "default"}
	var decoder revisions.Decoder
	go s.Watch(ctx, wellknown.ControlPlane+"/revisions", func(line string) {
		f, err := decoder.Parse(line)
		if err != nil {
			t.Error(err)
		}
		tracker.Frame(f)
	})
	var clock turns
	clock.Lock()
	defer clock.Unlock()
	c := &Client{Transport: s, Clock: &clock, Path: path, Mode: mode, Cache: &objects.Store{}}
	go c.Run(ctx)
	clock.pass(2 * shortWatch)
	marks := func() string {
		if tracker.NeedsList() {
			var all objects.Store
			if err := all.List(s.call("GET", path, "").Body, true); err != nil {
				t.Error(err)
			}
			tracker.List(all.Rows(), all.Revision)
		}
		out := ""
		for _, r := range c.Diff(tracker.Server()) {
			if r.Mark != Same && !strings.HasPrefix(r.Name, "kube-root") {
				word, _, _ := strings.Cut(Marks[r.Mark], ":")
				out += r.Name + " " + word + ", "
			}
		}
		return out
	}
	expect(t, "at first", marks(), "")

	// Other resources change, and what was before is forgotten; then a watch is cut, and
	// before the client is back things happen.
	for i := range 5 {
		s.must("POST", "/api/v1/namespaces", fmt.Sprintf(`{"metadata":{"name":"n%d"}}`, i))
	}
	s.must("POST", wellknown.ControlPlane+"/compact", "{}")
	s.away.Store(true)
	s.must("POST", wellknown.ControlPlane+"/disconnect", "{}")
	clock.pass(0)
	put("a", "2")
	s.must("DELETE", path+"/b", "")
	put("c", "1")
	if mode == KeepsDeleted {
		s.must("POST", wellknown.ControlPlane+"/compact", "{}")
	}
	clock.pass(0)
	expect(t, "while it is away", marks(), "a not received yet, b not received yet, c not received yet, ")
	s.away.Store(false)
	clock.pass(long)
	want := map[Mode]string{
		SkipsMissed: "a stale, b ghost, c missing, ", NewestObject: "a stale, b ghost, c missing, ",
		KeepsDeleted: "b ghost, ",
	}[mode]
	expect(t, "in the end", marks(), want)
}
