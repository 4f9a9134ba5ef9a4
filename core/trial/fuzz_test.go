package trial_test

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/trial"
)

// fuzz sends bodies to one of the types: whatever they are, the answer is no failure of the server.
func fuzz(f *testing.F, plural string, seeds ...string) {
	var panicked any
	c, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader, CEL: evaluator.Evaluator{},
		Extensions: []extension.Extension{trial.Trials{}},
		OnPanic:    func(_ *http.Request, value any, stack []byte) { panicked = string(stack) }})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := c.Close(); err != nil {
			f.Error(err)
		}
	})
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		w := httptest.NewRecorder()
		c.ServeHTTP(w, httptest.NewRequest("POST", own+plural, strings.NewReader(body)))
		if w.Code >= 500 || panicked != nil {
			t.Errorf("%d %s %v", w.Code, w.Body, panicked)
		}
	})
}

func FuzzTrials(f *testing.F) {
	fuzz(f, "trials",
		`{"method":"POST","path":"/api/v1/namespaces/default/configmaps?dryRun=All",
		"body":"{\"metadata\":{\"name\":\"a\"}}"}`,
		`{"method":"DELETE","path":"/api/v1/namespaces/default/pods/a/exec","headers":{"Impersonate-User":["a","b"]}}`,
		`{"method":"PATCH","path":"//apis","headers":{"Content-Type":"application/json-patch+json"},"body":"[]"}`)
}

func FuzzExpressionReviews(f *testing.F) {
	fuzz(f, "expressionreviews",
		`{"object":{"kind":"ValidatingAdmissionPolicy","spec":{"variables":[{"name":"a","expression":"1"}],
		"matchConstraints":{
		"resourceRules":[{"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments"]}]}}},
		"field":"spec.validations[0].expression","text":"object.spec.all(x, x == variables.a)","offset":9}`,
		`{"object":{"kind":"MutatingAdmissionPolicy"},"field":"spec.mutations[0].applyConfiguration.expression",
		"text":"Object{spec: Object.spec{","offset":25}`,
		`{"object":{"kind":"ValidatingWebhookConfiguration","webhooks":[{"rules":[]}]},"field":
		"webhooks[0].matchConditions[0].expression","text":"a.?b[?c].","offset":9}`,
		`{"object":{"kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":{"type":"object",
		"properties":{"a":{"type":"array","items":{"type":"string"}}}}}}]}},"field":
		"spec.versions[0].schema.openAPIV3Schema.properties[a].items.x-kubernetes-validations[0].rule","text":"self.",
		"offset":5}`,
		`{"variables":{"x":[1,2.5,null,{"a":"b"}],"in":1,"a.b":2,"":3},"text":"x.map(y, y)[3].a","evaluate":true,"offset":3}`,
		`{"variables":{"x":1},"text":"[1, 2].exists(i, x / (i - 1) > '\u00e9𝄞'.size())","evaluate":true}`)
}

func FuzzGrantReviews(f *testing.F) {
	fuzz(f, "grantreviews",
		`{"verb":"create","group":"apps","resource":"deployments","subresource":"","namespace":"a","name":"",
		"user":{"name":"system:serviceaccount:a:b","groups":["system:masters"]}}`,
		`{"verb":"get","path":"/healthz","user":{}}`)
}
