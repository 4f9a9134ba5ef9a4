package timeline

import (
	"fmt"
	"testing"
)

func TestRollouts(t *testing.T) {
	m := newWorld()
	said := func(begin, until int64) string {
		r, ok := m.Rollout(begin, until)
		if !ok {
			return "none"
		}
		return fmt.Sprintf("%s %s %d-%d: %d writes by %d, %d Pods", r.Object.Resource, r.Object.Name, r.Begin.Rev, r.Last.Rev,
			r.Writes, r.Clients, len(r.Pods))
	}
	const all = 1000
	want := func(begin, until int64, want string) {
		t.Helper()
		if got := said(begin, until); got != want {
			t.Errorf("from %d until %d: %s, want %s", begin, until, got, want)
		}
	}
	want(0, all, "none")
	rollout(m.Model)
	want(0, all, "deployments web 41-52: 10 writes by 4, 0 Pods") // the Event is not counted
	want(0, 46, "deployments web 41-46: 5 writes by 2, 0 Pods")
	want(0, 40, "none") // it has not begun
	want(50, all, "none")
	if got := m.Programs.Begin(51); got != 41 {
		t.Errorf("51 began with %d", got)
	}

	write(m.Model, 53, "deployments", "web", "page.9") // scaled, and nobody has answered
	want(0, all, "deployments web 53-53: 1 writes by 1, 0 Pods")
	write(m.Model, 54, "deployments", "web", "kube-controller-manager/deployment~52") // of the one before
	want(0, all, "deployments web 53-53: 1 writes by 1, 0 Pods")

	// Somebody deletes a Pod: what is about a workload says of which.
	write(m.Model, 55, "pods", "web-1-a", "page.10")
	want(0, all, "deployments web 53-53: 1 writes by 1, 0 Pods")
	write(m.Model, 56, "replicasets", "web-1", "kube-controller-manager/replicaset~55")
	want(0, all, "replicasets web-1 55-56: 2 writes by 2, 0 Pods")
	write(m.Model, 57, "deployments", "web", "kube-controller-manager/deployment~56")
	want(0, all, "deployments web 55-57: 3 writes by 2, 0 Pods")
}
