package kinds

import (
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Violations of the metadata stand before, between or after those of the rest, as in the answers of the
// real server.
var orders = []struct{ group, version, plural, old, object, want string }{
	// New objects. An event is not checked for what all objects need unless all else is right.
	{"", "v1", "events", "", `{"metadata":{"namespace":"a"},"involvedObject":{"namespace":"b"}}`,
		"involvedObject.namespace"},
	{"", "v1", "events", "", `{"metadata":{"namespace":"a"},"involvedObject":{"namespace":"a"}}`, "metadata.name"},
	{"events.k8s.io", "v1", "events", "",
		`{"metadata":{"namespace":"a","name":"A"},"eventTime":"2024-05-01T10:00:00.000000Z",
		"regarding":{"namespace":"a"},"reportingController":"a b","reportingInstance":"i","action":"a","reason":"r"}`,
		"reportingController metadata.name type"},
	{"policy", "v1", "poddisruptionbudgets", "", `{"metadata":{"namespace":"a"},"spec":{"minAvailable":-1}}`,
		"spec.minAvailable"},
	{"policy", "v1", "poddisruptionbudgets", "", `{"metadata":{"namespace":"a"},"spec":{"minAvailable":1}}`,
		"metadata.name"},
	{"certificates.k8s.io", "v1", "certificatesigningrequests", "", `{"metadata":{"name":"a%"},"spec":{}}`,
		"spec.request spec.usages spec.signerName"},
	{"apiregistration.k8s.io", "v1", "apiservices", "",
		`{"metadata":{"labels":{"a":"%"}},"spec":{"group":"g","version":"v1","versionPriority":1}}`,
		"metadata.name metadata.labels spec.groupPriorityMinimum"},
	{"apiregistration.k8s.io", "v1", "apiservices", "",
		`{"metadata":{"name":"v1.h","labels":{"a":"%"}},"spec":{"group":"g","version":"v1","versionPriority":1}}`,
		"metadata.name metadata.labels spec.groupPriorityMinimum"},
	{"networking.k8s.io", "v1", "ipaddresses", "", `{"metadata":{"name":"10.0.0.01","labels":{"a":"%"}},"spec":{}}`,
		"metadata.name metadata.labels spec.parentRef"},
	{"apiextensions.k8s.io", "v1", "customresourcedefinitions", "",
		`{"metadata":{"name":"A","labels":{"a":"%"}},"spec":{"group":"g","scope":"Cluster","names":{"plural":"a",
			"singular":"a","kind":"A","listKind":"AList"},"versions":[{"name":"v1","served":true,"storage":true,
			"schema":{"openAPIV3Schema":{"type":"object"}}}]},"status":{"storedVersions":["v1"]}}`,
		"metadata.name metadata.name metadata.labels spec.group"},

	// Changed ones: the first two violations of the labels are those of any object.
	{"rbac.authorization.k8s.io", "v1", "clusterrolebindings", `{"roleRef":{"kind":"ClusterRole","name":"a"}}`,
		`{"roleRef":{"kind":"B","name":"a"}}`,
		"metadata.labels metadata.labels metadata.labels roleRef.kind metadata.labels roleRef"},
	{"rbac.authorization.k8s.io", "v1", "roles", `{}`, `{"rules":[{"apiGroups":[""],"resources":["a"]}]}`,
		"metadata.labels metadata.labels metadata.labels rules[0].verbs metadata.labels"},
	{"networking.k8s.io", "v1", "ingressclasses", `{"spec":{"controller":"a.b/c"}}`, `{"spec":{"controller":"x"}}`,
		"metadata.labels metadata.labels metadata.labels spec.controller metadata.labels spec.controller"},
	{"networking.k8s.io", "v1", "ipaddresses",
		`{"metadata":{"name":"10.0.0.1"},"spec":{"parentRef":{"resource":"a","name":"b"}}}`,
		`{"metadata":{"name":"10.0.0.1"},"spec":{"parentRef":{"resource":"a"}}}`,
		"metadata.labels metadata.labels metadata.labels spec.parentRef.name metadata.labels spec.parentRef"},
	{"storage.k8s.io", "v1", "storageclasses", `{"provisioner":"a"}`, `{"provisioner":"b","reclaimPolicy":"x"}`,
		"metadata.labels metadata.labels metadata.labels reclaimPolicy metadata.labels provisioner reclaimPolicy"},
	{"storage.k8s.io", "v1", "volumeattributesclasses", `{"driverName":"a","parameters":{"a":"b"}}`, `{"driverName":"a"}`,
		"metadata.labels metadata.labels metadata.labels parameters metadata.labels parameters"},
	{"storage.k8s.io", "v1", "csistoragecapacities", `{"storageClassName":"a"}`, `{"storageClassName":"B"}`,
		"metadata.labels metadata.labels metadata.labels storageClassName metadata.labels storageClassName"},
	{"node.k8s.io", "v1", "runtimeclasses", `{"handler":"a"}`, `{"handler":"B"}`,
		"metadata.labels metadata.labels metadata.labels handler metadata.labels handler"},
	{"", "v1", "secrets", `{"type":"a"}`, `{"type":"b","data":{"/":""}}`,
		"metadata.labels metadata.labels metadata.labels type metadata.labels data[/]"},
	{"", "v1", "configmaps", `{"immutable":true}`, `{"data":{"/":""}}`,
		"metadata.labels metadata.labels metadata.labels immutable data metadata.labels data[/]"},
	{"", "v1", "nodes", `{}`, `{"spec":{"taints":[{"key":"a","effect":"x"}]}}`,
		"metadata.labels metadata.labels metadata.labels metadata.taints[0].effect metadata.labels " +
			"metadata.taints[0].effect"},
	{"", "v1", "persistentvolumes",
		`{"spec":{"capacity":{"storage":"1"},"accessModes":["ReadWriteOnce"],"nfs":{"server":"s","path":"/"}}}`,
		`{"spec":{"capacity":{"storage":"1"},"nfs":{"server":"s","path":"/a"}}}`,
		"metadata.labels metadata.labels metadata.labels spec.accessModes metadata.labels spec.accessModes " +
			"spec.persistentvolumesource"},
	{"batch", "v1", "jobs",
		`{"spec":{"completions":1,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"b"}]}}}}`,
		`{"spec":{"completions":1,"parallelism":-1,"template":{"spec":{"restartPolicy":"Never",` +
			`"containers":[{"name":"a","image":"b"}]}}}}`,
		"metadata.labels metadata.labels metadata.labels spec.parallelism spec.selector spec.template.metadata.labels " +
			"metadata.labels spec.parallelism spec.selector spec.template.metadata.labels"},
	{"events.k8s.io", "v1", "events", `{"regarding":{"namespace":"a"},"type":"Normal"}`,
		`{"regarding":{"namespace":"a"},"type":"x"}`, "metadata.labels metadata.labels metadata.labels type"},
}

func TestOrderOfViolations(t *testing.T) {
	c := func() *strategy.Context {
		return &strategy.Context{Now: func() time.Time { return time.Unix(0, 0) }, NewUID: func() string { return "u" }}
	}
	for _, test := range orders {
		res := schema.Builtin().Resource(test.group, test.version, test.plural)
		read := func(text string) map[string]any {
			obj, _, err := object.Decode([]byte(text), res.Type())
			if err != nil {
				t.Fatal(err)
			}
			object.SetTypeMeta(obj, res.APIVersion(), res.Kind)
			For(res.Group, res.Kind).Fill(obj)
			return obj
		}
		obj, kind := read(test.object), For(res.Group, res.Kind)
		if test.old == "" {
			if got := fieldsOf(kind.Create(c(), res, obj)); got != test.want {
				t.Errorf("new %s %s\n got %s\nwant %s", res.Kind, test.object, got, test.want)
			}
			continue
		}
		old := read(test.old)
		for _, o := range []map[string]any{obj, old} {
			meta := object.Meta(o)
			meta["uid"], meta["resourceVersion"] = "u", "1"
			if object.Name(o) == "" {
				meta["name"] = "a"
			}
			if res.Namespaced {
				meta["namespace"] = "a"
			}
		}
		object.Meta(obj)["labels"] = map[string]any{"a": "%"}
		if got := fieldsOf(kind.Update(c(), res, obj, old)); got != test.want {
			t.Errorf("changed %s %s\n got %s\nwant %s", res.Kind, test.object, got, test.want)
		}
	}
}
