// Package apitest makes requests of an API server, or another http.Handler, for tests.
package apitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Do makes a request and returns its answer. headers are names and values in turn; one with
// an empty value is left out. Unless they say otherwise, a PATCH is a merge patch.
func Do(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Object does what Do does, and returns the answer's code and object.
func Object(t testing.TB, h http.Handler, method, target, body string, headers ...string) (int, map[string]any) {
	t.Helper()
	w := Do(h, method, target, body, headers...)
	var obj map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &obj); err != nil {
		t.Fatalf("%s %s: %d, %v in %q", method, target, w.Code, err, w.Body)
	}
	return w.Code, obj
}
