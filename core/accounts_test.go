package core

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/core/clock"
)

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
