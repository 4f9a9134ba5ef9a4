package core

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/journal"
)

func TestInitialObjects(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage})
	service := must(t, c, 200, "GET", "/api/v1/namespaces/default/services/kubernetes", "")
	if ip := at(service, "spec.clusterIP"); ip != "10.96.0.1" {
		t.Errorf("Service kubernetes is at %v", ip)
	}
	pod := must(t, c, 201, "POST", pods,
		`{"metadata":{"name":"a"},"spec":{"priorityClassName":"system-node-critical","containers":[{"name":"c",`+
			`"image":"i"}]}}`)
	if priority := at(pod, "spec.priority"); priority != 2000001000.0 {
		t.Errorf("priority %v", priority)
	}
	must(t, c, 200, "DELETE", "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical", "")

	again := reopen(t, storage)
	if again.Recovery().SetAside != "" {
		t.Fatalf("recovery %+v", again.Recovery())
	}
	if uid := at(must(t, again, 200, "GET", "/api/v1/namespaces/default/services/kubernetes", ""),
		"metadata.uid"); uid != at(service, "metadata.uid") {
		t.Error("a reload made another Service kubernetes")
	}
	must(t, again, 200, "GET", "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical", "")
}
