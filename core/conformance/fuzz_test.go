package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/conformance"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// These tests fuzz the whole server, as a handler: whatever a request contains, the server answers
// as an API server does (see verify), and a request that is answered with an error has changed
// nothing.

// FuzzPath tries request targets: the path and a raw query.
func FuzzPath(f *testing.F) {
	eachRequest(f, func(q *conformance.Request) { f.Add(methodIndex(q.Method), q.Path) })
	for _, path := range []string{"/", "//", "/api/", "/apis/%2e%2e/", "/api/v1/namespaces/%2F/pods",
		"/api/v1/namespaces/a/pods/b/c/d", "/apis/apps/v1/watch/deployments",
		"/api/v1/pods?limit=1&limit=2&continue", "/api/v1/pods?%zz", "/api/v1/namespaces/fuzz/configmaps/\x00",
		wellknown.ControlPlane + "/revisions?since=-1",
		"/apis/sandbox.tabernetes.dev/v1/controlplanes/other", "/openapi/v3/../v2", "/healthz/etcd?verbose&exclude=x"} {
		f.Add(uint8(0), path)
	}
	s := newSubject(f)
	f.Fuzz(func(t *testing.T, method uint8, target string) {
		if !strings.HasPrefix(target, "/") {
			t.Skip()
		}
		s.try(t, methods[int(method)%len(methods)], target, "", nil)
	})
}

// FuzzList tries the parameters of lists and watches.
func FuzzList(f *testing.F) {
	eachRequest(f, func(q *conformance.Request) {
		_, query, _ := strings.Cut(q.Path, "?")
		v, err := url.ParseQuery(query)
		if err == nil && len(v) > 0 {
			f.Add(v.Get("limit"), v.Get("continue"), v.Get("resourceVersion"), v.Get("resourceVersionMatch"),
				v.Get("labelSelector"), v.Get("fieldSelector"), v.Get("watch"), v.Get("sendInitialEvents"))
		}
	})
	// {"v":"meta.k8s.io/v1","rv":-5,"start":"../\u0000"} and relatives
	for _, token := range []string{"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTUsInN0YXJ0IjoiLi4vXHUwMDAwIn0",
		"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OTk5OTk5OTk5OTk5OTksInN0YXJ0IjoiYVx1MDAwMCJ9", "e30", "bnVsbA", "W10", "====",
		"eyJ2IjoieCJ9"} {
		f.Add("2", token, "", "", "", "", "", "")
	}
	s := newSubject(f)
	f.Fuzz(func(t *testing.T, limit, token, version, match, labels, fields, watch, initial string) {
		v := url.Values{}
		for name, value := range map[string]string{"limit": limit, "continue": token, "resourceVersion": version,
			"resourceVersionMatch": match,
			"labelSelector":        labels, "fieldSelector": fields, "watch": watch, "sendInitialEvents": initial} {
			if value != "" {
				v.Set(name, value)
			}
		}
		s.try(t, "GET", "/api/v1/namespaces/fuzz/configmaps?"+v.Encode(), "", nil)
	})
}

// FuzzBody tries bodies, as created, put, patched and delete-option objects.
func FuzzBody(f *testing.F) {
	eachRequest(f, func(q *conformance.Request) {
		contentType := "application/json"
		if v := q.Headers["Content-Type"]; len(v) > 0 {
			contentType = v[0]
		}
		body := []byte(q.Body)
		if q.BodyText != nil {
			body = []byte(*q.BodyText)
		}
		if len(body) > 0 {
			f.Add(methodIndex(q.Method), uint8(0), contentType, body)
		}
	})
	for _, body := range []string{`{`, `null`, `[]`, `""`, `1e999`, "\xff\xfe", `{"metadata":{"name":1}}`,
		`{"metadata":[]}`, `{"metadata":{"resourceVersion":"-1"}}`,
		`{"kind":"Pod","apiVersion":"v2"}`, `{"metadata":{"name":"a","labels":{"a":null}}}`, `{"data":{"a":{"b":1}}}`,
		`{"spec":null}`,
		`[{"op":"add","path":"/metadata/name","value":"x"}]`, `[{"op":"remove","path":"/metadata"}]`,
		`[{"op":"copy","from":"","path":"/data/x"}]`, `[{"op":"test","path":"/~2","value":1}]`,
		"apiVersion: v1\nkind: &a ConfigMap\nmetadata: {name: *a}\n", "a: &x [*x]", strings.Repeat("[", 20000),
		`{"metadata":` + strings.Repeat(`{"a":`, 3000)} {
		for i, contentType := range []string{"application/json", "application/yaml", "application/merge-patch+json",
			"application/json-patch+json"} {
			f.Add(uint8(i), uint8(i), contentType, []byte(body))
		}
	}
	s := newSubject(f)
	paths := []string{"/api/v1/namespaces/fuzz/configmaps", "/api/v1/namespaces/fuzz/configmaps/one",
		"/api/v1/namespaces/fuzz/pods", "/apis/apps/v1/namespaces/fuzz/deployments",
		"/api/v1/namespaces/fuzz/services", "/api/v1/nodes", "/apis/coordination.k8s.io/v1/namespaces/fuzz/leases/l",
		"/api/v1/namespaces/fuzz/pods/p/status",
		wellknown.ControlPlane, wellknown.ControlPlane + "/compact"}
	f.Fuzz(func(t *testing.T, method, path uint8, contentType string, body []byte) {
		s.try(t, methods[int(method)%len(methods)], paths[int(path)%len(paths)], contentType, body)
	})
}

var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "FOO"}

func methodIndex(method string) uint8 {
	for i, m := range methods {
		if m == method {
			return uint8(i)
		}
	}
	return 0
}

// eachRequest calls add for the recorded requests, as seeds.
func eachRequest(f *testing.F, add func(*conformance.Request)) {
	scenarios, err := conformance.Load(testdata, "testdata/recordings/*.json")
	if err != nil {
		f.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range scenarios {
		for _, st := range s.Steps {
			if q := st.Request; q != nil {
				key := fmt.Sprint(q.Method, q.Path, string(q.Body), q.Headers)
				if q.BodyText != nil {
					key += *q.BodyText
				}
				if seen[key] {
					continue
				}
				seen[key] = true
				q.Path = seedVariables.Replace(q.Path)
				q.Body = []byte(seedVariables.Replace(string(q.Body)))
				add(q)
			}
		}
	}
}

// seedVariables replaces the variables that recordings capture by names and versions in the
// subject.
var seedVariables = strings.NewReplacer("${ns}", "fuzz", "${rv}", "5", "${old}", "4", "${t1}", "4", "${c}", "", "${c1}",
	"", "${c2}", "")

// A subject is a cluster with a few objects, created again whenever a request has changed it, so
// that a finding depends on one input only.
type subject struct {
	cluster *core.Cluster
	state   string
}

func newSubject(t testing.TB) *subject {
	s := &subject{}
	s.renew(t)
	t.Cleanup(func() { _ = s.cluster.Close() })
	return s
}

func (s *subject) renew(t testing.TB) {
	if s.cluster != nil {
		_ = s.cluster.Close()
	}
	cluster, err := core.New(core.Options{Clock: clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)),
		Rand: rand.NewChaCha8([32]byte{1})})
	if err != nil {
		t.Fatal(err)
	}
	s.cluster = cluster
	s.must(t, "/api/v1/namespaces", `{"metadata":{"name":"fuzz"}}`)
	for _, name := range []string{"one", "two", "three"} {
		s.must(t, "/api/v1/namespaces/fuzz/configmaps", `{"metadata":{"name":"`+name+`","labels":{"app":"`+name+
			`"}},"data":{"k":"v"}}`)
	}
	s.must(t, "/api/v1/namespaces/fuzz/pods", `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	s.state = s.snapshot(t)
}

func (s *subject) must(t testing.TB, path, body string) {
	if a := s.do("POST", path, "application/json", []byte(body)); a.status != http.StatusCreated {
		t.Fatalf("POST %s: %d %s", path, a.status, a.body.String())
	}
}

// snapshot returns what is stored: the revision of the store, which every commit raises, and the
// levers.
func (s *subject) snapshot(t testing.TB) string {
	out := ""
	for _, path := range []string{"/api/v1/namespaces/fuzz/configmaps", wellknown.ControlPlane} {
		a := s.do("GET", path, "", nil)
		if a.status != http.StatusOK {
			t.Fatalf("GET %s: %d %s", path, a.status, a.body.String())
		}
		out += a.body.String()
	}
	return out
}

// An answer is written by the server under test. A stream is cut off at its first flush.
type answer struct {
	header http.Header
	status int
	body   strings.Builder
	cancel context.CancelFunc
}

func (a *answer) Header() http.Header { return a.header }
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
	}
}
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}
func (a *answer) Flush() {
	a.WriteHeader(http.StatusOK)
	a.cancel()
}

// requestTimeout is how long a request that is tried may wait, say for a future version, before its client disconnects.
// What the tests themselves need is waited for.
const requestTimeout = 30 * time.Millisecond

// slow is longer than any request may take, even on a busy machine.
const slow = 2 * time.Minute

// do makes a request whose client does not disconnect by itself.
func (s *subject) do(method, target, contentType string, body []byte) *answer {
	return s.within(slow, method, target, contentType, body)
}

// within makes a request whose client disconnects after a time.
func (s *subject) within(patience time.Duration, method, target, contentType string, body []byte) (a *answer) {
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r := (&http.Request{Method: method, URL: u, RequestURI: target, Host: "localhost", Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     http.Header{"User-Agent": {"fuzz"}}, Body: http.NoBody, RemoteAddr: "127.0.0.1:1"}).WithContext(ctx)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if len(body) > 0 {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(string(body))), int64(len(body))
	}
	a = &answer{header: http.Header{}, cancel: cancel}
	defer func() {
		// A handler's way to report that its client has disconnected.
		if p := recover(); p == http.ErrAbortHandler && ctx.Err() != nil {
			a.status = 0
		} else if p != nil {
			panic(p)
		}
	}()
	s.cluster.ServeHTTP(a, r)
	return a
}

func (s *subject) try(t *testing.T, method, target, contentType string, body []byte) {
	begin := time.Now()
	a := s.within(requestTimeout, method, target, contentType, body)
	if took := time.Since(begin); took > slow {
		t.Errorf("%s %q took %v", method, target, took)
	}
	if a == nil {
		t.Skip("not a request target")
	}
	if a.status != 0 { // the client has not disconnected
		a.verify(t, method, target)
	}
	if now := s.snapshot(t); now != s.state {
		if a.status >= 400 {
			t.Errorf("%s %s was answered with %d, and yet changed what is stored:\n%s\n%s", method, target, a.status, s.state,
				now)
		}
		s.renew(t)
	}
}

// serverErrors are the answers of the recorded server with a status of 500 or more.
var serverErrors = regexp.MustCompile(`strconv\.ParseUint: parsing|resourceVersion should not be set on objects to ` +
	`be created|Too large resource version|failed to create typed patch object|failed to convert new object|` +
	`unable to determine kind and namespace from url`)

// verify checks that an answer is one that an API server may give.
func (a *answer) verify(t *testing.T, method, target string) {
	text := a.body.String()
	fail := func(why string) {
		t.Errorf("%s %q: %d %s: %s\n%.400s", method, target, a.status, a.header.Get("Content-Type"), why, text)
	}
	var body struct {
		Kind, Status, Message string
		Code                  int
	}
	isJSON := strings.HasPrefix(a.header.Get("Content-Type"), "application/json")
	known := serverErrors.MatchString(text) || a.status == http.StatusNotImplemented &&
		strings.Contains(text, "not implemented yet")
	if a.status >= 500 && !known && method != "HEAD" {
		fail("the server blames itself")
	}
	if a.status < 400 {
		if isJSON && method != "HEAD" {
			for d := json.NewDecoder(strings.NewReader(text)); ; { // a stream holds several values
				var v any
				if err := d.Decode(&v); err == io.EOF {
					return
				} else if err != nil {
					fail(err.Error())
					return
				}
			}
		}
		return
	}
	if a.status == http.StatusInternalServerError && strings.HasPrefix(text, "Internal Server Error: ") && known {
		return
	}
	if a.status == http.StatusNotFound &&
		(text == "404 page not found\n" || text == "" && strings.HasPrefix(target, "/openapi/")) || method == "HEAD" {
		return
	}
	if err := json.Unmarshal([]byte(text), &body); err != nil || !isJSON {
		fail("an error that is no Status")
	} else if body.Kind != "Status" || body.Status != "Failure" || body.Code != a.status {
		fail("a Status that does not fit")
	}
}
