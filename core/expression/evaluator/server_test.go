package evaluator_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/object"
)

const (
	definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	crons       = "/apis/example.com/v1/namespaces/default/crons"
)

// definition returns one of Crons, with rules.
func definition(rules string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		"metadata":{"name":"crons.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"crons","kind":"Cron"},
		"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
		"schema":{"openAPIV3Schema":{"type":"object","properties":{
		"status":{"type":"object","properties":{"n":{"type":"integer"}}},
		"spec":{"type":"object","properties":{"n":{"type":"integer"},"m":{"type":"integer"}}}},
		"x-kubernetes-validations":[` + rules + `]}}}]}}`
}

// A client asks a server, and returns the code, the message and the warning of the answer.
type client func(method, path, body string) (int, string, string)

// serve starts a server; the test ends it.
func serve(t testing.TB) client {
	cluster, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader, CEL: evaluator.Tested()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(method, path, body string) (int, string, string) {
		w := apitest.Do(cluster, method, path, body)
		obj, _, _ := object.Decode(w.Body.Bytes(), nil)
		return w.Code, object.GetString(obj, "message"), w.Header().Get("Warning")
	}
}

// define creates the definition, and waits until it is served.
func define(t testing.TB, ask client, rules string) {
	if code, message, _ := ask("POST", definitions, definition(rules)); code != http.StatusCreated {
		t.Fatalf("%d %s", code, message)
	}
	for deadline := time.Now().Add(3 * time.Minute); ; runtime.Gosched() {
		if code, _, _ := ask("GET", crons, ""); code == http.StatusOK {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the resource is not served")
		}
	}
}

// TestServer: a definition with rules, and objects that are written, through the server.
func TestServer(t *testing.T) {
	ask := serve(t)
	if code, message, _ := ask("POST", definitions,
		definition(`{"rule":"self.spec.x > 1"}`)); code != http.StatusUnprocessableEntity ||
		!strings.Contains(message, "spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule: Invalid value: ") ||
		!strings.Contains(message, "undefined field 'x'") {
		t.Fatalf("%d %s", code, message)
	}
	rules := `{"rule":"self.spec.n < 10","message":"too many"},` +
		`{"rule":"self.spec.m >= oldSelf.spec.m","message":"m shrinks"},` +
		`{"rule":"!has(self.status) || self.status.n <= self.spec.n","message":"more than asked for","fieldPath":".status.n"}`
	define(t, ask, rules)
	const invalid = `Cron.example.com "a" is invalid: `
	for _, c := range []struct {
		method, path, body string
		code               int
		message            string
	}{
		{"POST", crons, `{"apiVersion":"example.com/v1","kind":"Cron","metadata":{"name":"a"},"spec":{"n":10,"m":1}}`, 422,
			invalid + "<nil>: Invalid value: too many"},
		{"POST", crons, `{"apiVersion":"example.com/v1","kind":"Cron","metadata":{"name":"a"},"spec":{"n":5,"m":2}}`, 201,
			""},
		{"PATCH", crons + "/a", `{"spec":{"m":1}}`, 422, invalid + "<nil>: Invalid value: m shrinks"},
		{"PATCH", crons + "/a", `{"spec":{"m":3}}`, 200, ""},
		{"PATCH", crons + "/a/status", `{"status":{"n":6}}`, 422, invalid + "status.n: Invalid value: more than asked for"},
		{"PATCH", crons + "/a/status", `{"status":{"n":5}}`, 200, ""},
		{"PATCH", crons + "/a", `{"spec":{"n":4}}`, 422, invalid + "status.n: Invalid value: more than asked for"},
	} {
		if code, message, warning := ask(c.method, c.path, c.body); code != c.code || message != c.message || warning != "" {
			t.Errorf("%s %s %s: %d %s %s\nwant %s", c.method, c.path, c.body, code, message, warning, c.message)
		}
	}
}

// TestOrder checks that a schema's rules are reported where the real server reports them: among what else is wrong,
// before what follows the schema of its version.
func TestOrder(t *testing.T) {
	const version = `{"name":"%[1]s","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",` +
		`"x-kubernetes-validations":[{"rule":"self.x > 1"}],"description":"%[2]s"}},` +
		`"additionalPrinterColumns":[{"name":"","type":"string","jsonPath":".a%[2]s"}]}`
	for versions, want := range map[string]string{
		fmt.Sprintf(version, "v1", "a") + "," + fmt.Sprintf(version, "v2", "b"): "scope versions[0].schema " +
			"versions[0].additionalPrinterColumns versions[1].schema versions[1].additionalPrinterColumns versions",
		fmt.Sprintf(version, "v1", ""): "scope validation additionalPrinterColumns preserveUnknownFields",
	} {
		_, message, _ := serve(t)("POST", definitions, `{"apiVersion":"apiextensions.k8s.io/v1",`+
			`"kind":"CustomResourceDefinition","metadata":{"name":"crons.example.com"},"spec":{"group":"example.com",`+
			`"scope":"x","names":{"plural":"crons","kind":"Cron"},"preserveUnknownFields":true,"versions":[`+versions+`]}}`)
		from := 0
		for _, field := range strings.Fields(want) {
			at := regexp.MustCompile(`spec\.` + regexp.QuoteMeta(field) + `[.:[]`).FindStringIndex(message[from:])
			if at == nil {
				t.Fatalf("no %s after %q in %s", field, message[:from], message)
			}
			from += at[1]
		}
	}
}

// BenchmarkCreate creates objects of a definition without rules, and with one that is about all of them.
func BenchmarkCreate(b *testing.B) {
	for name, rules := range map[string]string{"none": "", "rule": `{"rule":"self.spec.n < 10 && self.spec.m >= 0"}`} {
		b.Run(name, func(b *testing.B) {
			ask := serve(b)
			define(b, ask, rules)
			b.ReportAllocs()
			for b.Loop() {
				code, message, _ := ask("POST", crons, `{"apiVersion":"example.com/v1","kind":"Cron",
					"metadata":{"generateName":"c-"},"spec":{"n":5,"m":1}}`)
				if code != http.StatusCreated {
					b.Fatal(message)
				}
			}
		})
	}
}
