package trial_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/expression/remote"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/trial"
)

const own = "/apis/sandbox.tabernetes.dev/v1/"

type tree = map[string]any

// A server is a cluster with the extension.
type server struct {
	t *testing.T
	*core.Cluster
}

// evaluators are the one in the same binary, and one behind messages.
func evaluators() map[string]expression.Evaluator {
	far := remote.NewServer(evaluator.Evaluator{})
	return map[string]expression.Evaluator{"same": evaluator.Evaluator{}, "far": &remote.Client{
		Call: func(ctx context.Context, message []byte) ([]byte, error) { return far.Serve(ctx, message), nil }}}
}

func start(t *testing.T, cel expression.Evaluator) server {
	c, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader, CEL: cel,
		Extensions: []extension.Extension{trial.Trials{}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return server{t, c}
}

// post makes a request, whose answer has to have a code.
func (s server) post(code int, path string, body any) (answer tree) {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r := httptest.NewRequest("POST", path, strings.NewReader(string(text)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != code {
		s.t.Fatalf("%s: %d, want %d: %s", path, w.Code, code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		s.t.Fatal(err)
	}
	return answer
}

// object decodes one.
func object(t *testing.T, text string) (v tree) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err, text)
	}
	return v
}

// policy stores a policy and a binding of some kind, with a spec.
func (s server) policy(kind, name, spec, binding string) {
	s.t.Helper()
	const group = "/apis/admissionregistration.k8s.io/v1/"
	plural := strings.ToLower(kind[:len(kind)-1]) + "ies"
	one := object(s.t, `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"`+kind+`",
		"metadata":{"name":"`+name+`"},"spec":`+spec+`}`)
	s.post(201, group+plural, one)
	if binding == "" {
		return
	}
	bound := object(s.t, `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"`+kind+`Binding",
		"metadata":{"name":"`+name+`-binding"},"spec":`+binding+`}`)
	s.post(201, group+strings.ToLower(kind)+"bindings", bound)
}

// try tries a request, and returns the answer.
func (s server) try(method, path, body string) tree {
	s.t.Helper()
	content := "application/json"
	if method == "PATCH" {
		content = "application/merge-patch+json"
	}
	return s.post(200, own+"trials", tree{"method": method, "path": path, "body": body,
		"headers": tree{"Content-Type": content}})
}

// steps returns those of an answer as texts, with their evaluations.
func steps(answer tree) (all []string) {
	for _, step := range answer["steps"].([]any) {
		s := step.(tree)
		text := fmt.Sprint(s["kind"], " ", s["name"])
		for _, name := range []string{"binding", "param", "outcome", "reason", "message"} {
			if s[name] != nil {
				text += fmt.Sprint(" ", s[name])
			}
		}
		all = append(all, text)
		for _, one := range s["evaluations"].([]any) {
			e := one.(tree)
			text := fmt.Sprint("  ", e["use"], " ", e["field"])
			for _, name := range []string{"at", "value", "error", "tolerated"} {
				if e[name] != nil {
					text += fmt.Sprint(" ", name, " ", e[name])
				}
			}
			all = append(all, text)
		}
	}
	return all
}

func (s server) wants(answer tree, code int, want ...string) {
	s.t.Helper()
	if got := steps(answer); !reflect.DeepEqual(got, want) || answer["code"] != float64(code) {
		s.t.Errorf("it is %v\n%s\n%v", answer["code"], strings.Join(got, "\n"), answer["body"])
	}
}

const (
	forConfigMaps = `"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],
		"resources":["configmaps"]}]}`
	configMaps = "/api/v1/namespaces/default/configmaps"
)

func TestTrials(t *testing.T) {
	for name, cel := range evaluators() {
		t.Run(name, func(t *testing.T) { testTrials(t, start(t, cel)) })
	}
}

func testTrials(t *testing.T, s server) {
	s.post(201, configMaps, object(t, `{"metadata":{"name":"limits"},"data":{"most":"2"}}`))
	s.policy("MutatingAdmissionPolicy", "add-team", `{"failurePolicy":"Fail","reinvocationPolicy":"Never",
		`+forConfigMaps+`,"matchConditions":[{"name":"new","expression":"request.operation == 'CREATE'"}],
		"mutations":[{"patchType":"ApplyConfiguration","applyConfiguration":{"expression":
			"Object{metadata: Object.metadata{labels: {'team': 'shop'}}}"}},
		{"patchType":"JSONPatch","jsonPatch":{"expression":
			"[JSONPatch{op: 'add', path: '/data/by', value: object.metadata.labels.team}]"}}]}`, `{"policyName":"add-team"}`)
	s.policy("ValidatingAdmissionPolicy", "other", `{`+strings.Replace(forConfigMaps, "configmaps", "secrets", 1)+`,
		"validations":[{"expression":"false"}]}`, `{"policyName":"other","validationActions":["Deny"]}`)
	s.policy("ValidatingAdmissionPolicy", "sized", `{"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},`+forConfigMaps+`,
		"variables":[{"name":"count","expression":"size(object.data)"}],
		"matchConditions":[{"name":"not-gone","expression":"object != null && object.metadata.name != 'free'"}],
		"validations":[{"expression":"has(object.metadata.labels.team)"},
			{"expression":"variables.count <= int(params.data.most)",
			"messageExpression":"'at most ' + params.data.most + ', not ' + string(variables.count)"}],
		"auditAnnotations":[{"key":"count","valueExpression":"string(variables.count)"}]}`,
		`{"policyName":"sized","validationActions":["Deny"],
		"paramRef":{"name":"limits","namespace":"default","parameterNotFoundAction":"Deny"}}`)
	s.policy("ValidatingAdmissionPolicy", "warns", `{`+forConfigMaps+`,
		"validations":[{"expression":"has(object.data.none)"}]}`, `{"policyName":"warns",
		"validationActions":["Warn","Audit"],"matchResources":{"objectSelector":{"matchLabels":{"w":"1"}}}}`)

	made := s.try("POST", configMaps, `{"metadata":{"name":"a"},"data":{"x":"1","y":"2"}}`)
	s.wants(made, 422, "MutatingAdmissionPolicy add-team add-team-binding changed",
		"  matchCondition spec.matchConditions[0].expression value true",
		"  mutation spec.mutations[0].applyConfiguration.expression value "+
			`Object{metadata: Object.metadata{labels: {"team": "shop"}}}`,
		"  mutation spec.mutations[1].jsonPatch.expression value "+
			`[JSONPatch{op: "add", path: "/data/by", value: "shop"}]`,
		"ValidatingAdmissionPolicy other skipped resourceRules",
		"ValidatingAdmissionPolicy sized sized-binding default/limits refused at most 2, not 3",
		"  matchCondition spec.matchConditions[0].expression value true",
		"  validation spec.validations[0].expression value true",
		"  variable spec.variables[0].expression value 3",
		"  validation spec.validations[1].expression value false",
		// A message has its own variables.
		"  variable spec.variables[0].expression value 3",
		`  message spec.validations[1].messageExpression value "at most 2, not 3"`,
		"  variable spec.variables[0].expression value 3",
		`  auditAnnotation spec.auditAnnotations[0].valueExpression value "3"`,
		"ValidatingAdmissionPolicy warns warns-binding skipped binding.objectSelector")
	if got := made["annotations"].(tree)["sized/count"]; got != "3" {
		t.Error(made["annotations"])
	}
	step := made["steps"].([]any)[2].(tree)
	e := step["evaluations"].([]any)[3].(tree)
	if !reflect.DeepEqual(e["because"], []any{tree{"start": 0., "end": 40.}}) || e["cost"].(float64) < 3 ||
		e["limit"] != 1e6 || e["tree"].(tree)["end"] != 40. {
		t.Errorf("%v", e)
	}
	if changed := made["steps"].([]any)[0].(tree); changed["before"].(tree)["metadata"].(tree)["labels"] != nil ||
		changed["after"].(tree)["data"].(tree)["by"] != "shop" {
		t.Error(changed)
	}

	made = s.try("POST", configMaps+"?dryRun=All", `{"metadata":{"name":"free","labels":{"w":"1"}}}`)
	s.wants(made, 403, "MutatingAdmissionPolicy add-team add-team-binding refused JSON Patch: "+
		"add operation does not apply: doc is missing path: \"/data/by\": missing value",
		"  matchCondition spec.matchConditions[0].expression value true",
		"  mutation spec.mutations[0].applyConfiguration.expression value "+
			`Object{metadata: Object.metadata{labels: {"team": "shop"}}}`,
		`  mutation spec.mutations[1].jsonPatch.expression value [JSONPatch{op: "add", path: "/data/by", value: "shop"}]`)

	made = s.try("POST", configMaps, `{"metadata":{"name":"free","labels":{"w":"1"}},"data":{"z":"1"}}`)
	s.wants(made, 201, "MutatingAdmissionPolicy add-team add-team-binding changed",
		"  matchCondition spec.matchConditions[0].expression value true",
		"  mutation spec.mutations[0].applyConfiguration.expression value "+
			`Object{metadata: Object.metadata{labels: {"team": "shop"}}}`,
		`  mutation spec.mutations[1].jsonPatch.expression value [JSONPatch{op: "add", path: "/data/by", value: "shop"}]`,
		"ValidatingAdmissionPolicy other skipped resourceRules",
		"ValidatingAdmissionPolicy sized sized-binding default/limits skipped matchConditions",
		"  matchCondition spec.matchConditions[0].expression value false",
		"ValidatingAdmissionPolicy warns warns-binding warned failed expression: has(object.data.none)",
		"  validation spec.validations[0].expression value false")
	if got := made["warnings"].([]any); len(got) != 1 || got[0] != "Validation failed for ValidatingAdmissionPolicy "+
		"'warns' with binding 'warns-binding': failed expression: has(object.data.none)" {
		t.Error(got)
	}

	made = s.try("DELETE", configMaps+"/free", "")
	s.wants(made, 200, "ValidatingAdmissionPolicy other skipped resourceRules",
		"ValidatingAdmissionPolicy sized sized-binding default/limits skipped matchConditions",
		"  matchCondition spec.matchConditions[0].expression value false",
		"ValidatingAdmissionPolicy warns warns-binding warned expression 'has(object.data.none)' resulted in error: "+
			"no such key: data",
		"  validation spec.validations[0].expression error no such key: data")
}

func TestTriesRules(t *testing.T) {
	for name, cel := range evaluators() {
		t.Run(name, func(t *testing.T) { testRules(t, start(t, cel)) })
	}
}

func testRules(t *testing.T, s server) {
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	definition := func(rule string, most string) string {
		return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		"metadata":{"name":"crons.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
		"names":{"plural":"crons","kind":"Cron"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
		"l":{"type":"array"` + most + `,"items":{"type":"integer","x-kubernetes-validations":[{"rule":"self < 5"}]}},
		"n":{"type":"integer"}},"x-kubernetes-validations":[{"rule":"` + rule + `"}]}}}}}]}}`
	}
	const costly = "self.l.all(x, self.l.exists_one(y, x == y))"
	made := s.try("POST", definitions, definition(costly, ""))
	step := made["steps"].([]any)[0].(tree)
	e := step["evaluations"].([]any)[1].(tree)
	if made["code"] != 422. || step["outcome"] != "checked" || step["limit"] != 1e8 || step["estimate"].(float64) < 1e8 ||
		e["field"] != "spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule" &&
			e["field"] != "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule" ||
		e["estimate"].(tree)["total"].(float64) < 1e7 ||
		e["tree"].(tree)["parts"].([]any)[0].(tree)["estimate"] != 2. {
		t.Errorf("%v %v", made["code"], step)
	}
	made = s.try("POST", definitions, definition("self.n >= 0", `,"maxItems":10`))
	if made["code"] != 201. {
		t.Fatal(made["body"])
	}
	const crons = "/apis/example.com/v1/namespaces/default/crons"
	for code := 0; code != 200; runtime.Gosched() { // until it is served
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", crons, nil))
		code = w.Code
	}
	made = s.try("POST", crons, `{"apiVersion":"example.com/v1","kind":"Cron","metadata":{"name":"a"},
		"spec":{"n":1,"l":[7]}}`)
	s.wants(made, 422, "CustomResourceDefinition crons.example.com refused",
		"  rule properties[spec].x-kubernetes-validations[0].rule at spec value true",
		"  rule properties[spec].properties[l].items.x-kubernetes-validations[0].rule at spec.l[0] value false")
	made = s.try("POST", crons, `{"apiVersion":"example.com/v1","kind":"Cron","metadata":{"name":"a"},"spec":{"l":[1]}}`)
	s.wants(made, 422, "CustomResourceDefinition crons.example.com refused",
		"  rule properties[spec].x-kubernetes-validations[0].rule at spec error no such key: n",
		"  rule properties[spec].properties[l].items.x-kubernetes-validations[0].rule at spec.l[0] value true")
}

func TestTriesWebhooks(t *testing.T) {
	s := start(t, evaluator.Evaluator{})
	s.post(201, "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", object(t, `{
		"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"hooks"},
		"webhooks":[{"name":"a.example.com","sideEffects":"None","admissionReviewVersions":["v1"],"failurePolicy":"Ignore",
		"clientConfig":{"url":"https://127.0.0.1:1/"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],
		"resources":["configmaps"]}],"matchConditions":[{"name":"a","expression":"object.metadata.name != 'a'"},
		{"name":"b","expression":"!('b' in object.data)"}]}]}`))
	s.wants(s.try("POST", configMaps, `{"metadata":{"name":"a"},"data":{"z":"1"}}`), 201,
		"ValidatingWebhookConfiguration hooks a.example.com skipped matchConditions",
		"  matchCondition webhooks[0].matchConditions[0].expression value false",
		"  matchCondition webhooks[0].matchConditions[1].expression value true")
	s.wants(s.try("POST", configMaps, `{"metadata":{"name":"b"},"data":{"z":"1"}}`), 201,
		"ValidatingWebhookConfiguration hooks a.example.com called",
		"  matchCondition webhooks[0].matchConditions[0].expression value true",
		"  matchCondition webhooks[0].matchConditions[1].expression value true")
}

func TestRefusesTrials(t *testing.T) {
	s := start(t, evaluator.Evaluator{})
	for _, wrong := range []tree{{"method": "GET", "path": "/api"}, {"method": "POST", "path": "api"}, {"method": 3},
		{"method": "POST", "path": own + "trials"}, {"method": "POST", "path": "/%zz"}} {
		if got := s.post(400, own+"trials", wrong); got["kind"] != "Status" {
			t.Error(got)
		}
	}
	made := s.try("POST", configMaps, "{")
	if made["code"] != 400. || len(made["steps"].([]any)) > 0 {
		t.Error(made)
	}
}
