package apiserver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// wrote makes a request that asks for its source, and returns the source header, with revisions
// relative to the head before the request.
func wrote(t *testing.T, s *Server, e exchange) string {
	t.Helper()
	head := s.Registry.Store.Status().Head
	e.header += "\n" + wellknown.ExplainHeader + ": 1"
	w := e.do(s)
	if w.Code != e.code {
		t.Errorf("%s %s: %d, want %d: %s", e.method, e.path, w.Code, e.code, w.Body)
	}
	text := w.Header().Get(wellknown.SourceHeader)
	if text == "" {
		return ""
	}
	from, err := source.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if now := s.Registry.Store.Status().Head; from.Head > 0 && from.Head != now {
		t.Errorf("the head is told as %d, and is %d", from.Head, now)
	}
	words := []string{from.From, from.Rule}
	for _, span := range from.Wrote {
		words = append(words, fmt.Sprintf("+%d..%d", span.First-head, span.Last-head))
	}
	if from.More > 0 {
		words = append(words, fmt.Sprintf("and %d", from.More))
	}
	if from.Revision > 0 {
		words = append(words, "revision")
	}
	return strings.Join(words, " ")
}

// The sources of writes, with the revisions that they have made.
func TestExplainWrites(t *testing.T) {
	const (
		stored    = "etcd write +1..1"
		unchanged = "etcd write-unchanged"
		dry       = "etcd write-dry-run"
		refused   = "etcd write-refused"
		yaml      = "Content-Type: application/apply-patch+yaml"
		pdb       = `{"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1,"expectedPods":2}`
		evict     = `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"NAME"}}`
		review    = `{"spec":{"nonResourceAttributes":{"path":"/","verb":"get"}}}`
		secretA   = `{"metadata":{"name":"a"},"stringData":{"v":"1"}}`
	)
	s := newServer(t)
	setUp(t, s, runningPod("held", "True")...)
	setUp(t, s, budget("b", "", pdb)...)
	post := func(path, body string, code int) exchange { return exchange{"POST", path, "", body, code, ""} }
	put := func(path, body string, code int) exchange { return exchange{"PUT", path, "", body, code, ""} }
	patch := func(path, body string, code int) exchange { return exchange{"PATCH", path, mergePatch, body, code, ""} }
	apply := func(name, value string, code int) exchange {
		body := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `"},"data":{"v":"` + value + `"}}`
		return exchange{"PATCH", configMaps + "/" + name + "?fieldManager=me", yaml, body, code, ""}
	}
	remove := func(path, body string, code int) exchange { return exchange{"DELETE", path, "", body, code, ""} }
	for _, row := range []struct {
		exchange
		want string
	}{
		{post(configMaps, `{"metadata":{"name":"a"}}`, 201), stored},
		{post(configMaps, `{"metadata":{"generateName":"g-"}}`, 201), stored},
		{post(configMaps, `{"metadata":{"name":"a"}}`, 409), refused},
		{post(configMaps, `{"metadata":{"name":"A"}}`, 422), refused},
		{post("/api/v1/namespaces/none/configmaps", `{"metadata":{"name":"a"}}`, 404), refused},
		{post(configMaps, `{"metadata":{"name":"a","namespace":"other"}}`, 400), refused},
		{post(configMaps, `{`, 400), ""}, // it ended before anything was stored
		{post(configMaps+"?dryRun=All", `{"metadata":{"name":"b"}}`, 201), dry},
		{post(configMaps+"?dryRun=All", `{"metadata":{"name":"a"}}`, 409), refused},

		{put(configMaps+"/a", `{"metadata":{"name":"a"},"data":{"v":"1"}}`, 200), stored},
		{put(configMaps+"/a", `{"metadata":{"name":"a"},"data":{"v":"1"}}`, 200), unchanged},
		{put(configMaps+"/a", `{"metadata":{"name":"a","resourceVersion":"1"}}`, 409), refused},
		{put(configMaps+"/a?dryRun=All", `{"metadata":{"name":"a"}}`, 200), dry},
		{put("/api/v1/namespaces/default/serviceaccounts/missing", `{"metadata":{"name":"missing"}}`, 404), refused},
		// created by an update
		{put("/apis/coordination.k8s.io/v1/namespaces/default/leases/l", `{"metadata":{"name":"l"}}`, 201), stored},
		{patch(configMaps+"/a", `{"data":{"v":"2"}}`, 200), stored},
		{patch(configMaps+"/a", `{"data":{"v":"2"}}`, 200), unchanged},
		{patch(configMaps+"/missing", `{}`, 404), refused},
		{apply("c", "1", 201), stored},
		{apply("c", "1", 200), unchanged},
		{apply("a", "3", 409), refused},
		{patch(podsPath+"/held/status", `{"status":{"message":"m"}}`, 200), stored},
		{post(podsPath+"/held/binding", `{"metadata":{"name":"held"},"target":{"name":"n"}}`, 201), stored},
		{post(podsPath+"/held/binding", `{"metadata":{"name":"held"},"target":{"name":"m"}}`, 409), refused},
		{post(podsPath+"/missing/binding", `{"metadata":{"name":"missing"},"target":{"name":"n"}}`, 404), refused},

		{remove(configMaps+"/a?dryRun=All", "", 200), dry},
		{remove(configMaps+"/a", `{"preconditions":{"uid":"x"}}`, 409), refused},
		{remove(configMaps+"/a", "", 200), stored},
		{remove(configMaps+"/a", "", 404), refused},
		{post(configMaps, `{"metadata":{"name":"f","finalizers":["example.com/f"]}}`, 201), stored},
		{remove(configMaps+"/f", "", 200), stored},    // marked for deletion
		{remove(configMaps+"/f", "", 200), unchanged}, // it is already
		{patch(configMaps+"/f", `{"metadata":{"finalizers":null}}`, 200), stored},
		{remove("/api/v1/namespaces/default", "", 403), refused},

		// Side effects: the budget's status, the pod's condition, the mark for deletion with its grace
		// period.
		{post(podsPath+"/held/eviction?dryRun=All", strings.ReplaceAll(evict, "NAME", "held"), 201), dry},
		{post(podsPath+"/held/eviction", strings.ReplaceAll(evict, "NAME", "held"), 201), "etcd write +1..3"},
		{post(podsPath+"/missing/eviction", strings.ReplaceAll(evict, "NAME", "missing"), 404), refused},
		{remove(podsPath+"/held?gracePeriodSeconds=0", "", 200), "etcd write +1..2"}, // its grace period ends

		{remove("/api/v1/namespaces/default/secrets", "", 200), unchanged}, // it has no Secrets
		{post("/api/v1/namespaces/default/secrets", secretA, 201), stored},
		{post("/api/v1/namespaces/default/secrets", strings.ReplaceAll(secretA, `"a"`, `"b"`), 201), stored},
		{remove("/api/v1/namespaces/default/secrets?dryRun=All", "", 200), dry},
		{remove("/api/v1/namespaces/default/secrets", "", 200), "etcd write +1..2"},
		{remove("/api/v1/namespaces/default/secrets?resourceVersion=1&resourceVersionMatch=Exact", "", 200), unchanged},
		{remove("/api/v1/namespaces/default/secrets?resourceVersion=99999&resourceVersionMatch=Exact", "", 504),
			"etcd list-exact"},
		{remove("/api/v1/namespaces/default/secrets?resourceVersionMatch=Exact", "", 422), " list-invalid"},

		{post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review, 201), ""},
		{exchange{"GET", podsPath + "/held/log", "", "", 404, ""}, ""},
	} {
		if got := wrote(t, s, row.exchange); got != row.want {
			t.Errorf("%s %s %s\ngot  %s\nwant %s", row.method, row.path, row.body, got, row.want)
		}
	}
}

// The header is not passed on by a proxy.
func TestExplainEndsAtAProxy(t *testing.T) {
	s := newServer(t)
	setUp(t, s, exchange{method: "POST", path: "/api/v1/nodes", body: `{
		"metadata":{"name":"n","annotations":{"` + echoAnnotation + `":"echo"}},
		"status":{"addresses":[{"type":"InternalIP","address":"192.0.2.7"}]}}`})
	w := exchange{method: "GET", path: "/api/v1/nodes/n/proxy/", header: wellknown.ExplainHeader + ": 1\nX-Other: 1"}.do(s)
	body, told := w.Body.String(), w.Header().Get(wellknown.SourceHeader)
	if w.Code != 200 || !strings.Contains(body, "X-Other") || strings.Contains(body, "Explain") || told != "" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}
