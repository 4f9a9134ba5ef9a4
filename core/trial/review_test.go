package trial_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/expression/evaluator"
)

func TestReviewsExpressions(t *testing.T) {
	for name, cel := range evaluators() {
		t.Run(name, func(t *testing.T) { testReviews(t, start(t, cel)) })
	}
}

func testReviews(t *testing.T, s server) {
	const policy = `{"kind":"ValidatingAdmissionPolicy","spec":{"matchConstraints":{"resourceRules":[
		{"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments","statefulsets"]}]},
		"paramKind":{"apiVersion":"v1","kind":"ConfigMap"}}}`
	review := func(object, field, text string, more tree) (answer tree, items map[string]string) {
		asked := tree{"object": json.RawMessage(object), "field": field, "text": text, "offset": len(text)}
		for name, v := range more {
			asked[name] = v
		}
		answer, items = s.post(200, own+"expressionreviews", asked), map[string]string{}
		for _, one := range answer["items"].([]any) {
			is, _ := one.(tree)["type"].(string)
			items[one.(tree)["name"].(string)] = is
		}
		return answer, items
	}
	const field = "spec.validations[0].expression"
	answer, items := review(policy, field, "object.spec.", nil)
	if items["replicas"] != "int" || answer["before"] != "Deployment.spec" || answer["wants"] != "bool" ||
		len(answer["types"].([]any)) != 2 {
		t.Error(answer["before"], answer["wants"], answer["types"], items)
	}
	_, items = review(policy, field, "object.spec.", tree{"apiVersion": "apps/v1", "kind": "StatefulSet"})
	if items["serviceName"] != "string" {
		t.Error(items)
	}
	if _, items = review(policy, field, "params.", nil); items["data"] != "map(string, string)" {
		t.Error(items)
	}
	answer, _ = review(policy, field, "object.spec.replica > 2", nil)
	if p := answer["problems"].([]any); len(p) != 1 || p[0].(tree)["warning"] != true ||
		p[0].(tree)["message"] != "undefined field 'replica'" {
		t.Error(p)
	}
	answer, _ = review(policy, "spec.variables[1].expression", "variables.", nil)
	if answer["before"] != "kubernetes.variables" {
		t.Error(answer)
	}
	const hooks = `{"kind":"ValidatingWebhookConfiguration","webhooks":[{"rules":[{"apiGroups":[""],"apiVersions":["v1"],
		"resources":["pods"]}]}]}`
	answer, items = review(hooks, "webhooks[0].matchConditions[0].expression", "object.spec.", nil)
	if items["nodeName"] != "string" {
		t.Error(answer)
	}
	const definition = `{"kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":{
		"type":"object","properties":{"spec":{"type":"object","properties":{"n":{"type":"integer"}}}}}}}]}}`
	answer, items = review(definition,
		"spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule", "self.", nil)
	if items["n"] != "int" || answer["wants"] != "bool" {
		t.Error(answer)
	}
	for _, wrong := range []tree{
		{"object": tree{}, "field": "spec", "text": ""}, {"object": tree{}, "field": "a[", "text": ""},
		{"object": tree{"kind": "CustomResourceDefinition"}, "field": "spec.names.plural", "text": ""},
		{"object": tree{}, "field": "spec.none[0].expression"}, {"object": 3, "field": field},
		{"variables": 3, "text": "1"}, {"object": tree{}, "field": "spec.validations[1000].expression"},
	} {
		if got := s.post(400, own+"expressionreviews", wrong); got["kind"] != "Status" {
			t.Error(got)
		}
	}
}

func TestEvaluatesPlainCEL(t *testing.T) {
	for name, cel := range evaluators() {
		t.Run(name, func(t *testing.T) {
			s := start(t, cel)
			answer := s.post(200, own+"expressionreviews", tree{"variables": tree{"x": tree{"n": 5, "f": 2.5}, "none": nil},
				"text": "x.n > 5 && none == null", "offset": 2, "evaluate": true})
			e := answer["evaluation"].(tree)
			if e["value"] != "false" || e["type"] != "bool" ||
				!reflect.DeepEqual(e["because"], []any{tree{"start": 0., "end": 7.}}) {
				t.Error(answer)
			}
			answer = s.post(200, own+"expressionreviews", tree{
				"text": "authorizer.group('').resource('pods').check('get').allowed()", "evaluate": true})
			if e := answer["evaluation"].(tree); e["value"] != "true" {
				t.Error(answer)
			}
			answer = s.post(200, own+"expressionreviews", tree{"text": "y +", "evaluate": true})
			if e := answer["evaluation"].(tree); !strings.Contains(e["error"].(string), "Syntax error") {
				t.Error(answer)
			}
		})
	}
}

func TestReviewsGrants(t *testing.T) {
	s := start(t, evaluator.Evaluator{})
	const rbac = "/apis/rbac.authorization.k8s.io/v1/"
	s.post(201, rbac+"namespaces/default/roles", object(t, `{"metadata":{"name":"writer"},"rules":[
		{"apiGroups":[""],"resources":["pods"],"verbs":["get"]},
		{"apiGroups":["apps"],"resources":["*"],"verbs":["create"]}]}`))
	s.post(201, rbac+"namespaces/default/rolebindings", object(t, `{"metadata":{"name":"writers"},
		"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"writer"},"subjects":[
		{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"kim"},{"kind":"ServiceAccount","name":"bot"}]}`))
	s.post(201, rbac+"clusterrolebindings", object(t, `{"metadata":{"name":"lost"},
		"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"none"},"subjects":[
		{"apiGroup":"rbac.authorization.k8s.io","kind":"Group","name":"dev"}]}`))
	asked := tree{"verb": "create", "group": "apps", "resource": "deployments", "namespace": "default"}
	answer := s.post(200, own+"grantreviews", asked)
	binding, role := tree{"kind": "RoleBinding", "namespace": "default", "name": "writers"},
		tree{"kind": "Role", "namespace": "default", "name": "writer"}
	kim := tree{"kind": "User", "name": "kim"}
	bot := tree{"kind": "ServiceAccount", "namespace": "default", "name": "bot"}
	grant := tree{"subjects": []any{kim, bot}, "binding": binding, "role": role, "rule": 1.}
	if all := answer["grants"].([]any); !reflect.DeepEqual(all[len(all)-1], grant) ||
		len(answer["missing"].([]any)) != 1 {
		t.Error(answer)
	}
	asked["user"] = tree{"name": "kim", "groups": []string{"none"}}
	answer = s.post(200, own+"grantreviews", asked)
	grant["subjects"] = []any{kim}
	if !reflect.DeepEqual(answer["grants"], []any{grant}) || answer["allowed"] != true ||
		len(answer["missing"].([]any)) != 0 {
		t.Error(answer)
	}
	for _, wrong := range []tree{{}, {"verb": "get"}, {"verb": "get", "resource": "pods", "path": "/x"}} {
		s.post(400, own+"grantreviews", wrong)
	}
}
