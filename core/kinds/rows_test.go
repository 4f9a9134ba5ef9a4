package kinds

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
)

// wrongObjects are objects with what the real server says is wrong with them: the
// fields, or whole errors where the words are at stake.
var wrongObjects = []struct{ rules, object, want string }{
	{"resource.k8s.io/ResourceClaim", `{"spec":{"devices":{"requests":[{"name":"a"},{"name":"a","exactly":{"allocationMode":"All","count":1}}],
		"constraints":[{"requests":["a","b/c/d","a/x"],"matchAttribute":"x/1"},{}],"config":[{"opaque":{"driver":"A.b"}}]}}}`,
		"spec.devices.requests[0] spec.devices.requests[1].exactly.deviceClassName spec.devices.requests[1].exactly.count spec.devices.requests[1] " +
			"spec.devices.constraints[0].requests[1] spec.devices.constraints[0].requests[2] spec.devices.constraints[0].matchAttribute spec.devices.constraints[1] spec.devices.config[0].opaque.parameters"},
	{"resource.k8s.io/ResourceClaimTemplate", `{"spec":{"metadata":{"labels":{"a":"b c"},"uid":"x"}}}`, "spec.metadata.labels spec.metadata.uID"},
	{"resource.k8s.io/DeviceClass", `{"spec":{"extendedResourceName":"cpu","config":[{}]}}`, "spec.config[0].opaque spec.extendedResourceName"},
	{"resource.k8s.io/ResourceSlice", `{"spec":{"driver":"d","pool":{"name":"p/"},"devices":[{"name":"a","attributes":{"x":{"version":"1.02.0"},"a/b":{}},"capacity":{"c":{"value":"4","requestPolicy":{}}},
		"consumesCounters":[{"counterSet":"s"}],"allNodes":true}]}}`,
		"spec.pool.name spec.pool.resourceSliceCount spec spec.devices[0].attributes[a/b] spec.devices[0].attributes[x].version spec.devices[0].capacity[c].requestPolicy " +
			"spec.devices[0].consumesCounters[0].counters spec.devices[0]"},
	{"flowcontrol.apiserver.k8s.io/FlowSchema", `{"metadata":{"name":"x"},"spec":{"matchingPrecedence":1,"distinguisherMethod":{"type":"ByMoon"},"rules":[{"subjects":[{"kind":"User","group":{}}],
		"resourceRules":[{"verbs":["eat"],"apiGroups":["*","a"],"resources":["r"],"namespaces":["N"]}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["/a*"]}]}]}}`,
		"spec.matchingPrecedence spec.distinguisherMethod.type spec.priorityLevelConfiguration.name spec.rules[0].subjects[0].user spec.rules[0].subjects[0].group " +
			"spec.rules[0].resourceRules[0].verbs spec.rules[0].resourceRules[0].apiGroups spec.rules[0].resourceRules[0].namespaces[0] spec.rules[0].nonResourceRules[0].nonResourceURLs[0]"},
	{"flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration", `{"spec":{"type":"Limited","exempt":{},"limited":{"lendablePercent":101,"limitResponse":{"type":"Queue","queuing":{"queues":65536,"handSize":8}}}}}`,
		"spec.exempt spec.limited.limitResponse.queuing.queueLengthLimit spec.limited.limitResponse.queuing.handSize spec.limited.lendablePercent"},
}

func TestRows(t *testing.T) {
	for _, c := range wrongObjects {
		var obj map[string]any
		d := json.NewDecoder(strings.NewReader(c.object))
		d.UseNumber()
		if err := d.Decode(&obj); err != nil {
			t.Fatal(err)
		}
		group, kind, _ := strings.Cut(c.rules, "/")
		var fields []string
		for _, e := range For(group, kind).Validate(whole(obj).(map[string]any)) {
			fields = append(fields, e.Field)
		}
		if got := strings.Join(fields, " "); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.object, got, c.want)
		}
	}
}

// whole makes of the numbers of a tree what rules see.
func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = whole(v[k])
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case json.Number:
		n, _ := v.Int64()
		return n
	}
	return v
}

func TestGoTree(t *testing.T) {
	m := map[string]any{"a": map[string]any{"b": "x"}, "list": []any{map[string]any{"n": int64(1)}, map[string]any{}}}
	for tree, want := range map[string]string{
		`A{B="" C=0} P*{B}`:       `{"A":{"B":"x","C":0},"P":null}`,
		`List[N=0 M] None[N] Z{}`: `{"List":[{"N":1,"M":null},{"N":0,"M":null}],"None":null,"Z":{}}`,
		`Other:a*{B} X`:           `{"Other":{"B":"x"},"X":null}`,
	} {
		if got := goTree(object.DeepCopy(m), tree); string(got) != want {
			t.Errorf("%s\n got %s\nwant %s", tree, got, want)
		}
	}
}
