package controller_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	lever   = wellknown.ControlPlane
	account = "/api/v1/namespaces/default/serviceaccounts/default"
)

func newCluster(t testing.TB, o core.Options) *core.Cluster {
	t.Helper()
	if o.Clock == nil {
		o.Clock = clock.Real()
	}
	o.Rand = rand.NewChaCha8([32]byte{1})
	c, err := core.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// appears waits for an object.
func appears(t testing.TB, c *core.Cluster, path string) {
	t.Helper()
	at := strings.LastIndexByte(path, '/')
	watch(c, path[:at]+"?watch=1&fieldSelector=metadata.name="+path[at+1:], "ADDED")
	if code, _ := apitest.Object(t, c, "GET", path, ""); code != 200 {
		t.Fatalf("%s has not appeared", path)
	}
}

// watch follows a watch until there is an event of a type. If it never comes,
// the test's own time limit ends it.
func watch(c *core.Cluster, path, verb string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			panic(p)
		}
	}()
	w := &until{httptest.NewRecorder(), `"type":"` + verb + `"`, cancel}
	c.ServeHTTP(w, httptest.NewRequest("GET", path, nil).WithContext(ctx))
}

// until is a client that disconnects when it has received a text.
type until struct {
	*httptest.ResponseRecorder
	text  string
	leave func()
}

func (u *until) Write(b []byte) (int, error) {
	if strings.Contains(string(b), u.text) {
		u.leave()
	}
	return len(b), nil
}

func TestControlPlaneSwitchesControllers(t *testing.T) {
	storage := journal.NewMemory(nil)
	c := newCluster(t, core.Options{Storage: storage})
	if code, _ := apitest.Object(t, c, "GET", account, ""); code != 404 {
		t.Fatalf("%d: the controllers run", code)
	}
	if code, answer := apitest.Object(t, c, "PUT", lever,
		`{"metadata":{"name":"default"},"spec":{"controllers":{"enabled":true}}}`); code != 200 {
		t.Fatal(answer)
	}
	appears(t, c, account)
	for range 3 { // while the controllers work
		if code, answer := apitest.Object(t, c, "POST", lever+"/reset", "{}"); code != 201 {
			t.Fatal(answer)
		}
	}
	if _, obj := apitest.Object(t, c, "GET", lever,
		""); obj["spec"].(map[string]any)["controllers"].(map[string]any)["enabled"] != false {
		t.Errorf("a new cluster has %v", obj["spec"])
	}
	if code, answer := apitest.Object(t, c, "PUT", lever,
		`{"metadata":{"name":"default"},"spec":{"controllers":{"enabled":true}}}`); code != 200 {
		t.Fatal(answer)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}

	again := newCluster(t, core.Options{Storage: journal.NewMemory(storage.Bytes())})
	appears(t, again, account) // still on, whatever the options say
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDeletedNamespaceIsGoneAfterFiveSeconds(t *testing.T) {
	manual := clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	c := newCluster(t, core.Options{Clock: manual, Controllers: true})
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	if code, answer := apitest.Object(t, c, "POST", "/api/v1/namespaces", `{"metadata":{"name":"x"}}`); code != 201 {
		t.Fatal(answer)
	}
	appears(t, c, "/api/v1/namespaces/x/configmaps/kube-root-ca.crt")
	for range 2 { // the second one changes nothing
		if code, answer := apitest.Object(t, c, "DELETE", "/api/v1/namespaces/x", ""); code != 200 {
			t.Fatal(answer)
		}
	}
	code, answer := apitest.Object(t, c, "POST", "/api/v1/namespaces/x/configmaps", `{"metadata":{"name":"late"}}`)
	if code != 403 || !strings.Contains(answer["message"].(string), "because it is being terminated") {
		t.Errorf("%d: %v", code, answer)
	}
	// When the controller begins to wait cannot be seen among other timers, so the clock moves until it has waited.
	for {
		code, answer := apitest.Object(t, c, "GET", "/api/v1/namespaces/x", "")
		if code == 404 {
			break
		}
		if code != 200 {
			t.Fatalf("%d: %v", code, answer)
		}
		manual.Advance(5 * time.Second)
		runtime.Gosched() // in WebAssembly the controller runs only then
	}
}

// BenchmarkStart measures the time from nothing to the first answer, with the controllers.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		c := newCluster(b, core.Options{Controllers: true})
		if code, _ := apitest.Object(b, c, "GET", "/api/v1/namespaces", ""); code != 200 {
			b.Fatal(code)
		}
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestControllersBeginInTheBackground: requests do not wait for the controllers to begin, which a host may put off.
func TestControllersBeginInTheBackground(t *testing.T) {
	begin, begun := make(chan struct{}), make(chan struct{}, 100)
	c := newCluster(t, core.Options{Controllers: true, Background: func() {
		begun <- struct{}{}
		<-begin
	}})
	defer c.Close()
	<-begun
	if code, _ := apitest.Object(t, c, "GET", "/api/v1/namespaces/default", ""); code != 200 {
		t.Errorf("a request before the controllers have begun: %d", code)
	}
	if code, _ := apitest.Object(t, c, "GET", account, ""); code != 404 {
		t.Errorf("the account that a controller makes is there before: %d", code)
	}
	close(begin)
	appears(t, c, account)
}
