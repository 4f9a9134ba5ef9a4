package controller

import (
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

const managerLease = "leases/kube-system/kube-controller-manager"

// held is the spec of a Lease that was renewed at a time, and ends after 15 s.
func heldAt(renewed string) map[string]any {
	return map[string]any{"holderIdentity": "host_1", "leaseDurationSeconds": int64(15), "renewTime": renewed}
}

// TestReplaced wants the controllers that a kube-controller-manager has too to rest while it holds its Lease, and only
// then.
func TestReplaced(t *testing.T) {
	c := newCluster(t, true)
	c.create("namespaces/kube-system")
	c.created("kube-system")
	c.createWith(managerLease, heldAt("2026-11-20T12:00:00.000000Z"))
	c.expect("ADDED " + managerLease)
	c.clock.AwaitTimers(1) // for the Lease's end
	c.set.resting.idle()
	if !c.set.Replaced() {
		t.Error("nothing is replaced")
	}
	c.create("namespaces/a")
	c.delete("serviceaccounts/kube-system/default")
	c.expect("ADDED namespaces/a", "DELETED serviceaccounts/kube-system/default")
	c.createWith("clusterroles/all", nil)
	c.update("clusterroles/all", func(obj map[string]any) {
		obj["aggregationRule"] = map[string]any{"clusterRoleSelectors": []any{map[string]any{
			"matchLabels": map[string]any{"in": "all"},
		}}}
		obj["rules"] = []any{map[string]any{"verbs": []any{"get"}, "nonResourceURLs": []any{"/x"}}}
	})
	// Only controllers without a counterpart write something: no role is selected, so that there are no rules.
	c.expect("ADDED clusterroles/all", "MODIFIED clusterroles/all", "MODIFIED clusterroles/all")

	c.pass(15 * time.Second)
	c.expect("ADDED serviceaccounts/kube-system/default, ADDED serviceaccounts/a/default, " +
		"ADDED configmaps/a/kube-root-ca.crt")

	c.update(managerLease, func(obj map[string]any) { obj["spec"] = heldAt("2026-11-20T13:00:00.000000Z") })
	c.expect("MODIFIED " + managerLease)
	c.clock.AwaitTimers(1)
	c.set.resting.idle()
	c.create("namespaces/b")
	c.delete(managerLease)
	c.expect("ADDED namespaces/b", "DELETED "+managerLease,
		"ADDED serviceaccounts/b/default, ADDED configmaps/b/kube-root-ca.crt")
}

// TestLease wants a Lease to count from when a renewal was seen, by the holders' clock, whatever they write.
func TestLease(t *testing.T) {
	c := newCluster(t, false)
	c.create("namespaces/kube-system")
	var replaced bool
	host := clock.NewManual(c.clock.Now())
	l := &leader{client: client{c.Registry}, clock: host, lease: c.target(managerLease),
		replaced: func(r bool) { replaced = r }}
	see := func(what string, want bool, again time.Duration) {
		t.Helper()
		got, err := l.reconcile(t.Context(), "")
		if err != nil || replaced != want || got != again {
			t.Errorf("%s: %t, again after %v, %v; want %t, %v", what, replaced, got, err, want, again)
		}
	}
	spec := func(s map[string]any) {
		t.Helper()
		c.update(managerLease, func(obj map[string]any) { obj["spec"] = s })
	}
	see("none", false, 0)
	c.createWith(managerLease, heldAt("2020-01-01T00:00:00.000000Z"))
	see("new", true, 15*time.Second)
	host.Advance(10 * time.Second)
	see("10 s old", true, 5*time.Second)
	c.clock.Advance(time.Hour)
	see("10 s old, in a cluster whose clock was moved", true, 5*time.Second)
	spec(heldAt("2020-01-01T00:00:02.000000Z"))
	see("renewed", true, 15*time.Second)
	host.Advance(15 * time.Second)
	see("15 s old", false, 0)
	host.Advance(time.Hour)
	see("an hour old", false, 0)
	spec(heldAt("2020-01-01T00:00:20.000000Z"))
	see("renewed after that", true, 15*time.Second)
	released := heldAt("2020-01-01T00:00:21.000000Z")
	released["holderIdentity"], released["leaseDurationSeconds"] = "", int64(1)
	spec(released)
	see("released", false, 0)
	spec(heldAt("2020-01-01T00:00:22.000000Z"))
	see("held again", true, 15*time.Second)
	c.delete(managerLease)
	see("deleted", false, 0)
}
