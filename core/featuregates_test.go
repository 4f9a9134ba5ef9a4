package core

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/cbor"
)

// asCBOR makes a request with a JSON body converted to CBOR, and returns its answer.
func asCBOR(t *testing.T, c *Cluster, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	document, err := cbor.FromJSON([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return apitest.Do(c, method, path, string(document), "Accept", "application/cbor", "Content-Type", "application/cbor")
}

func TestCBORIsBehindItsGate(t *testing.T) {
	c, _ := newCluster(t, Options{})
	create := func(code int) *httptest.ResponseRecorder {
		t.Helper()
		w := asCBOR(t, c, "POST", configMaps+"?dryRun=All", configMap("a", "1"))
		if w.Code != code {
			t.Fatalf("%d %s, want %d", w.Code, w.Body, code)
		}
		return w
	}
	if gates := at(must(t, c, 200, "GET", plane, ""), "spec.featureGates.CBORServingAndStorage"); gates != false {
		t.Errorf("the gate is %v in a new cluster", gates)
	}
	create(406)
	setSpec(t, c, `{"featureGates":{"CBORServingAndStorage":true}}`)
	if got := create(201).Header().Get("Content-Type"); got != "application/cbor" {
		t.Errorf("answered in %s", got)
	}
	setSpec(t, c, `{"featureGates":{"CBORServingAndStorage":null}}`)
	create(406)
	for bad, want := range map[string]string{
		`{"CBORServing":true}`: `spec.featureGates: Unsupported value: \"CBORServing\": supported values: ` +
			`\"CBORServingAndStorage\"`,
		`{"CBORServingAndStorage":"on"}`: `spec.featureGates.CBORServingAndStorage: ` +
			`Invalid value: \"on\": must be true or false`,
		`["CBORServingAndStorage"]`: `spec.featureGates: Invalid value`,
	} {
		code, body := call(t, c, "PUT", plane, `{"metadata":{"name":"default"},"spec":{"featureGates":`+bad+`}}`)
		if code != http.StatusUnprocessableEntity || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, want %s", bad, code, body, want)
		}
	}
}

// Custom resources have no Go types: bytes in them are text, and floats stay floats.
func TestCBOROfCustomResources(t *testing.T) {
	c, _ := newCluster(t, Options{})
	setSpec(t, c, `{"featureGates":{"CBORServingAndStorage":true}}`)
	must(t, c, 201, "POST", definitions, `{"metadata":{"name":"things.stable.example.com"},"spec":{
		"group":"stable.example.com","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
			"spec":{"type":"object","properties":{"b":{"type":"string"},"n":{"type":"number"}}}}}}}]}}`)
	const things = "/apis/stable.example.com/v1/namespaces/default/things"
	condition(t, c, "things", "Established", "True")
	w := asCBOR(t, c, "POST", things,
		`{"apiVersion":"stable.example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"b":"AQI=","n":1.5,`+
			`"unknown":1}}`)
	if w.Code != http.StatusCreated || !strings.Contains(w.Body.String(), "\x44spec\xa2\x41b\x44AQI=\x41n\xf9\x3e\x00") {
		t.Fatalf("%d %q", w.Code, w.Body)
	}
	if got := w.Header().Get("Warning"); got != `299 - "unknown field \"spec.unknown\""` {
		t.Errorf("warning %s", got)
	}
	if w := asCBOR(t, c, "GET", things, "{}"); w.Code != http.StatusOK ||
		!strings.Contains(w.Body.String(), "\x49ThingList") {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}
