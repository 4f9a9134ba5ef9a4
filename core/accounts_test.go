package core

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/core/clock"
)

// TestAccountsWithPrograms wants a Pod to need an account, and to get its token, while a kube-controller-manager works
// in a cluster whose host has such programs, and neither before nor after.
func TestAccountsWithPrograms(t *testing.T) {
	const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
	pod := func(name string) string {
		return `{"metadata":{"name":"` + name + `"},"spec":{"containers":[{"name":"c","image":"i"}]}}`
	}
	c, _ := newCluster(t, Options{Controllers: true, Programs: new(ticking)})
	account := func(name string) any {
		t.Helper()
		return at(must(t, c, 201, "POST", "/api/v1/namespaces/default/pods", pod(name)), "spec.serviceAccountName")
	}
	works := func(on bool) {
		for c.current.Load().controllers.Replaced() != on {
			runtime.Gosched()
		}
	}
	if got := account("before"); got != nil {
		t.Errorf("before: %v", got)
	}
	// While it works the server makes no accounts itself, and the clock by which a Pod waits for its own does not move.
	for code := 0; code != 200; runtime.Gosched() {
		code, _ = call(t, c, "GET", "/api/v1/namespaces/default/serviceaccounts/default", "")
	}
	must(t, c, 201, "POST", leases, held)
	works(true)
	if got := account("during"); got != "default" {
		t.Errorf("while it works: %v", got)
	}
	must(t, c, 200, "DELETE", leases+"/kube-controller-manager", "")
	works(false)
	if got := account("after"); got != nil {
		t.Errorf("after: %v", got)
	}
	plain, _ := newCluster(t, Options{Controllers: true})
	must(t, plain, 201, "POST", leases, held)
	for !plain.current.Load().controllers.Replaced() {
		runtime.Gosched()
	}
	c = plain
	if got := account("elsewhere"); got != nil {
		t.Errorf("where it was not asked for: %v", got)
	}
}

// TestAccountsWhilePaused wants a Pod whose account nobody makes to be refused, also while the cluster's clock is
// paused.
func TestAccountsWhilePaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newCluster(t, Options{Clock: clock.Real(), Flags: Flags{WithPlugins: []string{"ServiceAccount"}}})
		setSpec(t, c, `{"clock":{"paused":true}}`)
		code, text := call(t, c, "POST", "/api/v1/namespaces/default/pods",
			`{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
		if code != 403 || !strings.Contains(text, `serviceaccount \"default\" not found`) {
			t.Errorf("%d %s", code, text)
		}
	})
}
