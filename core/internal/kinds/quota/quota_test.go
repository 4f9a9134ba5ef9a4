package quota

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

var now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func parse(t *testing.T, row *schema.Resource, text string) map[string]any {
	t.Helper()
	obj, _, err := object.Decode([]byte(text), row.Type())
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

// resource returns a type by its plural and group, "pods" or "leases.coordination.k8s.io".
func resource(t *testing.T, name string) *schema.Resource {
	t.Helper()
	for _, row := range schema.Builtin().Resources() {
		if name == row.Plural && row.Group == "" || name == row.Plural+"."+row.Group {
			return row
		}
	}
	t.Fatalf("no %s", name)
	return nil
}

func TestUsage(t *testing.T) {
	const claim = `{"spec":{"resources":{"requests":{"storage":"%"}}`
	for _, test := range [][3]string{
		{"configmaps", `{}`, `{"configmaps":"1","count/configmaps":"1"}`},
		{"leases.coordination.k8s.io", `{}`, `{"count/leases.coordination.k8s.io":"1"}`},
		{"pods", `{"spec":{"containers":[{}]}}`, `{"count/pods":"1","pods":"1"}`},
		{"pods", `{"status":{"phase":"Failed"}}`, `{"count/pods":"1"}`},
		{"pods", `{"status":{"phase":"Succeeded"}}`, `{"count/pods":"1"}`},
		{"pods", `{"metadata":{"deletionTimestamp":"2026-11-26T11:59:30Z","deletionGracePeriodSeconds":30}}`,
			`{"count/pods":"1","pods":"1"}`},
		{"pods", `{"metadata":{"deletionTimestamp":"2026-11-26T11:59:29Z","deletionGracePeriodSeconds":30}}`,
			`{"count/pods":"1"}`},
		{"pods", `{"spec":{"overhead":{"cpu":"1","memory":"1Mi"},"containers":[{"resources":{"limits":{"cpu":"2"}}}]}}`,
			`{"count/pods":"1","cpu":"1","limits.cpu":"3","memory":"1Mi","pods":"1","requests.cpu":"1",` +
				`"requests.memory":"1Mi"}`},
		{"pods", `{"spec":{"resources":{"requests":{"hugepages-2Mi":"4Mi"}},
			"containers":[{"resources":{"requests":{"hugepages-2Mi":"2Mi","example.com/a":"1","x.kubernetes.io/b":"1"}}}]}}`,
			`{"count/pods":"1","hugepages-2Mi":"4Mi","pods":"1","requests.example.com/a":"1","requests.hugepages-2Mi":"4Mi"}`},
		// a resize: wanted, granted and in use
		{"pods", `{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"4"}}}]},
			"status":{"containerStatuses":[{"name":"c","allocatedResources":{"cpu":"2"},
			"resources":{"requests":{"cpu":"3"},"limits":{"cpu":"3"}}}]}}`,
			`{"count/pods":"1","cpu":"3","limits.cpu":"4","pods":"1","requests.cpu":"3"}`},
		{"pods", `{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"9"},"limits":{"cpu":"9"}}}]},
			"status":{"conditions":[{"type":"PodResizePending","reason":"Infeasible"}],"containerStatuses":[{"name":"c",
			"allocatedResources":{"cpu":"2"},"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"3"}}}]}}`,
			`{"count/pods":"1","cpu":"2","limits.cpu":"3","pods":"1","requests.cpu":"2"}`},
		{"services", `{"spec":{"type":"NodePort","ports":[{},{}]}}`,
			`{"count/services":"1","services":"1","services.loadbalancers":"0","services.nodeports":"2"}`},
		{"services", `{"spec":{"type":"LoadBalancer","ports":[{},{}]}}`,
			`{"count/services":"1","services":"1","services.loadbalancers":"1","services.nodeports":"2"}`},
		{"services", `{"spec":{"type":"LoadBalancer","allocateLoadBalancerNodePorts":false,"ports":[{},{"nodePort":30001}]}}`,
			`{"count/services":"1","services":"1","services.loadbalancers":"1","services.nodeports":"1"}`},
		{"persistentvolumeclaims", strings.Replace(claim, "%", "1500m", 1) + `}}`,
			`{"count/persistentvolumeclaims":"1","persistentvolumeclaims":"1","requests.storage":"2"}`},
		{"persistentvolumeclaims",
			strings.Replace(claim, "%", "1Gi", 1) + `},"status":{"allocatedResources":{"storage":"2Gi"}}}`,
			`{"count/persistentvolumeclaims":"1","persistentvolumeclaims":"1","requests.storage":"2Gi"}`},
		{"persistentvolumeclaims", strings.Replace(claim, "%", "1Gi", 1) + `,"storageClassName":"gold"}}`,
			`{"count/persistentvolumeclaims":"1","gold.storageclass.storage.k8s.io/persistentvolumeclaims":"1",` +
				`"gold.storageclass.storage.k8s.io/requests.storage":"1Gi","persistentvolumeclaims":"1","requests.storage":"1Gi"}`},
		{"resourceclaims.resource.k8s.io", `{"spec":{"devices":{"requests":[{"exactly":{"deviceClassName":"a","count":2}},
			{"firstAvailable":[{"deviceClassName":"a","count":1},{"deviceClassName":"a","allocationMode":"All"}]}]}}}`,
			`{"a.deviceclass.resource.k8s.io/devices":"34","count/resourceclaims.resource.k8s.io":"1"}`},
	} {
		row := resource(t, test[0])
		all := Usage(row, parse(t, row, test[1]), now)
		if got, _ := json.Marshal(all); string(got) != test[2] {
			t.Errorf("%s %s:\n got %s\nwant %s", test[0], test[1], got, test[2])
		}
		if tracked := Tracked(row, all); len(tracked) != len(all) {
			t.Errorf("%s tracks only %q of %v", test[0], tracked, all)
		}
	}
}

// TestTracked checks which names belong to no type or to another one.
func TestTracked(t *testing.T) {
	names := map[string]any{}
	for _, name := range strings.Fields(`configmaps count/configmaps count/configmaps.x limits.cpu requests.memory pods
		requests.storage services services.nodeports requests.example.com/gpu example.com/gpu resourceclaims
		requests.kubernetes.io/x a.storageclass.storage.k8s.io/x`) {
		names[name] = "1"
	}
	for kind, want := range map[string]string{
		"configmaps": "configmaps count/configmaps", "leases.coordination.k8s.io": "", "serviceaccounts": "",
		"pods": "limits.cpu pods requests.example.com/gpu requests.memory", "services": "services services.nodeports",
		"persistentvolumeclaims": "requests.storage", "resourceclaims.resource.k8s.io": "",
	} {
		if got := strings.Join(Tracked(resource(t, kind), names), " "); got != want {
			t.Errorf("%s: %s", kind, got)
		}
	}
	for kind, want := range map[string]bool{
		"events": true, "events.events.k8s.io": true, "bindings": true, "nodes": true, "pods": false,
	} {
		if Ignored(resource(t, kind)) != want {
			t.Errorf("%s is ignored: %v", kind, !want)
		}
	}
}

func TestSelects(t *testing.T) {
	const class = `"volumeAttributesClassName":`
	selector := func(scope, operator, values string) string {
		return `{"spec":{"scopeSelector":{"matchExpressions":[{"scopeName":"` + scope + `","operator":"` + operator +
			`","values":[` + values + `]}]}}}`
	}
	for _, test := range []struct {
		quota, kind, spec string
		want              bool
	}{
		{`{}`, "configmaps", `{}`, true},
		{`{"spec":{"scopes":["Terminating"]}}`, "configmaps", `{}`, false},
		{`{"spec":{"scopes":["NotTerminating"]}}`, "services", `{}`, false},
		{`{"spec":{"scopes":["Terminating"]}}`, "pods", `{"activeDeadlineSeconds":1}`, true},
		{`{"spec":{"scopes":["NotTerminating"]}}`, "pods", `{"activeDeadlineSeconds":1}`, false},
		{`{"spec":{"scopes":["NotTerminating","BestEffort"]}}`, "pods", `{}`, true},
		{`{"spec":{"scopes":["NotTerminating","NotBestEffort"]}}`, "pods", `{}`, false},
		{`{"spec":{"scopes":["PriorityClass"]}}`, "pods", `{"priorityClassName":"a"}`, true},
		{`{"spec":{"scopes":["PriorityClass"]}}`, "pods", `{}`, false},
		{`{"spec":{"scopes":["VolumeAttributesClass"]}}`, "pods", `{}`, false},
		{selector("PriorityClass", "In", `"a","b"`), "pods", `{"priorityClassName":"a"}`, true},
		{selector("PriorityClass", "In", `"a","b"`), "pods", `{}`, false},
		{selector("PriorityClass", "NotIn", `"a"`), "pods", `{"priorityClassName":"a"}`, false},
		{selector("PriorityClass", "NotIn", `"a"`), "pods", `{}`, true},
		{selector("PriorityClass", "DoesNotExist", ``), "pods", `{}`, true},
		{selector("PriorityClass", "DoesNotExist", ``), "pods", `{"priorityClassName":"a"}`, false},
		{selector("VolumeAttributesClass", "In", `"a"`), "persistentvolumeclaims", `{` + class + `"a"}`, true},
		{selector("VolumeAttributesClass", "NotIn", `"a"`), "persistentvolumeclaims", `{` + class + `"b"}`, true},
		{selector("VolumeAttributesClass", "Exists", ``), "persistentvolumeclaims", `{}`, false},
		{`{"spec":{"scopes":["CrossNamespacePodAffinity"]}}`, "pods", `{"affinity":{"podAffinity":{
			"requiredDuringSchedulingIgnoredDuringExecution":[{},{"namespaces":["a"]}]}}}`, true},
		{`{"spec":{"scopes":["CrossNamespacePodAffinity"]}}`, "pods", `{"affinity":{"podAntiAffinity":{
			"preferredDuringSchedulingIgnoredDuringExecution":[{"podAffinityTerm":{"namespaceSelector":{}}}]}}}`, true},
		{`{"spec":{"scopes":["CrossNamespacePodAffinity"]}}`, "pods", `{"affinity":{"podAffinity":{
			"requiredDuringSchedulingIgnoredDuringExecution":[{}]}}}`, false},
	} {
		row := resource(t, test.kind)
		q := parse(t, resource(t, "resourcequotas"), test.quota)
		if got := Selects(q, row, parse(t, row, `{"spec":`+test.spec+`}`)); got != test.want {
			t.Errorf("%s selects %s %s: %v", test.quota, test.kind, test.spec, got)
		}
	}
}

func TestLacks(t *testing.T) {
	row := resource(t, "pods")
	names := tree.SortedKeys(map[string]any{"pods": "", "cpu": "", "limits.memory": "", "requests.example.com/cpu": "",
		"requests.ephemeral-storage": ""})
	for spec, want := range map[string]string{
		`{"containers":[{"name":"a","resources":{"requests":{"cpu":"0"},"limits":{"memory":"1"}}}]}`: "",
		`{"containers":[{"name":"b"},{"name":"a","resources":{"requests":{"cpu":"1"}}}],
			"initContainers":[{"name":"0"}]}`: "must specify cpu for: 0,b; limits.memory for: 0,a,b",
		`{"resources":{"limits":{"cpu":"1"}},"containers":[{"name":"b"}]}`: "",
	} {
		if got := Lacks(parse(t, row, `{"spec":`+spec+`}`), names); got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
}

func TestAmounts(t *testing.T) {
	total := map[string]any{"a": "0", "b": "1"}
	Add(total, map[string]any{"a": "1Gi", "c": "5"})
	grown := Growth(total, map[string]any{"a": "512Mi", "b": "1500m", "d": "1"})
	if !Same(total, map[string]any{"a": "1073741824", "b": "1", "c": "5"}) || !Same(grown,
		map[string]any{"a": "512Mi", "c": "5"}) {
		t.Error(total, grown)
	}
	for _, other := range []map[string]any{{"a": "1Gi", "b": "1"}, {"a": "1Gi", "b": "1", "c": "6"},
		{"a": "1Gi", "b": "1", "c": "5", "d": "0"}} {
		if Same(total, other) || Same(other, total) {
			t.Errorf("the same as %v", other)
		}
	}
}
