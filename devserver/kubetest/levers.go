package kubetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/controlplane"
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

// inSeconds returns a time in whole seconds, rounded up.
func inSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// Advance moves the server's clock forward, in whole seconds, rounded up: tokens expire, watches time out, history is
// compacted, controllers do what was due meanwhile.
func (s *Server) Advance(d time.Duration) {
	s.t.Helper()
	if d <= 0 {
		s.misused("Advance", "time moves forward only, not by %v", d)
	}
	s.plane("POST", "/advance", fmt.Sprintf(`{"seconds":%d}`, inSeconds(d)))
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

// Cut ends all watches: clients continue where they were.
func (s *Server) Cut() { s.cluster.Disconnect() }

// Lag delays the watch cache by whole seconds, rounded up: watches and lists with resourceVersion=0 are that far
// behind. 0 ends it.
func (s *Server) Lag(d time.Duration) {
	s.t.Helper()
	if d < 0 {
		s.misused("Lag", "a delay is not negative, as %v is", d)
	}
	s.Set(fmt.Sprintf(`{"cache":{"replicas":[{"lagSeconds":%d}]}}`, inSeconds(d)))
}

// Freeze stops the watch cache where it is, or lets it continue.
func (s *Server) Freeze(on bool) {
	s.t.Helper()
	s.Set(fmt.Sprintf(`{"cache":{"replicas":[{"frozen":%t}]}}`, on))
}

// Chaos disturbs clients at random every so many seconds of the server's clock: it cuts watches, compacts the history,
// delays the watch cache. What happens when follows from the seed. 0 ends it.
func (s *Server) Chaos(seed int64, every time.Duration) {
	s.t.Helper()
	if every < 0 {
		s.misused("Chaos", "a time between disturbances is not negative, as %v is", every)
	}
	if every == 0 {
		s.Set(`{"chaos":{"enabled":false}}`)
		return
	}
	s.Set(fmt.Sprintf(`{"chaos":{"enabled":true,"seed":%d,"intervalSeconds":%d}}`, seed, inSeconds(every)))
}

// Set merges JSON into the spec of the server's ControlPlane, which has all its levers: see core/README.md. That is a
// write, and takes a revision, as those of Lag, Freeze and Chaos do.
func (s *Server) Set(spec string) {
	s.t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(spec), &fields); err != nil || fields == nil {
		s.misused("Set", "%q is no JSON object: %v", spec, err)
	}
	if errs := controlplane.Unknown(fields); len(errs) > 0 {
		s.misused("Set", "%s", errs[0].Error())
	}
	s.plane("PATCH", "?fieldValidation=Strict", `{"spec":`+spec+`}`)
}
