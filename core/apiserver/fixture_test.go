package apiserver

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// newServer returns a server over an empty store with the namespace "default".
func newServer(t testing.TB) *Server {
	t.Helper()
	manual := clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	store := mvcc.New(manual.Now)
	r := &registry.Registry{
		Store: store, Table: schema.Builtin(), Clock: manual, Rand: rand.NewChaCha8([32]byte{}),
		Replicas: registry.NewReplicas(store, manual, schema.Builtin()),
	}
	r.Admission = admission.Chain{plugins.NamespaceLifecycle{Phase: r.NamespacePhase}}
	r.Kinds.Now, r.Kinds.NewUID = manual.Now, r.NewUID
	namespace := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "default"}}
	in := registry.Target{Resource: r.Table.Resource("", "v1", "namespaces")}
	if err := r.Bootstrap(in, namespace, ""); err != nil {
		t.Fatal(err)
	}
	return &Server{Registry: r, Table: r.Table}
}

// exchange is a request and its expected answer.
type exchange struct {
	method, path string
	// header has lines "Name: value".
	header string
	body   string
	code   int
	want   string // texts in the answer's body
}

const configMaps = "/api/v1/namespaces/default/configmaps"

// run makes the requests one after another.
func run(t *testing.T, s *Server, exchanges []exchange) {
	t.Helper()
	for _, e := range exchanges {
		w := e.do(s)
		if w.Code != e.code || !strings.Contains(w.Body.String(), e.want) {
			t.Errorf("%s %s %s %s\n got %d %s\nwant %d %s", e.method, e.path, e.header, e.body, w.Code, w.Body, e.code, e.want)
		}
	}
}

func (e exchange) do(s *Server) *httptest.ResponseRecorder {
	r := httptest.NewRequest(e.method, "/", strings.NewReader(e.body))
	// The path is set as it is: a URL would be parsed.
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(e.path, "?")
	for line := range strings.Lines(e.header) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		r.Header.Add(name, value)
	}
	// No request of the tests waits: a bound, so that a mistake ends.
	ctx, cancel := context.WithTimeout(r.Context(), 3*time.Minute)
	defer cancel()
	w := httptest.NewRecorder()
	func() {
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
		}()
		s.ServeHTTP(w, r.WithContext(ctx))
	}()
	return w
}
