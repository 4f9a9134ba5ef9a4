package apiserver

import (
	"fmt"
	"strings"
	"testing"
)

// The real server's errors for patches that it refuses.
func TestPatchRefused(t *testing.T) {
	const (
		a         = configMaps + "/a"
		merge     = mergeBody
		smp       = "Content-Type: " + strategic
		execution = `"message":"the server rejected our request due to an error in our ` +
			`request","reason":"Invalid","details":{},"code":422`
		quoted = `"message":" \"\" is invalid: patch: Invalid value: \"`
	)
	run(t, newServer(t), []exchange{
		{"POST", configMaps, "", `{"metadata":{"name":"a"},"data":{"k":"v"}}`, 201, ""},
		// Media types.
		{"PATCH", a, "Content-Type: application/json", `{}`, 415,
			`"message":"415: Unsupported Media Type","reason":"UnsupportedMediaType","details":{},"code":415`},
		{"PATCH", a, "", `{}`, 415, `"details":{}`},
		{"PATCH", a, merge + "; charset=utf-8", `{}`, 200, ""},
		// Malformed patches.
		{"PATCH", a, smp, `{`, 400, `"message":"unexpected end of JSON input"`},
		{"PATCH", a, merge, `{`, 400, `"message":"error decoding patch: unexpected end of JSON input"`},
		{"PATCH", a, smp, `[]`, 400,
			`"message":"json: cannot unmarshal array into Go value of type map[string]interface {}"`},
		// Patches that cannot be applied.
		{"PATCH", a, jsonPatch, `[{"op":"test","path":"/data/k","value":"w"}]`, 422, execution},
		{"PATCH", a, jsonPatch, `[{"op":"add","path":"/spec/k","value":"w"}]`, 422, execution},
		{"PATCH", a, jsonPatch, "[" + strings.Repeat(`{"op":"test","path":"/kind","value":"ConfigMap"},`, 10000) +
			`{"op":"remove","path":"/data/k"}]`, 413,
			`"message":"Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"`},
		// The identity of the object.
		{"PATCH", a, merge, `{"metadata":{"name":"b"}}`, 400,
			`"the name of the object (b) does not match the name on the URL (a)"`},
		{"PATCH", a, smp, `{"metadata":{"name":null}}`, 400,
			`"the name of the object (a based on URL) was undeterminable: name must be provided"`},
		{"PATCH", a, merge, `{"metadata":{"name":"b","namespace":"x"}}`, 400,
			`"the namespace of the provided object does not match the namespace sent on the request"`},
		// Values of the wrong type, quoted.
		{"PATCH", a, merge, `{"metadata":{"labels":"x"}}`, 422, quoted + `{\\\"apiVersion\\\":`},
		{"PATCH", a, smp, `{"metadata":{"labels":"x"}}`, 422, quoted +
			`map[metadata:map[labels:x]]\": cannot restore map from string"`},
		{"PATCH", a + "?fieldValidation=Strict", smp, `{"x":1,"data":{"l":"w","l":"w"}}`, 422,
			quoted + `map[data:map[l:w] x:1]\": strict decoding error: duplicate field \"data.l\", unknown field \"x\""`},
		{"PATCH", a + "?fieldValidation=Strict", smp, `{"x":1}`, 422,
			`"details":{"causes":[{"reason":"FieldValueInvalid","message":"Invalid value: \"map[x:1]\"`},
		{"PATCH", a + "?fieldValidation=Ignore", smp, `{"x":1}`, 200, ""},
		// Another kind's fields are read before its name is checked.
		{"PATCH", a, merge, `{"kind":"Secret","data":{"k":"!"}}`, 422, `illegal base64 data at input byte 0`},
		// Without an apiVersion no field in it is known, not even the name.
		{"PATCH", a, merge, `{"apiVersion":null}`, 400,
			`"the name of the object (a based on URL) was undeterminable: name must be provided"`},
		{"PATCH", a + "?fieldValidation=Strict", merge, `{"apiVersion":null}`, 422,
			`strict decoding error: unknown field \"data\", unknown field \"metadata\""`},
		{"GET", a, "", "", 200, `"data":{"k":"v"}`},
	})
}

func TestPatchedOwners(t *testing.T) {
	const a = configMaps + "/a"
	s := newServer(t)
	run(t, s, []exchange{{"POST", configMaps, "", `{"metadata":{"name":"a"}}`, 201, ""}})
	w := exchange{method: "PATCH", path: a, header: mergeBody, body: `{"metadata":{"ownerReferences":[
		{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"q","uid":"u"},
		{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]}}`}.do(s)
	want := warning(".metadata.ownerReferences contains duplicate entries after mutating admission happens; API " +
		"server dedups owner references in 1.20+, " +
		"and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u")
	if got := w.Header()["Warning"]; w.Code != 200 || len(got) != 1 || got[0] != want {
		t.Errorf("%d, %q", w.Code, got)
	}
	if n := strings.Count(w.Body.String(), `"uid":"u"`); n != 2 {
		t.Errorf("%d owners in %s", n, w.Body)
	}
}

func TestYAMLProblems(t *testing.T) {
	const body, yaml = "metadata:\n  name: %s\n  nope: 1\ndata:\n  k: v\n  k: w\n", "Content-Type: application/yaml"
	s := newServer(t)
	w := exchange{method: "POST", path: configMaps, header: yaml, body: fmt.Sprintf(body, "a")}.do(s)
	want := []string{warning(`line 6: key "k" already set in map`), warning(`unknown field "metadata.nope"`)}
	if got := w.Header()["Warning"]; w.Code != 201 || strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%d, %q", w.Code, got)
	}
	run(t, s, []exchange{
		{"POST", configMaps + "?fieldValidation=Strict", yaml, fmt.Sprintf(body, "b"), 400,
			`strict decoding error: yaml: unmarshal errors:\n  line 6: ` +
				`key \"k\" already set in map, unknown field \"metadata.nope\"`},
		{"POST", configMaps, yaml, "metadata:\n\tname: b\n", 400,
			"the object provided is unrecognized (must be of type ConfigMap): yaml: line 2: found character that cannot " +
				"start any token (6d657461646174613a0a096e616d653a20620a)"},
		{"POST", configMaps, yaml, "metadata: &m {name: c}\ndata: {<<: *m}\n---\nkind: Secret\n", 201, `"data":{"name":"c"}`},
		{"POST", configMaps, "", `{"apiVersion":"a/b/c"}`, 400,
			`(must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({\"apiVersion\":\"a/b/c\"})`},
		{"POST", configMaps, "", `{"apiVersion":"apps/"}`, 400,
			`ConfigMap in version \"\" cannot be handled as a ConfigMap: Object 'apiVersion' is missing in ` +
				`'{\"apiVersion\":\"apps/\"}'`},
	})
}
