package kubetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// plane makes a request of the cluster's ControlPlane, past the rules, and fails the test if it is refused.
func (s *Server) plane(method, path, body string) {
	s.t.Helper()
	r := httptest.NewRequest(method, wellknown.ControlPlane+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	(&Client{}).identify(r.Header)
	w := httptest.NewRecorder()
	s.cluster.ServeHTTP(w, r)
	if w.Code >= 300 {
		s.t.Fatalf("kubetest: %s %s: %d %s", method, body, w.Code, w.Body)
	}
}

// Advance moves the server's clock forward, in whole seconds, rounded up: tokens expire, watches time out, history is
// compacted, controllers do what was due meanwhile.
func (s *Server) Advance(d time.Duration) {
	s.t.Helper()
	s.plane("POST", "/advance", fmt.Sprintf(`{"seconds":%d}`, (d+time.Second-1)/time.Second))
}

// Compact drops all history but the present, of etcd and of the watch caches: a watch or a list from before gets 410.
func (s *Server) Compact() {
	s.t.Helper()
	s.plane("POST", "/compact", "{}")
}

// Restart starts the API server again, with the same etcd: watches end, and its caches have nothing from before.
func (s *Server) Restart() {
	s.t.Helper()
	s.plane("POST", "/restart", "{}")
}

// Cut ends all watches: clients go on where they were.
func (s *Server) Cut() { s.cluster.Disconnect() }

// Lag delays the watch cache by whole seconds, rounded up: watches and lists with resourceVersion=0 are that far
// behind. 0 ends it.
func (s *Server) Lag(d time.Duration) {
	s.t.Helper()
	s.Set(fmt.Sprintf(`{"cache":{"replicas":[{"lagSeconds":%d}]}}`, (d+time.Second-1)/time.Second))
}

// Freeze stops the watch cache where it is, or lets it go on.
func (s *Server) Freeze(on bool) {
	s.t.Helper()
	s.Set(fmt.Sprintf(`{"cache":{"replicas":[{"frozen":%t}]}}`, on))
}

// Chaos disturbs clients at random every so many seconds of the server's clock: it cuts watches, compacts the history,
// delays the watch cache. What happens when follows from the seed. 0 ends it.
func (s *Server) Chaos(seed int64, every time.Duration) {
	s.t.Helper()
	if every <= 0 {
		s.Set(`{"chaos":{"enabled":false}}`)
		return
	}
	s.Set(fmt.Sprintf(`{"chaos":{"enabled":true,"seed":%d,"intervalSeconds":%d}}`, seed,
		(every+time.Second-1)/time.Second))
}

// Set merges JSON into the spec of the server's ControlPlane, which has all its levers: see core/README.md. That is a
// write, and takes a revision, as those of Lag, Freeze and Chaos do.
func (s *Server) Set(spec string) {
	s.t.Helper()
	s.plane("PATCH", "?fieldValidation=Strict", `{"spec":`+spec+`}`)
}
