package webhooks_test

import (
	"context"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Which requests a webhook sees.
func TestMatching(t *testing.T) {
	const namespaces, classes = "/api/v1/namespaces", "/apis/scheduling.k8s.io/v1/priorityclasses"
	class := func(name string) tree { return tree{"metadata": tree{"name": name}, "value": 1} }
	labelled := func(name string, labels tree) tree { return tree{"metadata": tree{"name": name, "labels": labels}} }
	scoped := func(scope string) tree {
		r := rule("*", "*", "*", "*")
		r["scope"] = scope
		return tree{"rules": []any{r}}
	}
	type request struct {
		method, path string
		body         any
	}
	subresource := request{"PUT", namespaces + "/plain/status",
		tree{"metadata": tree{"name": "plain"}, "status": tree{"phase": "Active"}}}
	create := request{"POST", configMaps, configMap("new", nil)}
	for name, test := range map[string]struct {
		hook    tree
		request request
		want    bool
	}{
		"its resource":      {nil, create, true},
		"another operation": {tree{"rules": []any{rule("", "v1", "configmaps", "UPDATE", "DELETE")}}, create, false},
		"another group":     {tree{"rules": []any{rule("apps", "v1", "*", "*")}}, create, false},
		"another version":   {tree{"rules": []any{rule("", "v2", "*", "*")}}, create, false},
		"another resource":  {tree{"rules": []any{rule("", "v1", "secrets", "*")}}, create, false},
		"several rules": {tree{"rules": []any{rule("", "v1", "secrets", "*"), rule("*", "*", "configmaps", "*"),
			rule("*", "*", "*", "*")}}, create, true},
		"a star is no subresource": {tree{"rules": []any{rule("*", "*", "*", "*")}}, subresource, false},
		"any subresource":          {tree{"rules": []any{rule("*", "*", "*/*", "*")}}, subresource, true},
		"status of anything":       {tree{"rules": []any{rule("*", "*", "*/status", "*")}}, subresource, true},
		"whatever of namespaces":   {tree{"rules": []any{rule("*", "*", "namespaces/*", "*")}}, subresource, true},

		"cluster scope, namespaced object":     {scoped("Cluster"), create, false},
		"cluster scope, cluster-scoped object": {scoped("Cluster"), request{"POST", classes, class("p")}, true},
		"cluster scope, namespace":             {scoped("Cluster"), request{"POST", namespaces, labelled("n", nil)}, true},
		"namespaced scope, namespace": {scoped("Namespaced"), request{"POST", namespaces, labelled("n", nil)},
			false},
		"namespaced scope, namespaced object": {scoped("Namespaced"), create, true},

		"namespace selected": {selecting("namespaceSelector"),
			request{"POST", namespaces + "/marked/configmaps", configMap("a", nil)}, true},
		"namespace not selected": {selecting("namespaceSelector"), create, false},
		"cluster-scoped object":  {selecting("namespaceSelector"), request{"POST", classes, class("p")}, true},
		"namespace by its new labels": {selecting("namespaceSelector"),
			request{"POST", namespaces, labelled("n", tree{"mark": "x"})}, true},
		"namespace without the labels": {selecting("namespaceSelector"),
			request{"PUT", namespaces + "/marked", labelled("marked", nil)}, false},
		"deleted namespace": {selecting("namespaceSelector"), request{"DELETE", namespaces + "/marked", nil}, true},

		"object selected": {selecting("objectSelector"),
			request{"POST", configMaps, labelled("a", tree{"mark": "x"})}, true},
		"object not selected": {selecting("objectSelector"), create, false},
		"object that was selected": {selecting("objectSelector"),
			request{"PUT", configMaps + "/marked", labelled("marked", nil)}, true},
		"object that will be": {selecting("objectSelector"),
			request{"PUT", configMaps + "/plain", labelled("plain", tree{"mark": "x"})}, true},
		"deleted object":             {selecting("objectSelector"), request{"DELETE", configMaps + "/marked", nil}, true},
		"deleted object, unselected": {selecting("objectSelector"), request{"DELETE", configMaps + "/plain", nil}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			mark := tree{"mark": "x"}
			c.must(201, "POST", namespaces, labelled("marked", mark))
			c.must(201, "POST", namespaces, labelled("plain", nil))
			c.must(201, "POST", configMaps, labelled("marked", mark))
			c.must(201, "POST", configMaps, labelled("plain", nil))
			c.configure("Validating", "x", config("wh", test.hook))
			c.answer("wh", allowed)
			if w := c.do(test.request.method, test.request.path, test.request.body); w.Code >= 300 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if got := len(c.taken()); got > 1 || (got == 1) != test.want {
				t.Errorf("%d calls", got)
			}
		})
	}
}

// selecting returns a webhook for everything that one of the selectors matches.
func selecting(selector string) tree {
	return tree{
		"rules":  []any{rule("*", "*", "*", "*")},
		selector: tree{"matchExpressions": []any{tree{"key": "mark", "operator": "In", "values": []any{"x", "y"}}}},
	}
}

// A service is looked up in the cluster.
func TestService(t *testing.T) {
	c := newCluster(t)
	c.configure("Validating", "x",
		config("wh", tree{"clientConfig": tree{"service": tree{"namespace": "default", "name": "s", "path": "/wh"}}}))
	got := c.must(500, "POST", configMaps, configMap("a", nil))
	if want := `Internal error occurred: failed calling webhook "wh.example.com": failed to call webhook: ` +
		`Post "https://s.default.svc:443/wh?timeout=10s": service "s" not found`; got["message"] != want {
		t.Error(got["message"])
	}
	s := c.must(201, "POST", "/api/v1/namespaces/default/services",
		tree{"metadata": tree{"name": "s"}, "spec": tree{"ports": []any{tree{"port": 443}}}})
	c.answer("wh", allowed)
	c.must(201, "POST", configMaps, configMap("a", nil))
	if call := c.one(); !call.Service || call.Address != at(s, "spec.clusterIP").(string)+":443" {
		t.Errorf("%v %s", call.Service, call.Address)
	}
}

// Without configurations a write is not delayed.
func TestNothingToDo(t *testing.T) {
	table := schema.Builtin()
	w := &webhooks.Plugin{Store: mvcc.New(nil), Table: table}
	w.Enable()
	a := &admission.Attributes{Resource: table.Resource("", "v1", "pods"), Operation: admission.Create}
	ctx := context.Background()
	pass := func() {
		if w.Mutate(ctx, a) != nil || w.Validate(ctx, a) != nil {
			t.Error("refused")
		}
	}
	pass()
	if n := testing.AllocsPerRun(100, pass); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A webhook whose rules name another version gets the object in that one, unless it wants exact
// matches; its patches apply to the request's.
func TestEquivalentVersions(t *testing.T) {
	const events, autoscalers = "/api/v1/namespaces/default/events",
		"/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
	event := tree{"metadata": tree{"name": "e"}, "involvedObject": tree{"namespace": "default"}, "message": "m"}
	c := newCluster(t)
	rules := []any{rule("events.k8s.io", "v1", "events", "*"), rule("autoscaling", "v1", "*", "*")}
	c.configure("Mutating", "m", config("exact", tree{"rules": rules, "matchPolicy": "Exact"}),
		config("m", tree{"rules": rules}))
	c.answer("m", patches(`[{"op":"add","path":"/note","value":"patched"}]`))
	if got := c.must(201, "POST", events, event); got["message"] != "patched" {
		t.Error(got)
	}
	r := c.one().request
	if at(r, "kind.group") != "events.k8s.io" || at(r, "resource.group") != "events.k8s.io" ||
		at(r, "object.apiVersion") != "events.k8s.io/v1" ||
		at(r, "requestKind.group") != "" || at(r, "requestResource.group") != "" || at(r, "object.note") != "m" {
		t.Error(r)
	}

	c.answer("m", patches(`[{"op":"add","path":"/spec/targetCPUUtilizationPercentage","value":42}]`))
	got := c.must(201, "POST", autoscalers,
		tree{"metadata": tree{"name": "h"},
			"spec": tree{"maxReplicas": 3, "scaleTargetRef": tree{"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}}})
	metrics, _ := at(got, "spec.metrics").([]any)
	if len(metrics) != 1 || at(metrics[0], "resource.target.averageUtilization") != 42.0 ||
		got["apiVersion"] != "autoscaling/v2" {
		t.Error(got)
	}
	if r := c.one().request; at(r, "kind.version") != "v1" || at(r, "requestKind.version") != "v2" ||
		at(r, "object.spec.maxReplicas") != 3.0 {
		t.Error(r)
	}
}
