package webhooks_test

import (
	"reflect"
	"strings"
	"testing"
)

// What a webhook is sent for a dry-run create, field by field.
func TestReviewOfCreate(t *testing.T) {
	c := newCluster(t)
	c.configure("Mutating", "m", config("m", nil))
	c.configure("Validating", "v",
		config("v", tree{"timeoutSeconds": 5, "clientConfig": tree{"url": "https://127.0.0.1:9443/v/"}}))
	c.answer("m", allowed)
	c.answer("v", allowed)
	c.must(201, "POST", configMaps+"?dryRun=All&fieldManager=fm", configMap("a", tree{"k": "<v>"}))
	calls := c.taken()
	if got := paths(calls); got != "m v" {
		t.Fatal(got)
	}
	v := calls[1]
	if v.URL != "https://127.0.0.1:9443/v?timeout=5s" || v.Header.Get("Content-Type") != "application/json" ||
		v.Header.Get("Accept") != "application/json, */*" || v.Header.Get("User-Agent") != "kube-apiserver-admission" {
		t.Errorf("%s %v", v.URL, v.Header)
	}
	stored := v.request["object"].(tree)
	want := tree{
		"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
		"request": tree{
			"uid":             v.request["uid"],
			"kind":            tree{"group": "", "version": "v1", "kind": "ConfigMap"},
			"resource":        tree{"group": "", "version": "v1", "resource": "configmaps"},
			"requestKind":     tree{"group": "", "version": "v1", "kind": "ConfigMap"},
			"requestResource": tree{"group": "", "version": "v1", "resource": "configmaps"},
			"name":            "a", "namespace": "default", "operation": "CREATE",
			"userInfo": tree{"username": "admin", "groups": []any{"system:masters", "system:authenticated"}},
			"object":   stored, "oldObject": nil, "dryRun": true,
			"options": tree{"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "dryRun": []any{"All"},
				"fieldManager": "fm"},
		},
	}
	if !reflect.DeepEqual(v.review, want) {
		t.Errorf("got  %v\nwant %v", v.review, want)
	}
	if !strings.Contains(string(v.Body), `"object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"`) {
		t.Errorf("%s", v.Body)
	}
	// A mutating webhook sees an object that has no identity yet.
	seen := calls[0].request["object"].(tree)
	for _, name := range []string{"uid", "creationTimestamp"} {
		if at(seen, "metadata."+name) != nil || at(stored, "metadata."+name) == nil {
			t.Errorf("%s: %v when mutating, %v when validating", name, at(seen, "metadata."+name), at(stored, "metadata."+name))
		}
	}
	if at(stored, "data.k") != "<v>" || calls[0].request["uid"] == v.request["uid"] {
		t.Error(stored)
	}
}

// A generated name is there for validating webhooks only.
func TestReviewOfGeneratedName(t *testing.T) {
	c := newCluster(t)
	c.configure("Mutating", "m", config("m", nil))
	c.configure("Validating", "v", config("v", nil))
	c.answer("m", allowed)
	c.answer("v", allowed)
	got := c.must(201, "POST", configMaps, tree{"metadata": tree{"generateName": "a-"}})
	calls := c.taken()
	if m := calls[0].request; m["name"] != nil || at(m, "object.metadata.name") != nil {
		t.Error(m)
	}
	if v := calls[1].request; v["name"] != at(got, "metadata.name") || at(v, "object.metadata.name") != v["name"] {
		t.Error(v)
	}
}

// What differs by the verb: the operation, which objects there are, the options.
func TestReviewByVerb(t *testing.T) {
	const pods, deployments = "/api/v1/namespaces/default/pods", "/apis/apps/v1/namespaces/default/deployments"
	const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
	container := []any{tree{"name": "c", "image": "i"}}
	template := tree{"metadata": tree{"labels": tree{"a": "b"}}, "spec": tree{"containers": container}}
	options := func(kind string, more tree) tree {
		o := tree{"kind": kind, "apiVersion": "meta.k8s.io/v1"}
		for k, v := range more {
			o[k] = v
		}
		return o
	}
	type want struct {
		operation, object, old string // kinds of the objects
		sub, name, namespace   string
		resource, kind         string // group/version/name
		options                tree
		dryRun                 bool
	}
	for name, test := range map[string]struct {
		method, path string
		body         any
		media        string
		want         want
	}{
		"put": {"PUT", configMaps + "/c?fieldManager=pm", configMap("c", tree{"k": "2"}), "",
			want{"UPDATE", "ConfigMap", "ConfigMap", "", "c", "default", "/v1/configmaps", "/v1/ConfigMap",
				options("UpdateOptions", tree{"fieldManager": "pm"}), false}},
		"patch": {"PATCH", configMaps + "/c?fieldManager=pm&dryRun=All", `{"data":{"k":"3"}}`, mergePatch,
			want{"UPDATE", "ConfigMap", "ConfigMap", "", "c", "default", "/v1/configmaps", "/v1/ConfigMap",
				options("UpdateOptions", tree{"fieldManager": "pm", "dryRun": []any{"All"}}), true}},
		"patch of nothing": {"PATCH", configMaps + "/c", `{}`, mergePatch,
			want{"UPDATE", "ConfigMap", "ConfigMap", "", "c", "default", "/v1/configmaps", "/v1/ConfigMap",
				options("UpdateOptions", nil), false}},
		"apply": {"PATCH", configMaps + "/c?fieldManager=apl&force=true&dryRun=All",
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"k":"3"}}`, "application/apply-patch+yaml",
			want{"UPDATE", "ConfigMap", "ConfigMap", "", "c", "default", "/v1/configmaps", "/v1/ConfigMap",
				options("UpdateOptions", tree{"fieldManager": "apl", "dryRun": []any{"All"}}), true}},
		"apply of an absent object": {"PATCH", configMaps + "/new?fieldManager=apl",
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"}}`, "application/apply-patch+yaml",
			want{"CREATE", "ConfigMap", "", "", "new", "default", "/v1/configmaps", "/v1/ConfigMap",
				options("CreateOptions", tree{"fieldManager": "apl"}), false}},
		"put of an absent lease": {"PUT", leases + "/l", tree{"metadata": tree{"name": "l"}}, "",
			want{"CREATE", "Lease", "", "", "l", "default", "coordination.k8s.io/v1/leases", "coordination.k8s.io/v1/Lease",
				options("CreateOptions", nil), false}},
		"delete": {"DELETE", configMaps + "/c", tree{"gracePeriodSeconds": 0, "propagationPolicy": "Background"}, "",
			want{"DELETE", "", "ConfigMap", "", "c", "default", "/v1/configmaps", "/v1/ConfigMap",
				options("DeleteOptions", tree{"gracePeriodSeconds": 0.0, "propagationPolicy": "Background"}), false}},
		"delete of a pod": {"DELETE", pods + "/p", nil, "",
			want{"DELETE", "", "Pod", "", "p", "default", "/v1/pods", "/v1/Pod",
				options("DeleteOptions", tree{"gracePeriodSeconds": 0.0}), false}},
		"status": {"PATCH", pods + "/p/status", `{"status":{"phase":"Running"}}`, mergePatch,
			want{"UPDATE", "Pod", "Pod", "status", "p", "default", "/v1/pods", "/v1/Pod", options("UpdateOptions", nil), false}},
		"scale": {"PATCH", deployments + "/d/scale", `{"spec":{"replicas":3}}`, mergePatch,
			want{"UPDATE", "Scale", "Scale", "scale", "d", "default", "apps/v1/deployments", "autoscaling/v1/Scale",
				options("UpdateOptions", nil), false}},
		"binding": {"POST", pods + "/p/binding",
			tree{"metadata": tree{"name": "p"}, "target": tree{"kind": "Node", "name": "n"}}, "",
			want{"CREATE", "Binding", "", "binding", "p", "default", "/v1/pods", "/v1/Binding", options("CreateOptions", nil),
				false}},
		"namespace": {"POST", "/api/v1/namespaces", tree{"metadata": tree{"name": "n"}}, "",
			want{"CREATE", "Namespace", "", "", "n", "n", "/v1/namespaces", "/v1/Namespace", options("CreateOptions", nil),
				false}},
		"cluster-scoped": {"POST", "/apis/scheduling.k8s.io/v1/priorityclasses",
			tree{"metadata": tree{"name": "n"}, "value": 1}, "",
			want{"CREATE", "PriorityClass", "", "", "n", "", "scheduling.k8s.io/v1/priorityclasses",
				"scheduling.k8s.io/v1/PriorityClass", options("CreateOptions", nil), false}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.must(201, "POST", configMaps, configMap("c", tree{"k": "1"}))
			c.must(201, "POST", pods, tree{"metadata": tree{"name": "p"}, "spec": tree{"containers": container}})
			c.must(201, "POST", deployments,
				tree{"metadata": tree{"name": "d"},
					"spec": tree{"selector": tree{"matchLabels": tree{"a": "b"}}, "template": template}})
			all := []any{rule("*", "*", "*", "*"), rule("*", "*", "*/*", "*")}
			c.configure("Mutating", "m", config("m", tree{"rules": all}))
			c.configure("Validating", "v", config("v", tree{"rules": all}))
			c.answer("m", allowed)
			c.answer("v", allowed)
			media := test.media
			if media == "" {
				media = "application/json"
			}
			if w := c.do(test.method, test.path, test.body, media); w.Code >= 300 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			calls := c.taken()
			if got := paths(calls); got != "m v" {
				t.Fatal(got)
			}
			for _, call := range calls {
				r := call.request
				kind := func(v any) string { s, _ := at(v, "kind").(string); return s }
				text := func(name string) string { s, _ := r[name].(string); return s }
				triple := func(v any, last string) string {
					return at(v, "group").(string) + "/" + at(v, "version").(string) + "/" + at(v, last).(string)
				}
				o, _ := r["options"].(tree)
				got := want{text("operation"), kind(r["object"]), kind(r["oldObject"]), text("subResource"), text("name"),
					text("namespace"),
					triple(r["resource"], "resource"), triple(r["kind"], "kind"), o, r["dryRun"].(bool)}
				if !reflect.DeepEqual(got, test.want) || text("requestSubResource") != test.want.sub ||
					!reflect.DeepEqual(r["kind"], r["requestKind"]) || !reflect.DeepEqual(r["resource"], r["requestResource"]) {
					t.Errorf("%s:\ngot  %v\nwant %v", call.path, got, test.want)
				}
			}
		})
	}
}

// Deleting a namespace names it twice and says which one it is.
func TestReviewOfNamespaceDeletion(t *testing.T) {
	c := newCluster(t)
	n := c.must(201, "POST", "/api/v1/namespaces", tree{"metadata": tree{"name": "n"}})
	c.configure("Validating", "v", config("v", tree{"rules": []any{rule("", "v1", "namespaces", "DELETE")}}))
	c.answer("v", allowed)
	c.must(200, "DELETE", "/api/v1/namespaces/n", nil)
	r := c.one().request
	if r["name"] != "n" || r["namespace"] != "n" || at(r, "options.preconditions.uid") != at(n, "metadata.uid") {
		t.Error(r)
	}
}

// Deleting a definition says which one it is, too.
func TestReviewOfDefinitionDeletion(t *testing.T) {
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	c := newCluster(t)
	d := c.must(201, "POST", definitions, tree{"metadata": tree{"name": "things.example.com"}, "spec": tree{
		"group": "example.com", "scope": "Cluster", "names": tree{"plural": "things", "kind": "Thing"},
		"versions": []any{tree{"name": "v1", "served": true, "storage": true,
			"schema": tree{"openAPIV3Schema": tree{"type": "object"}}}}}})
	rules := []any{rule("apiextensions.k8s.io", "v1", "customresourcedefinitions", "DELETE")}
	c.configure("Validating", "v", config("v", tree{"rules": rules}))
	c.answer("v", allowed)
	c.must(200, "DELETE", definitions+"/things.example.com?dryRun=All", nil)
	calls := c.taken() // more than one if the definition's status was written meanwhile
	for _, call := range calls {
		if at(call.request, "options.preconditions.uid") != at(d, "metadata.uid") {
			t.Error(call.request)
		}
	}
	if len(calls) == 0 {
		t.Error("it was not asked")
	}
}

// A CONNECT has its parameters as the object; a denial ends it before anything is connected.
func TestReviewOfConnect(t *testing.T) {
	const pods = "/api/v1/namespaces/default/pods/p/"
	c := newCluster(t)
	c.configure("Validating", "v", config("v", tree{"rules": []any{rule("*", "*", "*/*", "CONNECT")}}))
	c.answer("v", denies(nil))
	for path, want := range map[string]tree{
		pods + "exec?command=ls&command=-l&container=c&stdout=true": {"kind": "PodExecOptions", "apiVersion": "v1",
			"stdout": true, "container": "c", "command": []any{"ls", "-l"}},
		pods + "attach?stdin=1":                          {"kind": "PodAttachOptions", "apiVersion": "v1", "stdin": true},
		pods + "portforward?ports=80":                    {"kind": "PodPortForwardOptions", "apiVersion": "v1"},
		"/api/v1/nodes/n/proxy":                          {"kind": "NodeProxyOptions", "apiVersion": "v1"},
		"/api/v1/namespaces/default/services/s:80/proxy": {"kind": "ServiceProxyOptions", "apiVersion": "v1"},
	} {
		c.must(400, "POST", path, nil)
		r := c.one().request
		if r["operation"] != "CONNECT" || !reflect.DeepEqual(r["object"], want) || r["oldObject"] != nil ||
			r["options"] != nil || r["dryRun"] != false {
			t.Errorf("%s: %v", path, r)
		}
	}
	got := c.must(400, "POST", pods+"exec?dryRun=All", nil)
	if got["message"] != "dryRun is not supported" || len(c.taken()) > 0 {
		t.Error(got)
	}
}

// A change that a mutating webhook makes to a Scale is applied to the object.
func TestPatchOfScale(t *testing.T) {
	const deployments = "/apis/apps/v1/namespaces/default/deployments"
	c := newCluster(t)
	c.must(201, "POST", deployments,
		tree{"metadata": tree{"name": "d"}, "spec": tree{"selector": tree{"matchLabels": tree{"a": "b"}},
			"template": tree{"metadata": tree{"labels": tree{"a": "b"}},
				"spec": tree{"containers": []any{tree{"name": "c", "image": "i"}}}}}})
	c.configure("Mutating", "m", config("m", tree{"rules": []any{rule("apps", "v1", "deployments/scale", "UPDATE")}}))
	c.answer("m", patches(`[{"op":"replace","path":"/spec/replicas","value":7}]`))
	c.must(200, "PATCH", deployments+"/d/scale", `{"spec":{"replicas":3}}`, mergePatch)
	if got := c.must(200, "GET", deployments+"/d", nil); at(got, "spec.replicas") != 7.0 {
		t.Error(got["spec"])
	}
}

// No webhook sees the configurations, otherwise they could not be deleted.
func TestConfigurationsAreExempt(t *testing.T) {
	c := newCluster(t)
	c.configure("Validating", "v", config("v", tree{"rules": []any{rule("*", "*", "*", "*")}}))
	c.answer("v", denies(nil))
	c.must(400, "POST", configMaps, configMap("a", nil))
	c.must(200, "DELETE", registration+"validatingwebhookconfigurations/v", nil)
	c.must(201, "POST", configMaps, configMap("a", nil))
}
