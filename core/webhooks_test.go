package core

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/journal"
)

// A required webhook that cannot be reached does not keep a cluster from starting again: initial
// objects are not sent to webhooks. Its configuration can be deleted although nothing else can be
// written.
func TestReloadWithAWebhookThatIsGone(t *testing.T) {
	const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage, Controllers: true})
	must(t, c, 201, "POST", configurations,
		`{"metadata":{"name":"all"},"webhooks":[{"name":"a.example.com","sideEffects":"None",
		"admissionReviewVersions":["v1"],"clientConfig":{"url":"https://127.0.0.1:1/"},
		"rules":[{"apiGroups":["*"],"apiVersions":["*"],"resources":["*/*"],"operations":["*"]}]}]}`)
	must(t, c, 500, "POST", configMaps, configMap("a", "1"))
	_, saved := call(t, c, "GET", plane+"/snapshot", "")

	again := reopen(t, storage)
	if !again.Recovery().Restored || again.Recovery().Problem != "" {
		t.Errorf("recovery %+v", again.Recovery())
	}
	must(t, again, 500, "POST", configMaps, configMap("a", "1"))
	must(t, again, 201, "PUT", plane+"/snapshot", saved)
	must(t, again, 500, "POST", configMaps, configMap("a", "1"))
	must(t, again, 200, "DELETE", configurations+"/all", "")
	must(t, again, 201, "POST", configMaps, configMap("a", "1"))
}

// A namespace that is being deleted can be deleted again: nothing changes, and no webhook is asked.
func TestDeletingANamespaceAgainAsksNobody(t *testing.T) {
	const namespaces = "/api/v1/namespaces"
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", namespaces, `{"metadata":{"name":"a"}}`)
	must(t, c, 201, "POST", namespaces, `{"metadata":{"name":"b"}}`)
	before := must(t, c, 200, "DELETE", namespaces+"/a", "")
	must(t, c, 201, "POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
		`{"metadata":{"name":"all"},"webhooks":[{"name":"a.example.com","sideEffects":"None",
		"admissionReviewVersions":["v1"],"clientConfig":{"url":"https://127.0.0.1:1/"},
		"rules":[{"apiGroups":[""],"apiVersions":["*"],"resources":["namespaces"],"operations":["DELETE"]}]}]}`)
	must(t, c, 500, "DELETE", namespaces+"/b", "")
	after := must(t, c, 200, "DELETE", namespaces+"/a", `{"propagationPolicy":"Orphan"}`)
	if at(after, "metadata.resourceVersion") != at(before, "metadata.resourceVersion") {
		t.Errorf("it was changed: %v, before %v", after, before)
	}
	must(t, c, 409, "DELETE", namespaces+"/a", `{"preconditions":{"uid":"x"}}`)
}
