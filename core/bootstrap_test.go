package core

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

const (
	networking  = "/apis/networking.k8s.io/v1"
	apiServices = "/apis/apiregistration.k8s.io/v1/apiservices"
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
	must(t, c, 200, "DELETE",
		"/apis/scheduling.k8s.io/v1/priorityclasses?fieldSelector=metadata.name%3Dsystem-node-critical", "")

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

// TestInitialObjectsOfTheServer checks what the real server makes for itself, by examples.
func TestInitialObjectsOfTheServer(t *testing.T) {
	c, _ := newCluster(t, Options{})
	for path, n := range map[string]int{
		networking + "/servicecidrs": 1, networking + "/ipaddresses": 1,
		"/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas":                                11,
		"/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations":                8,
		apiServices + "?labelSelector=kube-aggregator.kubernetes.io/automanaged%3Donstart": 21,
	} {
		if items := must(t, c, 200, "GET", path, "")["items"].([]any); len(items) != n {
			t.Errorf("%s has %d objects, want %d", path, len(items), n)
		}
	}
	for path, want := range map[string][]string{
		networking + "/servicecidrs/kubernetes": {`"spec":{"cidrs":["10.96.0.0/12"]}`, `"type":"Ready","status":"True"`,
			`"manager":"kubernetes-service-cidr-controller","operation":"Apply"`, `"subresource":"status"`},
		networking + "/ipaddresses/10.96.0.1": {
			`"parentRef":{"resource":"services","namespace":"default","name":"kubernetes"}`,
			`"ipaddress.kubernetes.io/managed-by":"ipallocator.k8s.io"`},
		"/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking": {
			`"data":{"since":"2026-11-20"}`, `"manager":"kube-apiserver","operation":"Update"`},
		"/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/probes": {`"type":"Dangling","status":"False"`,
			`object named \"exempt\" and it exists`, `"manager":"api-priority-and-fairness-config-producer-v1",` +
				`"operation":"Update"`, `"generation":1`},
		"/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/exempt": {`"nominalConcurrencyShares":0`,
			`"apf.kubernetes.io/autoupdate-spec":"true"`},
	} {
		code, text := call(t, c, "GET", path, "")
		for _, part := range want {
			if code != 200 || !strings.Contains(text, part) {
				t.Errorf("%s: %d %s\nwithout %s", path, code, text, part)
			}
		}
	}
	// Each group version that is built in has an APIService.
	table := schema.Builtin()
	served := 0
	for _, g := range table.Groups() {
		for _, version := range g.Versions {
			served++
			path := apiServices + "/" + version + "." + g.Name
			if g.Name == "apiregistration.k8s.io" { // the aggregator's own
				served--
				continue
			}
			service := must(t, c, 200, "GET", path, "")
			condition := at(service, "status.conditions").([]any)[0].(map[string]any)
			if condition["type"] != "Available" || condition["reason"] != "Local" || condition["status"] != "True" {
				t.Errorf("%s: %v", path, condition)
			}
		}
	}
	items := must(t, c, 200, "GET", apiServices, "")["items"].([]any)
	if len(items) != served {
		t.Errorf("%d APIServices of %d group versions", len(items), served)
	}
}

// TestDefaultPortOfAPIServices is that of HTTPS.
func TestDefaultPortOfAPIServices(t *testing.T) {
	c, _ := newCluster(t, Options{})
	const body = `{"metadata":{"name":"v1.a.example.com"},"spec":{"group":"a.example.com","version":"v1",` +
		`"groupPriorityMinimum":1,"versionPriority":1,"service":{"namespace":"default","name":"a"}}}`
	made := must(t, c, 201, "POST", apiServices, body)
	if port := at(made, "spec.service.port"); port != 443.0 {
		t.Errorf("port %v", port)
	}
	if conditions := at(made, "status.conditions"); conditions != nil {
		t.Errorf("one of another server has conditions: %v", conditions)
	}
}

// TestInitialObjectsAreFound checks that the store has beside each initial object what it would have if it read the
// object.
func TestInitialObjectsAreFound(t *testing.T) {
	c, _ := newCluster(t, Options{})
	i, n := c.current.Load(), 0
	for _, row := range i.table.Resources() {
		page, err := i.store.Range(row.Bucket(), mvcc.Query{})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			want, err := registry.Load(row.Storage(), item.Value)
			if err != nil {
				t.Fatal(err)
			}
			n++
			if is, want := fmt.Sprintf("%+v", item.Attrs), fmt.Sprintf("%+v", want); is != want {
				t.Errorf("%s %s has %s, want %s", row.Plural, item.Key, is, want)
			}
		}
	}
	if n < 50 {
		t.Errorf("%d objects", n)
	}
}
