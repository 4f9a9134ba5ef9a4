package conformance_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/conformance"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

//go:embed testdata/recordings testdata/recordings-rbac
var testdata embed.FS

const (
	// serverURLs is the environment variable with the URLs of running servers, separated by commas, to
	// replay against instead of a new cluster for each scenario.
	serverURLs = "TABERNETES_REPLAY_URL"
	// maxShown is how many differences of a scenario are printed.
	maxShown = 12

	// attempts is how often a scenario is tried with a running server. Some recordings took less than a
	// second, and a server in a page may be slower: the managers of an object are sorted by their
	// times, in seconds.
	attempts = 3
)

// TestMain lets many scenarios run side by side: they spend their time waiting
// for watches, not computing.
func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" || f.Name == "test.fuzz" })
	if !chosen {
		if err := flag.Set("test.parallel", "24"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// TestReplay replays the recordings of a server that allows everything.
func TestReplay(t *testing.T) {
	// Scenarios affect each other, as when one compacts: each has its own cluster, or exclusive
	// use of a running server.
	serve := func(t *testing.T) string { return newCluster(t, core.Options{}) }
	if remote := os.Getenv(serverURLs); remote != "" {
		urls := strings.Split(remote, ",")
		free := make(chan string, len(urls))
		for _, url := range urls {
			url = strings.TrimSuffix(url, "/")
			stopControllers(t, url)
			free <- url
		}
		serve = func(t *testing.T) string {
			url := <-free
			t.Cleanup(func() { free <- url })
			return url
		}
	}
	replay(t, "recordings", func(t *testing.T) conformance.Server {
		t.Parallel()
		url := serve(t)
		return conformance.Server{URL: url, Compact: compact(url)}
	})
}

// TestReplayRBAC replays the recordings of a server with RBAC.
func TestReplayRBAC(t *testing.T) {
	replay(t, "recordings-rbac", func(t *testing.T) conformance.Server {
		t.Parallel()
		const token = "conformance"
		return conformance.Server{Token: token, URL: newCluster(t, core.Options{
			Authorization: "RBAC", WithoutCredentials: "Anonymous",
			Tokens: []core.Token{{Token: token, User: "conformance", Groups: []string{"system:masters"}}},
		})}
	})
}

// replay replays every recording in a folder, each against the server that serve returns for it.
func replay(t *testing.T, folder string, serve func(*testing.T) conformance.Server) {
	scenarios, err := conformance.Load(testdata, "testdata/"+folder+"/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var tally tally
	t.Cleanup(func() { fmt.Println(tally.String()) })
	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			server := serve(t)
			if testing.Verbose() {
				server.Log = t.Logf
			}
			differences := conformance.Replay(t.Context(), s, server)
			for again := 1; again < attempts && len(differences) > 0 && os.Getenv(serverURLs) != "" &&
				server.Token == ""; again++ {
				startOver(t, server.URL)
				differences = conformance.Replay(t.Context(), s, server)
			}
			if len(differences) == 0 {
				tally.add(&tally.passed)
				return
			}
			tally.add(&tally.failed)
			t.Errorf("%s\n%s", s.About, show(differences, maxShown))
		})
	}
}

// newCluster starts a cluster with all controllers off, as the recorded server had none.
func newCluster(t testing.TB, o core.Options) (url string) {
	o.Clock, o.Rand, o.Build = clock.Real(), rand.Reader, "conformance"
	cluster, err := core.New(o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(cluster)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if err := cluster.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL
}

func compact(url string) func(context.Context, *http.Client) error {
	return func(ctx context.Context, client *http.Client) error {
		return call(ctx, client, "POST", url+wellknown.ControlPlane+"/compact", "application/json", `{}`)
	}
}

// stopControllers turns the controllers of a running server off, and on again in the end if they
// were on.
func stopControllers(t *testing.T, url string) {
	res, err := http.Get(url + wellknown.ControlPlane)
	if err != nil {
		t.Fatalf("%s: %v", serverURLs, err)
	}
	defer res.Body.Close()
	was, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := setControllers(t.Context(), url, false); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(was, []byte(`"enabled":true`)) {
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			if err := setControllers(ctx, url, true); err != nil {
				t.Error(err)
			}
		})
	}
}

func setControllers(ctx context.Context, url string, enabled bool) error {
	return call(ctx, http.DefaultClient, "PATCH", url+wellknown.ControlPlane, "application/merge-patch+json",
		fmt.Sprintf(`{"spec":{"controllers":{"enabled":%v}}}`, enabled))
}

// startOver resets a running server, and turns off its controllers.
func startOver(t *testing.T, url string) {
	if err := call(t.Context(), http.DefaultClient, "POST", url+wellknown.ControlPlane+"/reset", "application/json",
		`{}`); err != nil {
		t.Fatal(err)
	}
	if err := setControllers(t.Context(), url, false); err != nil {
		t.Fatal(err)
	}
}

func call(ctx context.Context, client *http.Client, method, url, contentType, body string) error {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType)
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 4096))
	if err == nil && res.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s: %s", method, url, res.Status, answer)
	}
	return err
}

func show(differences []conformance.Difference, limit int) string {
	var b strings.Builder
	for i, d := range differences {
		if i == limit {
			fmt.Fprintf(&b, "  … and %d more\n", len(differences)-i)
			break
		}
		fmt.Fprintf(&b, "  %s\n", d)
	}
	return b.String()
}

type tally struct {
	mu             sync.Mutex
	passed, failed int
}

func (c *tally) add(n *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*n++
}

func (c *tally) String() string {
	return fmt.Sprintf("replay: %d passed, %d failed", c.passed, c.failed)
}
