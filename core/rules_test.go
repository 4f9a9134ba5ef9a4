package core

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/internal/traces"
)

const definitionOfRules = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
	"metadata":{"name":"crons.example.com"},
	"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"crons","kind":"Cron"},
	"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
	"schema":{"openAPIV3Schema":{"type":"object","properties":{
	"status":{"type":"object","properties":{"n":{"type":"integer"}}},
	"spec":{"type":"object","properties":{"n":{"type":"integer"},"color":{"type":"string","enum":["red"]}},
	"x-kubernetes-validations":[RULE]}}}}}]}}`

// define creates the definition and waits until its resource is served.
func define(t *testing.T, h http.Handler, rule string) {
	t.Helper()
	must(t, h, http.StatusCreated, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
		strings.Replace(definitionOfRules, "RULE", rule, 1))
	for deadline := time.Now().Add(patience); ; {
		if code, _ := call(t, h, "GET", "/apis/example.com/v1/crons", ""); code == http.StatusOK {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the resource is not served")
		}
		runtime.Gosched()
	}
}

// TestRulesUnevaluated checks that without an evaluator the syntax of rules is checked and writes
// get a warning.
func TestRulesUnevaluated(t *testing.T) {
	c, _ := newCluster(t, Options{})
	for rule, want := range map[string]string{
		`{"rule":"self.n >"}`: `spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: ` +
			`Invalid value: {"Rule":"self.n \u003e","Message":"","MessageExpression":"","Reason":null,` +
			`"FieldPath":"","OptionalOldSelf":null}: ` +
			`compilation failed: ERROR: <input>:1:9: Syntax error: mismatched input '<EOF>'`,
		`{"rule":"x > 1"}`:                         "undeclared reference to 'x'",
		`{"rule":"true","messageExpression":"'a"}`: "[0].messageExpression: Invalid value: ",
		`{"rule":" "}`:                             "[0].rule: Required value: rule is not specified",
		`{"rule":"true","message":" "}`:            "[0].message: Invalid value: \" \": must be non-empty if specified",
		`{"rule":"true","message":"a\nb"}`:         "[0].message: Invalid value: \"a\\nb\": must not contain line breaks",
		`{"rule":"true\n||true"}`: "[0].message: Required value: message must be specified if rule " +
			"contains line breaks",
		`{"rule":"true","reason":"Bad"}`: `[0].reason: Unsupported value: "Bad": supported values: ` +
			`"FieldValueDuplicate", `,
		`{"rule":"true","fieldPath":".m"}`:             `[0].fieldPath: Invalid value: ".m": must be a valid path`,
		`{"rule":"true","messageExpression":" "}`:      "messageExpression must be non-empty if specified",
		`{"rule":"self.a.all(b, b.c == self.d['e'])"}`: "",
	} {
		path := "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All"
		code, text := call(t, c, "POST", path, strings.Replace(definitionOfRules, "RULE", rule, 1))
		message, _ := at(parsed(t, text), "message").(string)
		if (code == http.StatusCreated) != (want == "") || !strings.Contains(message, want) {
			t.Errorf("%s: %d %s", rule, code, message)
		}
	}

	define(t, c, `{"rule":"self.n > 3"}`)
	w := apitest.Do(c, "POST", "/apis/example.com/v1/namespaces/default/crons",
		`{"apiVersion":"example.com/v1","kind":"Cron","metadata":{"name":"a"},"spec":{"n":1}}`)
	const want = `299 - "the rules in the schema of crons.example.com (x-kubernetes-validations) are not evaluated by ` +
		`this server"`
	if got := w.Header().Get("Warning"); w.Code != http.StatusCreated || got != want {
		t.Errorf("%d %q", w.Code, got)
	}
}

// fakeRules records the calls it gets.
type fakeRules struct {
	expression.None
	asked   []map[string]any
	checked context.Context // the last one that was given
}

func (f *fakeRules) Check(ctx context.Context, _ *structural.Schema, _ field.Path, _ *traces.Step) field.ErrorList {
	f.checked = ctx
	return nil
}
func (f *fakeRules) Compile(_ *structural.Schema, _ string) structural.Program { return f }
func (f *fakeRules) Validate(obj, old map[string]any, _ *traces.Step) (field.ErrorList, []string) {
	f.asked = append(f.asked, old)
	if at(obj, "spec.n") == int64(13) {
		return field.ErrorList{field.Invalid("spec.n", int64(13), "no luck")}, nil
	}
	return nil, []string{"evaluated"}
}

// TestRulesAreCheckedForTheRequest checks that the rules of a definition are checked as long as its client waits.
func TestRulesAreCheckedForTheRequest(t *testing.T) {
	f := &fakeRules{}
	c, _ := newCluster(t, Options{CEL: f})
	type key struct{}
	body := strings.ReplaceAll(strings.Replace(definitionOfRules, "RULE", `{"rule":"true"}`, 1), "cron", "cran")
	r := httptest.NewRequestWithContext(context.WithValue(t.Context(), key{}, "request"), "POST",
		"/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", strings.NewReader(body))
	if c.ServeHTTP(httptest.NewRecorder(), r); f.checked == nil || f.checked.Value(key{}) != "request" {
		t.Error("rules are not checked in the context of the request")
	}
}

// TestRulesEvaluator checks which objects rules are evaluated for: new ones, changed ones with the old,
// and those with a new status; but none that is invalid otherwise.
func TestRulesEvaluator(t *testing.T) {
	f := &fakeRules{}
	c, _ := newCluster(t, Options{CEL: f})
	define(t, c, `{"rule":"self.n > 3"}`)
	const path = "/apis/example.com/v1/namespaces/default/crons"
	body := func(spec string) string {
		return `{"apiVersion":"example.com/v1","kind":"Cron","metadata":{"name":"a"},"spec":` + spec + `}`
	}
	bad := must(t, c, http.StatusUnprocessableEntity, "POST", path, body(`{"n":13}`))
	if at(bad, "message") != `Cron.example.com "a" is invalid: spec.n: Invalid value: 13: no luck` {
		t.Error(bad)
	}
	bad = must(t, c, http.StatusUnprocessableEntity, "POST", path, body(`{"n":13,"color":"blue"}`))
	if text, _ := at(bad, "message").(string); !strings.Contains(text,
		"<nil>: Invalid value: null: some validation rules were not checked") || strings.Contains(text, "luck") {
		t.Error(text)
	}
	must(t, c, http.StatusCreated, "POST", path, body(`{"n":1}`))
	obj := body(`{"n":2}`)
	obj = strings.Replace(obj, `"name":"a"`, `"name":"a","resourceVersion":"`+
		at(must(t, c, 200, "GET", path+"/a", ""), "metadata.resourceVersion").(string)+`"`, 1)
	obj = strings.TrimSuffix(obj, "}") + `,"status":{"n":4}}`
	must(t, c, http.StatusOK, "PUT", path+"/a/status", obj)
	if len(f.asked) != 3 || f.asked[0] != nil || f.asked[1] != nil || at(f.asked[2], "spec.n") != int64(1) {
		t.Errorf("asked %v", f.asked)
	}
}

func parsed(t *testing.T, text string) (obj map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &obj); err != nil {
		t.Fatal(err)
	}
	return obj
}
