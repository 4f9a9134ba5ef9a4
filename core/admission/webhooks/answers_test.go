package webhooks_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// A webhook's denial becomes the answer of the request.
func TestDenials(t *testing.T) {
	const denied = `admission webhook "wh.example.com" denied the request`
	for _, kind := range []string{"Mutating", "Validating"} {
		for name, test := range map[string]struct {
			status  tree
			code    int
			message string
			reason  any
		}{
			"message":         {tree{"message": "no"}, 400, denied + ": no", nil},
			"reason":          {tree{"reason": "Because"}, 400, denied + ": Because", "Because"},
			"neither":         {tree{}, 400, denied + " without explanation", nil},
			"no status":       {nil, 400, denied + " without explanation", nil},
			"code 200":        {tree{"code": 200, "message": "no"}, 400, denied + ": no", nil},
			"code 99":         {tree{"code": 99, "message": "no"}, 400, denied + ": no", nil},
			"code 403":        {tree{"code": 403, "message": "no", "reason": "Forbidden"}, 403, denied + ": no", "Forbidden"},
			"says success":    {tree{"status": "Success", "message": "no"}, 400, denied + ": no", nil},
			"failure Ignored": {tree{"code": 418, "message": "tea"}, 418, denied + ": tea", nil},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				c := newCluster(t)
				c.configure(kind, "x", config("wh", tree{"failurePolicy": "Ignore"}))
				c.answer("wh", denies(test.status))
				got := c.must(test.code, "POST", configMaps, configMap("a", nil))
				if got["message"] != test.message || got["status"] != "Failure" || got["reason"] != test.reason ||
					got["kind"] != "Status" {
					t.Errorf("%v", got)
				}
				c.must(404, "GET", configMaps+"/a", nil)
			})
		}
	}
}

// Details are passed on, and with them a Retry-After header.
func TestDenialKeepsDetails(t *testing.T) {
	c := newCluster(t)
	c.configure("Validating", "x", config("wh", nil))
	c.answer("wh", denies(tree{"code": 429, "reason": "TooManyRequests", "details": tree{
		"name": "n", "group": "g", "kind": "k", "retryAfterSeconds": 7,
		"causes": []any{tree{"reason": "R", "message": "m", "field": "f"}}}}))
	w := c.do("POST", configMaps, configMap("a", nil))
	if w.Code != 429 || w.Header().Get("Retry-After") != "7" ||
		!strings.Contains(w.Body.String(),
			`"details":{"name":"n","group":"g","kind":"k","causes":[{"reason":"R","message":"m","field":"f"}],`+
				`"retryAfterSeconds":7}`) {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

// Invalid answers and failed calls: failurePolicy decides on those that begin with "failed calling
// webhook".
func TestFailures(t *testing.T) {
	const failed = `failed calling webhook "wh.example.com": `
	const invalid = failed + "received invalid webhook response: "
	patched := func(operations string) hook { return patches(operations) }
	with := func(fields tree) hook { return func(tree) any { return response(fields) } }
	for name, test := range map[string]struct {
		kind   string
		answer hook
		want   string // the text after "Internal error occurred: "; UID is the review's
		always bool   // whatever failurePolicy says
	}{
		"patch without type": {"Mutating", with(tree{"allowed": true, "patch": "W10="}), invalid +
			"webhook returned response.patch but not response.patchType", false},
		"type without patch": {"Mutating", with(tree{"allowed": true, "patchType": "JSONPatch"}), invalid +
			"webhook returned response.patchType but not response.patch", false},
		"validating patches": {"Validating", patched("[]"), invalid + "validating webhook may not return response.patch",
			false},
		"validating, type": {"Validating", with(tree{"allowed": true, "patchType": "JSONPatch"}), invalid +
			"validating webhook may not return response.patchType", false},
		"patch is no list": {"Mutating", patched("{}"), failed +
			"received undecodable patch in webhook response: " +
			"json: cannot unmarshal object into Go value of type jsonpatch.Patch", false},
		"patch is no base64": {"Mutating", with(tree{"allowed": true, "patchType": "JSONPatch", "patch": "?"}), failed +
			"failed to call webhook: illegal base64 data at input byte 0", false},
		"unknown patch type": {"Mutating", with(tree{"allowed": true, "patchType": "Merge", "patch": "W3t9XQ=="}), failed +
			`unsupported patch type "Merge"`, false},
		"a text for a bool": {"Validating", with(tree{"allowed": "true"}), failed + "failed to call webhook: " +
			"json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool", false},
		"HTML": {"Validating", reply(200, "text/html", "<html>"), failed + "failed to call webhook: couldn't get " +
			"version/kind; json parse error: json: cannot unmarshal string into Go value of type struct " +
			`{ APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`, false},
		"a Status": {"Validating", reply(200, "application/json", `{"kind":"Status","apiVersion":"v1"}`), failed +
			"failed to call webhook: converting (v1.Status) to (v1.AdmissionReview): unknown conversion", false},
		"another kind": {"Mutating", patched(`[{"op":"replace","path":"/kind","value":"Secret"}]`),
			"illegal base64 data at input byte 0", true},
		"no kind": {"Mutating", patched(`[{"op":"replace","path":"/kind","value":"Thing"}]`),
			`no kind "Thing" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`, true},
		"kind is no text": {"Mutating", patched(`[{"op":"replace","path":"/kind","value":0}]`), "couldn't get " +
			"version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string", true},
		"group of nothing": {"Mutating", patched(`[{"op":"replace","path":"/apiVersion","value":"a/b/c"}]`),
			"unexpected GroupVersion string: a/b/c", true},
		"no kind, wrong data": {"Mutating",
			patched(`[{"op":"remove","path":"/kind"},{"op":"add","path":"/data","value":""}]`),
			"json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string", true},
		"removes what is not": {"Mutating", patched(`[{"op":"remove","path":"/data/absent"}]`),
			"error in remove for path: '/data/absent': Unable to remove nonexistent key: absent: missing value", true},
		"test fails": {"Mutating", patched(`[{"op":"test","path":"/data/k","value":"x"}]`),
			"testing value /data/k failed: test failed", true},
		"wrong type": {"Mutating", patched(`[{"op":"add","path":"/data/k","value":1}]`),
			"json: cannot unmarshal number into Go struct field ConfigMap.data of type string", true},
		"another uid": {"Validating", with(tree{"allowed": true, "uid": "other"}), invalid +
			`expected response.uid="UID", got "other"`, false},
		"no response":  {"Validating", func(tree) any { return tree{} }, invalid + "webhook response was absent", false},
		"empty object": {"Validating", reply(200, "application/json", "{}"), invalid + "webhook response was absent", false},
		"v1beta1": {"Validating", func(tree) any {
			return tree{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1beta1", "response": tree{"allowed": true}}
		}, failed + "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): " +
			"unknown conversion", false},
		"empty body": {"Validating", reply(200, "application/json", ""), failed +
			"failed to call webhook: 0-length response with status code: 200 and content type: application/json", false},
		"404": {"Validating", reply(404, "text/plain", "404 page not found\n"), failed +
			"failed to call webhook: the server could not find the requested resource", false},
		"500": {"Validating", reply(500, "application/json", ""), failed +
			`failed to call webhook: an error on the server ("unknown") has prevented the request from succeeding`, false},
		"500 in text": {"Validating", reply(500, "text/plain; charset=utf-8", "oh\n"), failed +
			`failed to call webhook: an error on the server ("oh") has prevented the request from succeeding`, false},
		"500, Status": {"Validating", reply(500, "application/json",
			`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"boom","code":500}`), failed +
			"failed to call webhook: boom", false},
		"302": {"Validating", reply(302, "", ""), failed +
			"failed to call webhook: the server responded with the status code 302 but did not return more information", false},
		"refused": {"Validating", nil, failed +
			`failed to call webhook: Post "https://127.0.0.1:9443/wh?timeout=10s": dial tcp 127.0.0.1:9444: connect: ` +
			`connection refused`, false},
	} {
		for _, policy := range []string{"Fail", "Ignore"} {
			t.Run(name+" "+policy, func(t *testing.T) {
				c := newCluster(t)
				c.configure(test.kind, "x", config("wh", tree{"failurePolicy": policy}))
				if test.answer != nil {
					c.answer("wh", test.answer)
				}
				w := c.do("POST", configMaps, configMap("a", tree{"k": "v"}))
				if policy == "Ignore" && !test.always {
					if w.Code != 201 || w.Header().Get("Warning") != "" {
						t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
					}
					return
				}
				want := strings.ReplaceAll(test.want, "UID", c.one().request["uid"].(string))
				var got tree
				if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 500 {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
				causes, _ := at(got, "details.causes").([]any)
				if got["message"] != "Internal error occurred: "+want || got["reason"] != "InternalError" ||
					len(causes) != 1 || at(causes[0], "message") != want {
					t.Errorf("got  %v\nwant %s", got, want)
				}
				c.must(404, "GET", configMaps+"/a", nil)
			})
		}
	}
}

// An answer without its kind is invalid, in v1.
func TestAnswerWithoutKind(t *testing.T) {
	c := newCluster(t)
	c.configure("Validating", "x", config("wh", nil))
	c.answer("wh", func(request tree) any {
		return reply(200, "application/json", `{"response":{"allowed":true,"uid":"`+request["uid"].(string)+`"}}`)(nil)
	})
	got := c.must(500, "POST", configMaps, configMap("a", nil))
	if want := `Internal error occurred: failed calling webhook "wh.example.com": received invalid webhook response: ` +
		"expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind="; got["message"] != want {
		t.Error(got)
	}
}

// A call to a webhook that takes too long ends, by the host's clock.
func TestTimeout(t *testing.T) {
	for _, policy := range []string{"Fail", "Ignore"} {
		c := newCluster(t)
		c.configure("Validating", "x", config("wh", tree{"failurePolicy": policy, "timeoutSeconds": 1}))
		c.answer("wh", func(tree) any {
			go c.clock.Advance(time.Second)
			return nil
		})
		w := c.do("POST", configMaps, configMap("a", nil))
		if policy == "Ignore" {
			if w.Code != 201 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			continue
		}
		if want := `failed calling webhook \"wh.example.com\": failed to call webhook: Post ` +
			`\"https://127.0.0.1:9443/wh?timeout=1s\": context deadline exceeded`; w.Code != 500 ||
			!strings.Contains(w.Body.String(), want) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
}

// A status beside "allowed" and a code of 201 make no difference; in v1beta1 the uid and the type
// of the patch may be missing.
func TestLenience(t *testing.T) {
	c := newCluster(t)
	c.configure("Validating", "x", config("wh", nil))
	c.answer("wh", func(tree) any {
		return response(tree{"allowed": true, "status": tree{"message": "x", "code": 500}, "other": 1})
	})
	c.must(201, "POST", configMaps, configMap("a", nil))
	c.configure("Mutating", "y", config("old", tree{"admissionReviewVersions": []any{"v2", "v1beta1", "v1"}}))
	c.answer("old", func(request tree) any {
		return reply(201, "text/html",
			`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","response":{"allowed":true,`+
				`"patch":"W3sib3AiOiJhZGQiLCJwYXRoIjoiL2RhdGEiLCJ2YWx1ZSI6eyJrIjoidiJ9fV0="}}`)(nil)
	})
	c.taken()
	if got := c.must(201, "POST", configMaps, configMap("b", nil)); at(got, "data.k") != "v" {
		t.Error(got)
	}
	if calls := c.taken(); calls[0].review["apiVersion"] != "admission.k8s.io/v1beta1" {
		t.Error(calls[0].review)
	}
}

// Warnings are headers, each text once, those of mutating webhooks first, also when
// another webhook refuses the request.
func TestWarnings(t *testing.T) {
	c := newCluster(t)
	c.configure("Validating", "v", config("v1", nil), config("v2", nil))
	c.configure("Mutating", "m", config("m1", nil), config("m2", nil))
	c.answer("m1", warns("one", `a "b" \`))
	c.answer("m2", warns("two", "one"))
	c.answer("v1", warns("three", "", "new\nline"))
	c.answer("v2", denies(tree{"message": "no"}))
	w := c.do("POST", configMaps, configMap("a", nil))
	want := []string{`299 - "one"`, `299 - "a \"b\" \\"`, `299 - "two"`, `299 - "three"`}
	if got := w.Header()["Warning"]; w.Code != 400 || !slices.Equal(got, want) {
		t.Errorf("%d %q, want %q", w.Code, got, want)
	}
}
