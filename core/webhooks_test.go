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
