package record

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
)

const (
	plane      = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default"
	configMaps = "/api/v1/namespaces/default/configmaps"
	secrets    = "/api/v1/namespaces/default/secrets"
	// awhile is how long a test waits for something that has to happen.
	awhile = 30 * time.Second
)

// A world is a cluster that is recorded, and what a test does to its answers.
type world struct {
	*testing.T
	cluster *core.Cluster
	server  *httptest.Server
	// before answers a request in the cluster's place, and reports whether it did. It may be nil.
	before atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
	file   string
}

// newWorld returns one, and lets its test run beside others.
func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	c, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, cluster: c, file: filepath.Join(t.TempDir(), "file.tabernetes")}
	w.server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if f := w.before.Load(); f == nil || !(*f)(out, r) {
			c.ServeHTTP(out, r)
		}
	}))
	t.Cleanup(func() {
		w.server.CloseClientConnections()
		w.server.Close()
		_ = c.Close() // nothing is saved
	})
	return w
}

// answer has requests of a path answered with an error, until the returned function is called.
func (w *world) answer(prefix string, code int, text string) (stop func()) {
	f := func(out http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, prefix) {
			return false
		}
		out.WriteHeader(code)
		_, _ = out.Write([]byte(text)) // the recorder may be gone
		return true
	}
	w.before.Store(&f)
	return func() { w.before.Store(nil) }
}

// cut ends all watches.
func (w *world) cut() { w.cluster.Disconnect() }

func (w *world) do(code int, method, path, body string) map[string]any {
	w.Helper()
	return apitest.Must(w.T, w.cluster, code, method, path, body)
}

// set makes or changes a ConfigMap.
func (w *world) set(name, value string) {
	w.Helper()
	body := fmt.Sprintf(`{"metadata":{"name":%q},"data":{"v":%q}}`, name, value)
	if got := apitest.Do(w.cluster, "POST", configMaps, body); got.Code != 201 {
		w.do(200, "PUT", configMaps+"/"+name, body)
	}
}

// A run is a recorder at work.
type run struct {
	*world
	recorder *Recorder
	end      context.CancelFunc
	ended    chan error
}

// record begins to record, and waits until there is a state of all types.
func (w *world) record(o Options) *run {
	w.Helper()
	r := w.begin(o)
	r.await("a state", func(c *content) bool { return c.horizon > 0 && r.recorder.file.figures().horizon > 0 })
	return r
}

func (w *world) begin(o Options) *run {
	w.Helper()
	f, err := os.OpenFile(w.file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		w.Fatal(err)
	}
	o.wait, o.rights = time.Millisecond, 5*time.Millisecond
	if o.Say == nil {
		o.Say = func(string) {}
	}
	rules, err := o.rules()
	if err != nil {
		w.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &client{server: w.server.URL, http: w.server.Client(), lists: make(chan struct{}, 4)}
	r := &run{world: w, end: cancel, ended: make(chan error, 1)}
	if r.recorder, err = start(ctx, c, f, o, rules); err != nil {
		w.Fatal(err)
	}
	go func() {
		r.ended <- r.recorder.record(ctx, context.Background())
		_ = f.Close() // it is synced
	}()
	w.Cleanup(func() { r.end() })
	return r
}

// content returns what is in the file by now.
func (w *world) content() *content {
	text, err := os.ReadFile(w.file)
	if err != nil {
		w.Fatal(err)
	}
	c, _ := readPart(w.T, text)
	return c
}

// await waits until the file fulfils a condition.
func (r *run) await(what string, is func(*content) bool) *content {
	r.Helper()
	for deadline := time.Now().Add(awhile); ; {
		_ = r.recorder.file.flush() // what is there, now
		c := r.content()
		if is(c) {
			return c
		}
		if time.Now().After(deadline) {
			r.Fatalf("the file does not get %s; its notes: %v", what, c.texts())
		}
		select {
		case err := <-r.ended:
			r.Fatalf("the recorder has ended before there was %s: %v", what, err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// awaitHead waits until everything that is in the cluster by now is in the file.
func (r *run) awaitVersion(bucket, key string, rev int64) *content {
	r.Helper()
	return r.await(fmt.Sprintf("%s %s at %d", bucket, key, rev), func(c *content) bool {
		_, is := c.versions[seen{bucket, key, rev}]
		return is
	})
}

// finish ends the recorder, and returns the file.
func (r *run) finish() []byte {
	r.Helper()
	r.end()
	select {
	case err := <-r.ended:
		if err != nil {
			r.Fatal(err)
		}
	case <-time.After(awhile):
		r.Fatal("the recorder does not end")
	}
	text, err := os.ReadFile(r.file)
	if err != nil {
		r.Fatal(err)
	}
	return text
}

func (c *content) texts() (all []string) {
	for _, n := range c.notes {
		all = append(all, n.Kind+": "+n.Text)
	}
	return all
}

// says reports whether a note of a kind has a text.
func (c *content) says(kind, text string) bool {
	return slices.ContainsFunc(c.notes, func(n note) bool { return n.Kind == kind && strings.Contains(n.Text, text) })
}

// revOf returns the resourceVersion of an object.
func revOf(obj map[string]any) (rev int64) {
	_, _ = fmt.Sscan(obj["metadata"].(map[string]any)["resourceVersion"].(string), &rev)
	return rev
}

func typeOf(name string) *target {
	all := builtin()
	return all[slices.IndexFunc(all, func(t *target) bool { return t.name() == name })]
}

func apiText(w *world, path string) string {
	return apitest.Do(w.cluster, "GET", path, "").Body.String()
}
