package apiserver

import (
	"slices"
	"strings"
	"testing"
)

const (
	yamlBody  = "Content-Type: application/yaml"
	mergeBody = "Content-Type: application/merge-patch+json"
	jsonPatch = "Content-Type: application/json-patch+json"
)

func TestDeleteOptions(t *testing.T) {
	const a = configMaps + "/a"
	create := exchange{"POST", configMaps, "", `{"metadata":{"name":"a"}}`, 201, ""}
	present, gone := exchange{"GET", a, "", "", 200, ""}, exchange{"GET", a, "", "", 404, ""}
	for _, test := range []struct {
		exchange
		deletes bool
	}{
		{exchange{"DELETE", a + "?propagationPolicy=Nope", "", "", 422,
			`"message":"DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: \"Nope\": ` +
				`supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""`}, false},
		{exchange{"DELETE", a + "?propagationPolicy=", "", "", 422, `Unsupported value: \"\"`}, false},
		{exchange{"DELETE", a, "", `{"propagationPolicy":"Nope","orphanDependents":false,"dryRun":["x"]}`, 422,
			`is invalid: [propagationPolicy: Invalid value: \"Nope\": orphanDependents and deletionPropagation cannot be ` +
				`both set, propagationPolicy: Unsupported value: \"Nope\": supported values: \"Foreground\", \"Background\", ` +
				`\"Orphan\", \"nil\", dryRun: Unsupported value: [\"x\"]: supported values: \"All\"]`}, false},
		{exchange{"DELETE", a, "", `{"kind":"Pod","apiVersion":"v1"}`, 400,
			`no kind \"Pod\" is registered for version \"v1\"`}, false},
		{exchange{"DELETE", a, "", `{"kind":"Pod"}`, 400, `no kind \"Pod\" is registered for version \"meta.k8s.io/v1\"`},
			false},
		{exchange{"DELETE", a, "", `{"dryRun":"All"}`, 400, "cannot unmarshal"}, false},
		{exchange{"DELETE", a, "", `{`, 400, "couldn't get version/kind"}, false},
		{exchange{"DELETE", a, yamlBody, "a: [b", 400, ""}, false},
		{exchange{"DELETE", a, "Content-Type: text/plain", "{}", 415, ""}, false},
		{exchange{"DELETE", a + "?gracePeriodSeconds=abc", "", "", 400, `strconv.ParseInt: parsing \"abc\": invalid syntax`},
			false},
		{exchange{"DELETE", a + "?dryRun=all", "", "", 422, `dryRun: Unsupported value: [\"all\"]`}, false},
		{exchange{"DELETE", a + "?dryRun=All", "", "", 200, ""}, false},
		{exchange{"DELETE", a, yamlBody, "dryRun: [All]", 200, ""}, false},
		{exchange{"DELETE", a, "", `{"preconditions":{"uid":"x"}}`, 409, "UID in the precondition (x)"}, false},
		{exchange{"DELETE", a, "", `{"preconditions":{"resourceVersion":""}}`, 409, "ResourceVersion in the precondition ()"},
			false},

		{exchange{"DELETE", a + "?dryRun=All&propagationPolicy=Nope", "", "{}", 200, ""}, true}, // only the body counts
		{exchange{"DELETE", a, "", `{"DryRun":["All"],"GracePeriodSeconds":0}`, 200, ""}, true}, // other names
		{exchange{"DELETE", a + "?fieldValidation=x&fieldManager=%00", "", "", 200, ""}, true},  // not options of a deletion
		{exchange{"DELETE", a, "", `{"kind":"DeleteOptions","apiVersion":"apps/v1"}`, 200, ""}, true},
		{exchange{"DELETE", a, "", `{"apiVersion":"v1","gracePeriodSeconds":-1}`, 200, ""}, true},
		{exchange{"DELETE", a, "", `null`, 200, ""}, true},
	} {
		after := present
		if test.deletes {
			after = gone
		}
		run(t, newServer(t), []exchange{create, test.exchange, after})
	}
}

// An object that is not removed at once is answered with 202 if the client uses the older option
// for its dependents.
func TestOrphanDependentsIsAccepted(t *testing.T) {
	held := `{"metadata":{"name":"a","finalizers":["example.com/hold"]}}`
	for query, code := range map[string]int{
		"":                              200,
		"?orphanDependents=true":        200,
		"?orphanDependents=false":       202,
		"?propagationPolicy=Background": 200,
	} {
		run(t, newServer(t), []exchange{
			{"POST", configMaps, "", held, 201, ""},
			{"DELETE", configMaps + "/a" + query, "", "", code, `"deletionTimestamp"`},
		})
	}
	run(t, newServer(t), []exchange{
		{"POST", configMaps, "", `{"metadata":{"name":"a"}}`, 201, ""},
		{"DELETE", configMaps + "/a?orphanDependents=false", "", "", 200, `"Success"`},
	})
}

func TestDeleteCollectionChecksItsOptions(t *testing.T) {
	run(t, newServer(t), []exchange{
		{"POST", configMaps, "", `{"metadata":{"name":"a"}}`, 201, ""},
		{"DELETE", configMaps + "?propagationPolicy=Nope", "", "", 422, "propagationPolicy"},
		{"DELETE", configMaps, "", `{"kind":"Pod"}`, 400, "no kind"},
		{"GET", configMaps + "/a", "", "", 200, ""},
		{"DELETE", configMaps + "?dryRun=All", "", "{}", 200, `"name":"a"`},
		{"GET", configMaps + "/a", "", "", 404, ""},
	})
}

func TestWriteOptions(t *testing.T) {
	long := strings.Repeat("m", 129)
	const a, put = configMaps + "/a", `{"metadata":{"name":"a"}}`
	run(t, newServer(t), []exchange{
		{"POST", configMaps + "?fieldManager=" + long, "", put, 422,
			`CreateOptions.meta.k8s.io \"\" is invalid: fieldManager: Too long: may not be more than 128 bytes`},
		{"POST", configMaps + "?fieldManager=%01", "", put, 422,
			`fieldManager: Invalid value: \"\\x01\": invalid character U+0001 (at position 0)`},
		{"POST", configMaps + "?dryRun=x&fieldValidation=y&fieldManager=" + long, "", put, 422,
			`is invalid: [fieldManager: Too long: may not be more than 128 bytes, dryRun: Unsupported value: [\"x\"]: ` +
				`supported values: \"All\", fieldValidation: Unsupported value: \"y\"`},
		{"GET", a, "", "", 404, ""},
		{"POST", configMaps + "?fieldManager=" + long[1:], "", put, 201, ""},
		{"PUT", a + "?fieldManager=" + long, "", put, 422, "UpdateOptions.meta.k8s.io"},
		{"PATCH", a + "?fieldManager=" + long, mergeBody, "{}", 422, "PatchOptions.meta.k8s.io"},
		{"PATCH", a + "?force=false", mergeBody, "{}", 422,
			`PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be specified for non-apply patch`},
		{"PUT", a + "?force=true", "", put, 200, ""}, // an option of patches alone
	})
}

func TestPatchKeepsTheType(t *testing.T) {
	const a, pdbs = configMaps + "/a", "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
	run(t, newServer(t), []exchange{
		{"POST", configMaps, "", `{"metadata":{"name":"a"}}`, 201, ""},
		{"PATCH", a, mergeBody, `{"apiVersion":"v2"}`, 422,
			`: no kind \"ConfigMap\" is registered for version \"v2\" in scheme`},
		{"PATCH", a, mergeBody, `{"kind":"Secret"}`, 422, `: converting (v1.Secret) to (core.ConfigMap): unknown conversion`},
		{"PATCH", a, jsonPatch, `[{"op":"replace","path":"/kind","value":"Nope"}]`, 422,
			`\" is invalid: patch: Invalid value: `},
		{"PATCH", a, mergeBody, `{"kind":3}`, 422, "couldn't get version/kind"},
		{"PATCH", a, mergeBody, `{"kind":null,"data":{"k":"v"}}`, 200, `{"kind":"ConfigMap","apiVersion":"v1"`},
		{"PATCH", a, "Content-Type: " + strategic, `{"kind":"Secret","apiVersion":"v2"}`, 200,
			`{"kind":"ConfigMap","apiVersion":"v1"`},
		// Another version of the same kind is converted.
		{"POST", pdbs, "", `{"metadata":{"name":"a"}}`, 201, ""},
		{"PATCH", pdbs + "/a", mergeBody, `{"apiVersion":"policy/v1beta1"}`, 200, `"apiVersion":"policy/v1"`},
	})
}

func TestFinalizeKeepsWhatEveryWriteKeeps(t *testing.T) {
	const label = `"labels":{"kubernetes.io/metadata.name":"default"}`
	s := newServer(t)
	for _, e := range []exchange{
		{"PUT", "/api/v1/namespaces/default/finalize", "",
			`{"metadata":{"name":"default","generation":7},"spec":{"finalizers":["kubernetes"]}}`, 200, label},
		{"GET", "/api/v1/namespaces/default", "", "", 200, label},
	} {
		w := e.do(s)
		if body := w.Body.String(); w.Code != e.code || !strings.Contains(body, e.want) ||
			strings.Contains(body, "generation") {
			t.Errorf("%s: %d %s", e.method, w.Code, body)
		}
	}
}

func TestWarningsAreGivenOnce(t *testing.T) {
	w := exchange{method: "POST", path: configMaps, body: `{"metadata":{"name":"a"},"x":1,"y":1}`}.do(newServer(t))
	want := []string{warning(`unknown field "x"`), warning(`unknown field "y"`)}
	if got := w.Header()["Warning"]; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	a := &answer{ResponseWriter: w}
	if a.warn(`unknown field "y"`); len(w.Header()["Warning"]) != 2 {
		t.Errorf("%q", w.Header()["Warning"])
	}
}
