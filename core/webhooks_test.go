package core

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apiserver"
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

// A webhook that makes requests for which it is called itself comes to an end, while no time passes: those of
// admission, which write what they are called for, and those of conversion, which read it in the other version. Other
// requests are answered then.
func TestWebhooksThatCallThemselves(t *testing.T) {
	for _, queue := range []bool{false, true} {
		limits := apiserver.Limits{Reads: 4, Writes: 4, Queue: queue}
		var c *Cluster
		var calls, refused atomic.Int64
		c, _ = newCluster(t, Options{Limits: limits,
			Webhooks: func(_ context.Context, w *webhooks.Call) (*webhooks.Reply, error) {
				n := calls.Add(1)
				if n > 1000 {
					return nil, fmt.Errorf("call %d", n)
				}
				var review struct {
					Kind, APIVersion string
					Request          struct {
						UID               string
						DesiredAPIVersion string
						Objects           []map[string]any
					}
				}
				if err := json.Unmarshal(w.Body, &review); err != nil {
					return nil, err
				}
				var code int
				response := map[string]any{"uid": review.Request.UID, "allowed": true}
				if review.Kind == "AdmissionReview" {
					code, _ = call(t, c, "POST", configMaps, configMap(fmt.Sprint("n-", n), ""))
				} else {
					code, _ = call(t, c, "GET", "/apis/stable.example.com/v2/namespaces/default/twos/a", "")
					obj := review.Request.Objects[0]
					obj["apiVersion"] = review.Request.DesiredAPIVersion
					response["convertedObjects"], response["result"] = []any{obj}, map[string]any{"status": "Success"}
				}
				if code == 429 {
					refused.Add(1)
				}
				body, err := json.Marshal(map[string]any{"apiVersion": review.APIVersion, "kind": review.Kind,
					"response": response})
				return &webhooks.Reply{Code: http.StatusOK, ContentType: "application/json", Body: body}, err
			}})
		must(t, c, 201, "POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
			`{"metadata":{"name":"self"},"webhooks":[{"name":"a.example.com","sideEffects":"None",
			"admissionReviewVersions":["v1"],"clientConfig":{"url":"https://hooks.example/"},
			"rules":[{"apiGroups":[""],"apiVersions":["*"],"resources":["configmaps"],"operations":["CREATE"]}]}]}`)
		version := func(name string, stored bool) string {
			return fmt.Sprintf(`{"name":%q,"served":true,"storage":%t,"schema":{"openAPIV3Schema":{"type":"object"}}}`,
				name, stored)
		}
		must(t, c, 201, "POST", definitions, fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1",
			"kind":"CustomResourceDefinition","metadata":{"name":"twos.stable.example.com"},"spec":{
			"group":"stable.example.com","scope":"Namespaced","names":{"plural":"twos","kind":"Two"},
			"versions":[%s,%s],"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],
			"clientConfig":{"url":"https://hooks.example/"}}}}}`, version("v1", true), version("v2", false)))
		condition(t, c, "twos", "Established", "True")
		must(t, c, 201, "POST", "/apis/stable.example.com/v1/namespaces/default/twos", `{"metadata":{"name":"a"},
			"apiVersion":"stable.example.com/v1","kind":"Two"}`)
		for method, path := range map[string]string{"POST": configMaps,
			"GET": "/apis/stable.example.com/v2/namespaces/default/twos/a"} {
			calls.Store(0)
			refused.Store(0)
			code, text := call(t, c, method, path, map[string]string{"POST": configMap("a", "")}[method])
			if code/100 != 2 || refused.Load() != 1 || calls.Load() > 8*4 {
				t.Errorf("%s, queue %v: %d %.200s after %d calls, of which %d were refused", method, queue, code, text,
					calls.Load(), refused.Load())
			}
			must(t, c, 201, "POST", "/api/v1/namespaces/default/secrets", `{"metadata":{"generateName":"s-"}}`)
		}
	}
}
