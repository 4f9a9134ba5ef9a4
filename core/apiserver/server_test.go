package apiserver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// ask makes a request that needs no registry.
func ask(s *Server, method, path string) (int, string) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, "/", nil)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// newDocuments returns a server for paths that need no store.
func newDocuments() *Server {
	now := clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	return &Server{Table: schema.Builtin(), Version: NewVersion("test"), Registry: &registry.Registry{Clock: now}}
}

// TestDocumentsAreKnown asks for documents again, with what the first answer said of them.
func TestDocumentsAreKnown(t *testing.T) {
	s, now := newDocuments(), "Fri, 20 Nov 2026 12:00:00 GMT"
	get := func(path string, headers ...string) *httptest.ResponseRecorder {
		return apitest.Do(s, "GET", path, "", headers...)
	}
	for _, path := range []string{"/openapi/v3/api", "/openapi/v3/apis/apps/v1"} {
		first := get(path).Result().Header
		if got := first.Get("Last-Modified"); got != now {
			t.Errorf("%s is of %q", path, got)
		}
		for _, c := range []struct {
			name, value string
			code        int
		}{
			{"If-Modified-Since", now, 304},
			{"If-Modified-Since", "Fri, 20 Nov 2026 11:59:59 GMT", 200},
			{"If-Modified-Since", "yesterday", 200},
			{"If-None-Match", first.Get("Etag"), 304},
		} {
			if w := get(path, c.name, c.value); w.Code != c.code {
				t.Errorf("%s with %s %s: %d, want %d", path, c.name, c.value, w.Code, c.code)
			}
		}
		if w := get(path, "If-None-Match", `"other"`, "If-Modified-Since", now); w.Code != 200 {
			t.Errorf("%s with another ETag: %d", path, w.Code)
		}
	}
	if got := get("/openapi/v3").Result().Header.Get("Last-Modified"); got != now {
		t.Errorf("the list is of %q", got)
	}
}

func TestDocuments(t *testing.T) {
	s := newDocuments()
	for _, test := range []struct {
		method, path string
		code         int
		want         string
	}{
		{"GET", "/", 200, `"/apis/apps/v1"`},
		{"GET", "/", 200, `"/livez/ping"`},
		{"GET", "/api", 200, `"versions":["v1"]`},
		{"GET", "/apis", 200, `"name":"apps"`},
		{"GET", "/apis/apps", 200, `"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}`},
		{"GET", "/api/v1", 200, `{"name":"pods/binding","singularName":"","namespaced":true,"kind":"Binding",` +
			`"verbs":["create"]}`},
		{"GET", "/apis/apps/v1", 200, `"name":"deployments/scale","singularName":"","namespaced":true,` +
			`"group":"autoscaling","version":"v1","kind":"Scale"`},
		{"GET", "/version", 200, `"gitVersion": "v1.36.3+test"`},
		{"GET", "/version/", 200, `"major": "1"`},
		{"GET", "/openapi/v3", 200, `"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=`},
		{"GET", "/openapi/v3/apis/apps/v1", 200, `"io.k8s.api.apps.v1.Deployment"`},
		{"GET", "/healthz", 200, "ok"},
		{"POST", "/readyz", 200, "ok"},
		{"GET", "/livez/ping", 200, "ok"},
		{"GET", "/livez/etcd", 200, "ok"},
		{"GET", "/livez/poststarthook/scheduling/bootstrap-system-priority-classes", 200, "ok"},
		{"GET", "/readyz/loopback-serving-certificate", 404, "404 page not found\n"},
		{"GET", "/livez/shutdown", 404, "404 page not found\n"},
		{"GET", "/readyz?verbose&exclude=log", 200,
			"[+]ping ok\n[+]log excluded: ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n"},
		{"GET", "/readyz?verbose&exclude=x&exclude=log&exclude=y", 200,
			"[+]shutdown ok\nwarn: some health checks cannot be excluded: no matches for \"x\",\"y\"\nreadyz check passed\n"},
		{"GET", "/healthz?verbose", 200,
			"[+]log ok\n[+]loopback-serving-certificate ok\n[+]etcd " +
				"ok\n[+]poststarthook/start-apiserver-admission-initializer ok\n"},

		{"POST", "/api", 405, `"reason":"MethodNotAllowed"`},
		{"POST", "/version", 405, `"reason":"MethodNotAllowed"`},
		{"POST", "/api/v1", 405, `"reason":"MethodNotAllowed"`},
		{"GET", "/api/v2", 404, `"reason":"NotFound"`},
		{"GET", "/apis/apps/v9", 404, `"reason":"NotFound"`},
		{"GET", "/apis/nope", 404, "404 page not found\n"},
		{"GET", "/nope", 404, "404 page not found\n"},
		{"GET", "/api/v1//pods", 404, `"reason":"NotFound"`},
		{"GET", "//api/v1", 404, "404 page not found\n"},
		{"GET", "//healthz", 404, "404 page not found\n"},
		{"GET", "/apis//apps", 404, "404 page not found\n"},
		{"GET", "/healthz/", 404, "404 page not found\n"},
		{"GET", "//", 404, "404 page not found\n"},
		{"GET", "/apis//", 404, "404 page not found\n"},
		{"GET", "/apis/", 200, `"name":"apps"`},
		{"GET", "/readyz/nope", 404, "404 page not found\n"},
		{"GET", "/openapi/v3/apis/nope/v1", 404, ""},
		{"GET", "/openapi/v9", 404, "404 page not found\n"},
	} {
		code, body := ask(s, test.method, test.path)
		if code != test.code || !strings.Contains(body, test.want) {
			t.Errorf("%s %s: %d %.300s\nwant %d %s", test.method, test.path, code, body, test.code, test.want)
		}
	}
}

// TestRoots compares the paths that the server answers with those that the page and the devserver
// send to it.
func TestRoots(t *testing.T) {
	s := newDocuments()
	_, body := ask(s, "GET", "/")
	var listed struct{ Paths []string }
	if err := json.Unmarshal([]byte(body), &listed); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, path := range listed.Paths {
		if !wellknown.IsAPI(path) {
			t.Errorf("%s is below no root", path)
		}
		// The real server, too, lists one that it does not answer.
		if code, body := ask(s, "GET", path); code != http.StatusOK && path != openAPIv3Path+"/" {
			t.Errorf("%s: %d %.300s", path, code, body)
		}
		known["/"+split(nil, path)[0]] = true
	}
	for _, root := range wellknown.Roots {
		if !known[root] {
			t.Errorf("nothing is listed below %s", root)
		}
	}
}

func TestPrettyForPeople(t *testing.T) {
	s := &Server{Table: schema.Builtin()}
	for path, pretty := range map[string]bool{"/api": false, "/api?pretty=true": true, "/api?pretty=0": false} {
		if _, body := ask(s, "GET", path); strings.Contains(body, "\n  ") != pretty {
			t.Errorf("%s: %s", path, body)
		}
	}
}

func TestYAMLAnswer(t *testing.T) {
	s := &Server{Table: schema.Builtin()}
	r := httptest.NewRequest("GET", "/apis/apps", nil)
	r.Header.Set("Accept", "application/yaml")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Header().Get("Content-Type") != "application/yaml" || !strings.Contains(w.Body.String(), "kind: APIGroup\n") {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
}

// TestCanonicalHeaders: names by which headers are looked up without http.Header.Get.
func TestCanonicalHeaders(t *testing.T) {
	for _, name := range []string{wellknown.ReplicaHeader, wellknown.ExplainHeader, wellknown.EarlyHeader} {
		if canonical := http.CanonicalHeaderKey(name); canonical != name {
			t.Errorf("%s is %s in an http.Header", name, canonical)
		}
	}
}
