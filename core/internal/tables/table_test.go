package tables

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Recorded tables are replayed elsewhere; here are cells that no recording has.
func TestCells(t *testing.T) {
	for _, test := range []struct{ group, kind, obj, want string }{
		{"", "LimitRange", `{}`, ` | 0001-01-01T00:00:00Z`},
		{"", "LimitRange", `{"metadata":{"name":"a","creationTimestamp":"2026-11-20T11:00:00Z"}}`,
			`a | 2026-11-20T11:00:00Z`},
		{"", "ComponentStatus", `{"conditions":[{"type":"X"},{"type":"Healthy","status":"False","message":"m","error":"e"}]}`,
			` | Unhealthy | m | e`},
		{"", "Endpoints", `{"subsets":[{"ports":[{"port":1},{"port":2}],"addresses":[{"ip":"a"},{"ip":"::1"}]},` +
			`{"addresses":[{"ip":"b"}]}]}`, ` | a:1,[::1]:1,a:2 + 2 more... | <unknown>`},
		{"", "Endpoints", `{"subsets":[{"notReadyAddresses":[{"ip":"a"}]}]}`, ` |  | <unknown>`},
		{"", "Event", `{"eventTime":"2026-11-20T11:59:00.000000Z","count":-1,"involvedObject":{"kind":"Pod"},"message":" ` +
			`m\n","reportingComponent":"c","reportingInstance":"i"}`, `60s |  |  | pod |  | c, i | m | 60s | -1 | `},
		{"", "Event", `{"firstTimestamp":"2026-11-20T11:00:00Z","series":{"count":9,` +
			`"lastObservedTime":"2026-11-20T11:59:59.500000Z"},"source":{"component":"s"}}`,
			`0s |  |  |  |  | s |  | 60m | 9 | `},
		{"", "Service", `{"spec":{"type":"LoadBalancer","externalIPs":["x"],"ports":[{"port":80,"nodePort":30000,` +
			`"protocol":"TCP"}]},"status":{"loadBalancer":{"ingress":[{"hostname":"b"},{"ip":"a"},{"ip":"a"}]}}}`,
			` | LoadBalancer | <none> | a,b,x | 80:30000/TCP | <unknown> | <none>`},
		{"", "Service", `{"spec":{"type":"LoadBalancer"}}`,
			` | LoadBalancer | <none> | <pending> | <none> | <unknown> | <none>`},
		{"", "PersistentVolumeClaim", `{"metadata":{"annotations":{"volume.beta.kubernetes.io/storage-class":""}},` +
			`"spec":{"volumeName":"v","storageClassName":"c"},"status":{"accessModes":["ReadWriteOncePod","ReadOnlyMany",` +
			`"ReadWriteOnce"]}}`, ` |  | v | 0 | RWO,ROX,RWOP |  | <unset> | <unknown> | <unset>`},
		{"apps", "Deployment", `{"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"Is"}]}}}`,
			` | 0/0 | 0 | 0 | <unknown> |  |  | <invalid>`},
		{"apps", "ReplicaSet", `{"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"Is"}]}}}`,
			` | 0 | 0 | 0 | <unknown> |  |  | <error>`},
		{"apps", "ControllerRevision",
			`{"metadata":{"ownerReferences":[{"kind":"A","name":"a"},{"apiVersion":"v1","kind":"B","name":"b",` +
				`"controller":true}]}}`, ` | b/b | 0 | <unknown>`},
		{"batch", "Job", `{"spec":{"parallelism":3},"status":{"startTime":"2026-11-20T11:00:00Z",` +
			`"completionTime":"2026-11-20T11:00:05Z","conditions":[{"type":"FailureTarget","status":"True"}]}}`,
			` | FailureTarget | 0/1 of 3 | 5s | <unknown> |  |  | <none>`},
		{"batch", "Job", `{"metadata":{"deletionTimestamp":"2026-11-20T12:00:00Z"},` +
			`"status":{"conditions":[{"type":"Suspended","status":"True"}]}}`,
			` | Terminating | 0/1 |  | <unknown> |  |  | <none>`},
		{"autoscaling", "HorizontalPodAutoscaler",
			`{"spec":{"metrics":[{"type":"Pods","pods":{"target":{"averageValue":"2"}}},{"type":"X"}]},` +
				`"status":{"currentMetrics":[{"pods":{"current":{}}}]}}`,
			` | / | <nil>/2, <unknown type> | <unset> | 0 | 0 | <unknown>`},
		{"autoscaling", "HorizontalPodAutoscaler",
			`{"spec":{"metrics":[{"type":"Object","object":{"target":{"averageValue":"2"}}},{"type":"ContainerResource",` +
				`"containerResource":{"name":"cpu","target":{}}},{"type":"External"}]}}`,
			` | / | <unknown>/2 (avg), cpu: <unknown>/<auto> + 1 more... | <unset> | 0 | 0 | <unknown>`},
		{"networking.k8s.io", "Ingress", `{"spec":{"rules":[{"host":"a"},{},{"host":"b"},{"host":"c"},{},{"host":"d"}]}}`,
			` | <none> | a,b,c + 3 more... |  | 80 | <unknown>`},
		{"networking.k8s.io", "IngressClass",
			`{"metadata":{"name":"a","annotations":{"ingressclass.kubernetes.io/is-default-class":"true"}},` +
				`"spec":{"parameters":{"kind":"K","name":"n"}}}`, `a (default) |  | K/n | <unknown>`},
		{"certificates.k8s.io", "CertificateSigningRequest",
			`{"spec":{"expirationSeconds":3600},"status":{"certificate":"eA==","conditions":[{"type":"Denied"},` +
				`{"type":"Approved"},{"type":"Failed"}]}}`, ` | <unknown> | <none> |  | 60m | Denied,Failed,Issued`},
		{"apiregistration.k8s.io", "APIService",
			`{"status":{"conditions":[{"type":"Available","status":"False","reason":"R"}]}}`,
			` | Local | False (R) | <unknown>`},
		{"resource.k8s.io", "ResourceClaim",
			`{"metadata":{"deletionTimestamp":"2026-11-20T12:00:00Z"},"status":{"allocation":{},"reservedFor":[{}]}}`,
			` | deleted,allocated,reserved | <unknown>`},
		{"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding",
			`{"spec":{"policyName":"p","paramRef":{"selector":{"matchLabels":{"b":"1","a":"2"},` +
				`"matchExpressions":[{"key":"k","operator":"In","values":["x","y"]}]}}}}`,
			` | p | &LabelSelector{MatchLabels:map[string]string{a: 2,b: ` +
				`1,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},} ` +
				`| <unknown>`},
	} {
		cells := Of(test.group, test.kind).cells(view{parse(t, test.obj), now})
		words := make([]string, len(cells))
		for i, cell := range cells {
			words[i] = fmt.Sprint(cell)
		}
		if got := strings.Join(words, " | "); got != test.want {
			t.Errorf("%s %s\n got %s\nwant %s", test.kind, test.obj, got, test.want)
		}
	}
}

// Bookmarks are shown as rows, too, although they have nothing but a version.
func TestNothingIsShown(t *testing.T) {
	for key, k := range kinds() {
		table := Of(key[0], key[1])
		for _, text := range []string{`{}`, `{"metadata":null,"spec":null,"status":[],"data":"x"}`,
			`{"spec":{"metrics":[null],"ports":[null],"rules":[1]},"subsets":[null],"subjects":[{}],` +
				`"status":{"conditions":[null],"initContainerStatuses":[null],"containerStatuses":[null]}}`} {
			cells := table.cells(view{parse(t, text), now})
			want := len(table.columns)
			if k.name == "IPAddress" {
				want++
			}
			if len(cells) != want {
				t.Errorf("%s %s: %d cells for %d columns", k.name, text, len(cells), want)
			}
			if row := table.AppendCells([]byte("{"), parse(t, text), now); !json.Valid(append(row, '}')) {
				t.Errorf("%s: %s", k.name, row)
			}
		}
	}
}

func TestEveryKindWithATableIsServed(t *testing.T) {
	for key, k := range kinds() {
		if key == [2]string{"autoscaling", "Scale"} {
			continue
		}
		served := false
		for _, r := range schema.Builtin().Resources() {
			served = served || r.Group == k.group && r.Kind == k.name
		}
		if !served {
			t.Errorf("there is no %s in %s", k.name, k.group)
		}
	}
}

func TestColumns(t *testing.T) {
	for kind, want := range map[[2]string]string{
		{"", "Secret"}: "Name string name 0, Type string  0, Data string  0, Age string  0",
		{"", "Role"}:   "Name string name 0, Created At date  0",
		{"apps", "StatefulSet"}: "Name string name 0, Ready string  0, Age string  0, Containers string  " +
			"1, Images string  1",
		{"autoscaling", "Scale"}: "Name string  0, Desired integer  0, Available integer  0, Age string  0",
		{"storage.k8s.io", "VolumeAttachment"}: "Name string name 0, Attacher string name 0, PV string  0, Node string  " +
			"0, Attached boolean  0, Age string  0",
	} {
		var columns []schema.Column
		if err := json.Unmarshal(Of(kind[0], kind[1]).AppendColumns(nil), &columns); err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, c := range columns {
			words = append(words, fmt.Sprintf("%s %s %s %d", c.Name, c.Type, c.Format, c.Priority))
		}
		if got := strings.Join(words, ", "); got != want {
			t.Errorf("%v\n got %s\nwant %s", kind, got, want)
		}
	}
}

func TestFlowSchemasAreInOrder(t *testing.T) {
	flow := func(name string, precedence int64) map[string]any {
		return map[string]any{"metadata": map[string]any{"name": name},
			"spec": map[string]any{"matchingPrecedence": precedence}}
	}
	compare := Of("flowcontrol.apiserver.k8s.io", "FlowSchema").Compare
	for _, test := range []struct {
		a, b map[string]any
		want int
	}{{flow("b", 1), flow("a", 2), -1}, {flow("b", 1), flow("a", 1), 1}, {flow("a", 1), flow("a", 1), 0}} {
		if got := compare(test.a, test.b); got != test.want {
			t.Errorf("%v %v: %d", test.a, test.b, got)
		}
	}
	if Of("", "Pod").Compare != nil {
		t.Error("pods have an order of their own")
	}
}

func TestCustomColumns(t *testing.T) {
	obj := parse(t, `{"metadata":{"name":"a","creationTimestamp":"2026-11-20T11:55:00Z"},"spec":{
		"n":3,"f":1.5,"big":1e6,"b":true,"s":"x","l":["a","<"],"m":{"k":1},"null":null,"bad":"yesterday","empty":"",
		"conditions":[{"type":"Ready","status":"True"}]}}`)
	for _, test := range []struct{ kind, path, want string }{
		{"string", ".spec.s", `"x"`}, {"string", ".spec.n", `"3"`}, {"string", ".spec.f", `"1.5"`},
		{"string", ".spec.big", `"1e+06"`},
		{"string", ".spec.b", `"true"`}, {"string", ".spec.l", `"[\"a\",\"\\u003c\"]"`}, {"string", ".spec.m", `"{\"k\":1}"`},
		{"string", ".spec.null", `"\u003cno value\u003e"`}, {"string", ".spec.none", `null`},
		{"string", ".spec.l[5]", `null`},
		{"string", ".spec.l[*]", `"a"`}, {"string", `.spec.conditions[?(@.type=="Ready")].status`, `"True"`},
		{"integer", ".spec.n", `3`}, {"integer", ".spec.f", `1`}, {"integer", ".spec.s", `null`},
		{"integer", ".spec.none", `null`},
		{"number", ".spec.n", `3`}, {"number", ".spec.f", `1.5`}, {"number", ".spec.b", `null`},
		{"boolean", ".spec.b", `true`}, {"boolean", ".spec.s", `null`},
		{"date", ".metadata.creationTimestamp", `"5m"`}, {"date", ".spec.bad", `"\u003cinvalid\u003e"`},
		{"date", ".spec.empty", `"\u003cunknown\u003e"`}, {"date", ".spec.n", `null`},
	} {
		table := FromColumns([]schema.Column{{Name: "X", Type: test.kind, JSONPath: test.path}})
		want := `"cells":["a",` + test.want + `]`
		if got := string(table.AppendCells(nil, obj, now)); got != want {
			t.Errorf("%s %s: %s, want %s", test.kind, test.path, got, want)
		}
	}
}

func TestCustomTables(t *testing.T) {
	names := func(columns ...schema.Column) string {
		var words []string
		for _, c := range FromColumns(columns).columns {
			words = append(words, c.Name+": "+c.Description)
		}
		return strings.Join(words[1:], ", ")
	}
	for _, test := range []struct{ got, want string }{
		{names(), "Age: " + schema.CreationDescription()},
		{names(schema.Column{Name: "A", JSONPath: ".a"}, schema.Column{Name: "B", JSONPath: ".b", Description: "b"}),
			"A: Custom resource definition column (in JSONPath format): .a, B: b"},
		// At an invalid path the columns end.
		{names(schema.Column{Name: "A", JSONPath: ".a"}, schema.Column{Name: "B", JSONPath: ".b["},
			schema.Column{Name: "C", JSONPath: ".c"}), "A: Custom resource definition column (in JSONPath format): .a"},
	} {
		if test.got != test.want {
			t.Errorf("%s, want %s", test.got, test.want)
		}
	}
}

func BenchmarkPodRow(b *testing.B) {
	pod := parse(b, `{"metadata":{"name":"web-1","creationTimestamp":"2026-11-20T11:55:00Z"},
		"spec":{"nodeName":"n","containers":[{"name":"a"},{"name":"b"}]},
		"status":{"phase":"Running","podIPs":[{"ip":"10.0.0.1"}],"conditions":[{"type":"Ready","status":"True"}],
		"containerStatuses":[{"ready":true,"restartCount":1,"state":{"running":{}}},{"ready":true,"state":{"running":{}}}]}}`)
	pod = object.DeepCopy(pod)
	table := Of("", "Pod")
	var buffer []byte
	b.ReportAllocs()
	for b.Loop() {
		buffer = table.AppendCells(buffer[:0], pod, now)
	}
}
