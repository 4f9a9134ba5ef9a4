package verdict

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/conformance"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/tap"
)

// sideBySide is how many recordings are replayed at once: they mostly wait for watches.
const sideBySide = 24

// TestRecordings replays the recordings of the real server, and wants the verdict on each exchange to say what its
// commits do, as soon as it is answered and when the commits are known.
func TestRecordings(t *testing.T) {
	const token = "conformance"
	var replays sync.WaitGroup
	var mu sync.Mutex
	scenarios, exchanges, wrote, judged := 0, 0, 0, map[string]int{}
	free := make(chan struct{}, sideBySide)
	replay := func(s *conformance.Scenario, o core.Options) {
		l := newLab(t, o)
		defer l.close()
		server := httptest.NewServer(l)
		defer server.Close()
		defer server.CloseClientConnections()
		target := conformance.Server{URL: server.URL, Compact: func(context.Context, *http.Client) error {
			l.ask("POST " + wellknown.ControlPlane + "/compact\nAuthorization: Bearer " + token + "\n{}")
			return nil
		}}
		if o.Authorization != "" {
			target.Token = token
		}
		for _, d := range conformance.Replay(t.Context(), s, target) {
			t.Errorf("%s: %s", s.Name, d)
		}
		l.check(func(e *tap.Exchange, known Facts) {
			mu.Lock()
			defer mu.Unlock()
			judged[rowOf(known)]++
			if known.Commits == nil {
				exchanges++
				wrote += min(1, len(l.made[e.ID]))
			}
		})
	}
	for folder, o := range map[string]core.Options{
		"recordings": {},
		"recordings-rbac": {Authorization: "RBAC", WithoutCredentials: "Anonymous",
			Tokens: []core.Token{{Token: token, User: "conformance", Groups: []string{"system:masters"}}}},
	} {
		all, err := conformance.Load(os.DirFS("../../../../core/conformance/testdata"), folder+"/*.json")
		if err != nil {
			t.Fatal(err)
		}
		scenarios += len(all)
		for _, s := range all {
			free <- struct{}{}
			replays.Go(func() {
				defer func() { <-free }()
				replay(s, o)
			})
		}
	}
	replays.Wait()
	t.Logf("%d recordings, %d exchanges, %d of which wrote, judged by %d rows", scenarios, exchanges, wrote, len(judged))
	if scenarios < 276 || exchanges < 2000 || wrote < 500 || len(judged) < 30 {
		t.Errorf("only %d recordings, %d exchanges, %d of which wrote, %v", scenarios, exchanges, wrote, judged)
	}
}
