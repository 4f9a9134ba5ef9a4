package trial_test

import (
	"crypto/rand"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/trial"
)

// TestTriesAsItself: the request that is tried has the user that its headers give, and not the one that tries it.
func TestTriesAsItself(t *testing.T) {
	s := start(t, evaluator.Evaluator{})
	s.policy("ValidatingAdmissionPolicy", "who", `{"matchConstraints":{"resourceRules":[{"apiGroups":[""],
		"apiVersions":["v1"],"operations":["*"],"resources":["configmaps"]}]},"validations":[{"expression":"false",
		"messageExpression":"request.userInfo.username"}]}`, `{"policyName":"who","validationActions":["Deny"]}`)
	for name, want := range map[string]string{"": auth.Admin.Name, "lee": "lee"} {
		headers := ""
		if name != "" {
			headers = `"Impersonate-User":"` + name + `"`
		}
		r := httptest.NewRequest("POST", own+"trials", strings.NewReader(`{"method":"POST","path":"`+configMaps+
			`","headers":{`+headers+`},"body":"{\"metadata\":{\"name\":\"a\"}}"}`))
		r.Header.Set("Impersonate-User", "kim")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), "denied request: "+want) {
			t.Errorf("as %q: %s", name, w.Body)
		}
	}
}

// TestTriesInTurn: a trial does not keep the only seat, which its request needs.
func TestTriesInTurn(t *testing.T) {
	c, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader, CEL: evaluator.Evaluator{},
		Extensions: []extension.Extension{trial.Trials{}},
		Limits:     apiserver.Limits{Writes: 1, Queue: true, Deadline: 10 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	s := server{t, c}
	for i := range 2 {
		if made := s.try("POST", configMaps, fmt.Sprintf(`{"metadata":{"name":"a%d"}}`, i)); made["code"] != 201. {
			t.Error(made)
		}
	}
}

// TestRefusesItself: however the path is spelled; and a dry run that would write, and a field that is too long.
func TestRefusesItself(t *testing.T) {
	s := start(t, evaluator.Evaluator{})
	for _, path := range []string{"/apis/sandbox%2Etabernetes.dev/v1/trials", "/ap%69s/sandbox.tabernetes.dev/v1/trials"} {
		s.post(400, own+"trials", tree{"method": "POST", "path": path, "body": "{}"})
	}
	s.post(400, own+"trials?dryRun=All", tree{"method": "POST", "path": configMaps, "body": `{"metadata":{"name":"a"}}`})
	s.post(400, own+"expressionreviews", tree{"object": tree{"kind": "CustomResourceDefinition"},
		"field": strings.Repeat("a.", 1_000_000) + "a"})
}
