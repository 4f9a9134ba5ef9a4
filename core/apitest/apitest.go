// Package apitest makes requests of an API server, or another http.Handler, for tests, follows its streams, and
// measures the memory that code takes.
//
// It imports nothing but the names of wellknown, so that the tests within all other packages
// can use it. A stream takes a goroutine until it has ended; nothing else outlives the call that made it. What measures
// memory collects garbage, which takes time in proportion to what is in use.
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

// Call does what Do does, and returns the answer's code and body.
func Call(t testing.TB, h http.Handler, method, path, body string) (int, string) {
	t.Helper()
	w := Do(h, method, path, body)
	return w.Code, w.Body.String()
}

// Must does what Do does, for a request that has to be answered with a code, and returns the object.
func Must(t testing.TB, h http.Handler, code int, method, path, body string, headers ...string) map[string]any {
	t.Helper()
	w := Do(h, method, path, body, headers...)
	if w.Code != code {
		t.Fatalf("%s %s %q: %d, want %d: %s", method, path, headers, w.Code, code, w.Body)
	}
	var obj map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &obj); err != nil {
		t.Fatalf("%s %s: %v in %q", method, path, err, w.Body)
	}
	return obj
}

// RequestAs makes a request with headers, a line NAME: VALUE for each, and returns the answer's code and body.
func RequestAs(h http.Handler, headers, method, path, body string) (int, string) {
	var all []string
	for line := range strings.Lines(headers) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		all = append(all, name, value)
	}
	w := Do(h, method, path, body, all...)
	return w.Code, w.Body.String()
}

// As returns a handler whose requests have a bearer token.
func As(h http.Handler, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+token)
		h.ServeHTTP(w, r)
	})
}
