package kinds

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// TestExpressions checks which fields have expressions, and the variables in them.
func TestExpressions(t *testing.T) {
	for _, c := range []struct{ kind, object, want string }{
		{"admissionregistration.k8s.io/ValidatingAdmissionPolicy",
			`{"spec":{"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"matchConditions":[{"name":"a",
				"expression":"params.a == 1"}],
			"variables":[{"name":"v","expression":"object.a"}],"validations":[{"expression":"variables.v && authorizer.x",
				"messageExpression":"'a' + variables.v"}]}}`, ""},
		{"admissionregistration.k8s.io/ValidatingAdmissionPolicy",
			`{"spec":{"matchConditions":[{"name":"a b","expression":" 1 +"}],
			"variables":[{"expression":"params"}],"auditAnnotations":[{"key":"k","valueExpression":"variables."}],
			"validations":[{"expression":"object.a > 1","reason":"None","messageExpression":"authorizer","message":"a\nb"},
				{"expression":" "}]}}`,
			"spec.matchConditions[0].expression spec.matchConditions[0].name spec.variables[0].name " +
				"spec.variables[0].expression " +
				"spec.validations[0].messageExpression spec.validations[0].message spec.validations[0].reason " +
				"spec.validations[1].expression " +
				"spec.auditAnnotations[0].valueExpression"},
		{"admissionregistration.k8s.io/ValidatingAdmissionPolicy", `{"spec":{}}`, "spec.validations spec.auditAnnotations"},
		{"admissionregistration.k8s.io/MutatingAdmissionPolicy",
			`{"spec":{"reinvocationPolicy":"Never","variables":[{"name":"b","expression":"1"}],"mutations":[
			{"patchType":"ApplyConfiguration","applyConfiguration":{"expression":"Object{spec: Object.spec{a: variables.b}}"}},
			{"patchType":"JSONPatch",
				"jsonPatch":{"expression":"[JSONPatch{op: 'test', path: '/' + jsonpatch.escapeKey('a'), value: x}]"}},
			{"patchType":"JSONPatch"}]}}`, "spec.mutations[1].jsonPatch.expression spec.mutations[2].jsonPatch"},
		{"admissionregistration.k8s.io/ValidatingAdmissionPolicy",
			`{"spec":{"matchConditions":[{"name":"a","expression":"object.x"}],"variables":[{"name":"a",
				"expression":"variables.b"},{"name":"b","expression":"1"}],
			"validations":[{"expression":"'a'","messageExpression":"1 + 2"},{"expression":"variables.b > variables.c",
				"messageExpression":"'a'"}],"auditAnnotations":[{"key":"k","valueExpression":"null"},{"key":"l",
				"valueExpression":"1.5"}]}}`,
			"spec.matchConditions[0].expression spec.variables[0].expression spec.validations[0].expression " +
				"spec.validations[0].messageExpression spec.validations[1].expression spec.auditAnnotations[1].valueExpression"},
		{"resource.k8s.io/DeviceClass",
			`{"spec":{"selectors":[{"cel":{"expression":"device.driver == 'a'"}},{"cel":{"expression":"driver"}},{}]}}`,
			"spec.selectors[1].cel.expression spec.selectors[2].cel"},
		{"resource.k8s.io/ResourceClaim",
			`{"spec":{"devices":{"requests":[{"name":"a","exactly":{"deviceClassName":"c","allocationMode":"All",
				"selectors":[{"cel":{"expression":"("}}]}},
			{"name":"b","firstAvailable":[{"name":"x","deviceClassName":"c","allocationMode":"All",
				"selectors":[{"cel":{"expression":")"}}]}]}]}}}`,
			"spec.devices.requests[0].exactly.selectors[0].cel.expression " +
				"spec.devices.requests[1].firstAvailable[0].selectors[0].cel.expression"},
	} {
		var obj map[string]any
		if err := json.Unmarshal([]byte(c.object), &obj); err != nil {
			t.Fatal(err)
		}
		group, kind, _ := strings.Cut(c.kind, "/")
		if strings.HasSuffix(kind, "Policy") {
			object.Meta(obj)["name"] = "p"
			tree.Object(obj, "spec")["matchConstraints"] = map[string]any{"resourceRules": []any{map[string]any{
				"operations": []any{"*"}, "apiGroups": []any{""}, "apiVersions": []any{"v1"}, "resources": []any{"pods"}}}}
			For(group, kind).Fill(obj)
		}
		var got []string
		for _, e := range For(group, kind).Validate(obj) {
			got = append(got, e.Field)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.object, s, c.want)
		}
	}
}
