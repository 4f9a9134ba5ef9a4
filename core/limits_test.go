package core

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apiserver"
)

// TestWebhookThatWrites checks that a request gives up its seat while it waits for its webhook, so
// that the webhook can write.
func TestWebhookThatWrites(t *testing.T) {
	var c *Cluster
	calls := 0
	c, _ = newCluster(t, Options{
		Limits: apiserver.Limits{Reads: 1, Writes: 1, Queue: true},
		Webhooks: func(_ context.Context, call *webhooks.Call) (*webhooks.Reply, error) {
			calls++
			var review struct{ Request struct{ UID string } }
			if err := json.Unmarshal(call.Body, &review); err != nil {
				t.Error(err)
			}
			must(t, c, 201, "POST", "/api/v1/namespaces/default/secrets", `{"metadata":{"generateName":"s-"}}`)
			return &webhooks.Reply{Code: 200, ContentType: "application/json",
				Body: []byte(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"` +
					review.Request.UID + `","allowed":true}}`)}, nil
		},
	})
	must(t, c, 201, "POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
		`{"metadata":{"name":"w"},"webhooks":[{
		"name":"a.example.com","sideEffects":"None","admissionReviewVersions":["v1"],
		"clientConfig":{"url":"https://hooks.example/"},
		"rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"],"operations":["*"]}]}]}`)
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}
