package kubetest

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

// A Watch is one that is open.
type Watch struct {
	Request
	// Opened is where it was opened: a function and its line, for clients by Transport; else empty.
	Opened string
}

// String returns what is watched, by whom, since where.
func (w Watch) String() string {
	text := w.Request.String()
	if w.Opened != "" {
		return text + ", opened at " + w.Opened
	}
	return fmt.Sprintf("%s, opened by %q", text, w.UserAgent)
}

// Watches returns the watches that are open, the oldest first.
func (s *Server) Watches() []Watch {
	s.traffic.mu.Lock()
	defer s.traffic.mu.Unlock()
	var all []Watch
	for w := range s.traffic.watches {
		all = append(all, *w)
	}
	slices.SortFunc(all, func(a, b Watch) int { return a.Time.Compare(b.Time) })
	return all
}

// watch notes that a watch is open, until its result is called.
func (t *traffic) watch(q *Request, r *http.Request) (end func()) {
	w := &Watch{Request: *q}
	if at, ok := r.Context().Value(originKey{}).(string); ok {
		w.Opened = at
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.watches == nil {
		t.watches = map[*Watch]struct{}{}
	}
	t.watches[w] = struct{}{}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.watches, w)
	}
}

// How long the watches of a test may take to end after the test's own cleanups.
const (
	graceToLog  = 20 * time.Millisecond
	graceToFail = time.Second
)

// reportWatches reports the watches that are open at the end of a test.
func (s *Server) reportWatches() {
	report, grace := s.t.Logf, graceToLog
	if s.config.failOnOpenWatches {
		report, grace = s.t.Errorf, graceToFail
	}
	late := time.Now().Add(grace)
	open := s.Watches()
	for ; len(open) > 0 && time.Now().Before(late); open = s.Watches() {
		time.Sleep(time.Millisecond)
	}
	for _, w := range open {
		report("kubetest: a watch is open at the end of the test: %s", w)
	}
}

// originKey is for where a request was made, in its context.
type originKey struct{}

// inner are the packages of which a test's author does not want to hear where a watch was opened.
var inner = []string{
	"runtime", "net/http", "io", "context", "k8s.io/client-go/rest", "k8s.io/client-go/gentype",
	"k8s.io/client-go/transport", "k8s.io/client-go/tools/cache",
	"k8s.io/client-go/tools/watch", "k8s.io/client-go/dynamic", "k8s.io/apimachinery",
	"k8s.io/client-go/kubernetes", "k8s.io/client-go/util", "k8s.io/client-go/metadata",
	"github.com/tabernetes/tabernetes/devserver/kubetest.origin",
	"github.com/tabernetes/tabernetes/devserver/kubetest.transport.", "sync",
	"github.com/tabernetes/tabernetes/devserver/kubetest.(*Client).",
	"github.com/tabernetes/tabernetes/devserver/kubetest.(*Server).",
}

// origin returns where the request was made that this goroutine makes: the nearest function that is not one of a
// client's own, or what has started the goroutine.
func origin() string {
	lines := strings.Split(strings.TrimSpace(string(debug.Stack())), "\n")
	last := ""
	for i := 1; i+1 < len(lines); i += 2 {
		function, place := lines[i], strings.TrimSpace(lines[i+1])
		place, _, _ = strings.Cut(place, " +0x")
		function = strings.TrimPrefix(function, "created by ")
		function, _, _ = strings.Cut(function, " in goroutine ")
		if cut := strings.LastIndex(function, "("); cut > 0 && strings.HasSuffix(function, ")") {
			function = function[:cut]
		}
		last = function + ", " + place
		if !slices.ContainsFunc(inner, func(p string) bool {
			rest, is := strings.CutPrefix(function, p)
			return is && (rest == "" || rest[0] == '.' || rest[0] == '/' || strings.HasSuffix(p, "."))
		}) {
			return last
		}
	}
	return last
}

// delay waits as long as Latency says, or returns the context's error if the client goes before.
func (s *Server) delay(r *http.Request, q *Request) error {
	d := s.config.latency
	if s.config.jitter > 0 {
		d += time.Duration(s.rules.chance(uint64(s.config.seed), q) * float64(s.config.jitter))
	}
	if d <= 0 {
		return nil
	}
	return clock.Sleep(r.Context(), clock.Real(), d)
}
