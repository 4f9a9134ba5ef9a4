package front

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/room/roomhost"
	"github.com/tabernetes/tabernetes/devserver/internal/develop"
	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// echo is an API that says what it was asked.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, "api %s %s", r.Method, r.URL.RequestURI())
})

// withSite gives a front a site of two files.
func withSite(t *testing.T, f *Front) *Front {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.html":   "the page",
		site.IndexFile: `{"version":"v","assets":[{"name":"index.html","hash":"abc","bytes":8}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	index, err := site.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.Show(dir, index)
	return f
}

// TestReloadScript serves a page that was built for developing: it loads the script that follows the builds only where
// there is one.
func TestReloadScript(t *testing.T) {
	const page = `<head><script src="` + site.ReloadScript + `" defer></script></head>`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	index := &site.Index{Dev: true, Assets: []site.Asset{{Name: "index.html", Hash: "abc", Bytes: len(page)}}}
	for _, c := range []struct {
		dev  bool
		mode string
		want string
	}{
		{false, "", "<head></head>"}, {false, "navigate", "<head></head>"}, {true, "navigate", page},
		{false, "cors", page}, // the service worker, which checks the hash
	} {
		o := Options{Addr: "127.0.0.1:8080"}
		if c.dev {
			o.Reloads = develop.NewReloads()
		}
		f := New(echo, o)
		f.Follow(dir, index)
		w := get(f, "GET", "http://127.0.0.1:8080/", "Sec-Fetch-Mode", c.mode, "If-None-Match", `"abc"`)
		if c.want == page {
			w = get(f, "GET", "http://127.0.0.1:8080/", "Sec-Fetch-Mode", c.mode)
		}
		if w.Code != 200 || w.Body.String() != c.want || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("--dev %v, %q: %d %s %v, want %s", c.dev, c.mode, w.Code, w.Body, w.Header(), c.want)
		}
	}
}

func get(h http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	return apitest.Do(h, method, target, "", headers...)
}

func TestRouting(t *testing.T) {
	full := withSite(t, New(echo, Options{Addr: "127.0.0.1:8080", CountAPI: true}))
	apiOnly := New(echo, Options{Addr: "127.0.0.1:8080", APIOnly: true})
	for _, c := range []struct {
		front  *Front
		path   string
		status int
		body   string
	}{
		{full, "/", 200, "the page"},
		{full, "/api", 201, "api GET /api"},
		{full, "/api/v1/pods?limit=5", 201, "api GET /api/v1/pods?limit=5"},
		{full, "/apis/apps/v1", 201, "api GET /apis/apps/v1"},
		{full, "/openapi/v3", 201, "api GET /openapi/v3"},
		{full, "/version", 201, "api GET /version"},
		{full, "/healthz", 201, "api GET /healthz"},
		{full, "/livez/ping", 201, "api GET /livez/ping"},
		{full, "/readyz?verbose", 201, "api GET /readyz?verbose"},
		{full, "/apiary", 404, "404 page not found"},
		{full, "/versions.html", 404, "404 page not found"},
		{full, "/_devserver/api-requests", 200, `{"count":8}`},
		{full, "/_devserver/reload", 404, "404 page not found"},
		{apiOnly, "/api", 201, "api GET /api"},
		{apiOnly, "/", 201, "api GET /"},
		{apiOnly, "/_devserver/api-requests", 404, "404 page not found"},
	} {
		w := get(c.front, "GET", "http://127.0.0.1:8080"+c.path)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.body) {
			t.Errorf("GET %s: %d %q, want %d %q", c.path, w.Code, w.Body, c.status, c.body)
		}
	}
}

func TestHostCheck(t *testing.T) {
	for _, c := range []struct {
		addr    string
		allowed []string
		host    string
		want    bool
	}{
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", true},
		{"127.0.0.1:8080", nil, "127.0.0.1", true},
		{"127.0.0.1:8080", nil, "127.8.9.10:80", true},
		{"127.0.0.1:8080", nil, "localhost:8080", true},
		{"127.0.0.1:8080", nil, "LocalHost.:9", true},
		{"127.0.0.1:8080", nil, "tab.localhost:8080", true},
		{"127.0.0.1:8080", nil, "[::1]:8080", true},
		{"127.0.0.1:8080", nil, "[::1]", true},
		{"127.0.0.1:8080", nil, "evil.example:8080", false},
		{"127.0.0.1:8080", nil, "localhost.evil.example", false},
		{"127.0.0.1:8080", nil, "127.0.0.1.evil.example:8080", false},
		{"127.0.0.1:8080", nil, "192.0.2.7:8080", false},
		{"127.0.0.1:8080", nil, "", false},
		{"127.0.0.1:8080", nil, ":8080", false},
		{"192.0.2.7:8080", nil, "192.0.2.7:8080", true},
		{"box.example:8080", nil, "box.example:8080", true},
		{"box.example:8080", nil, "other.example:8080", false},
		{"127.0.0.1:8080", []string{"Box.example"}, "box.example:8080", true},
		{"0.0.0.0:8080", nil, "192.0.2.7:8080", true},
		{":8080", nil, "[2001:db8::1]:8080", true},
		{"0.0.0.0:8080", nil, "evil.example:8080", false},
	} {
		if got := roomhost.NewHosts(c.addr, c.allowed).Allow(c.host); got != c.want {
			t.Errorf("--addr %s --allow-host %v: host %q allowed = %v, want %v", c.addr, c.allowed, c.host, got, c.want)
		}
	}
}

func TestForeignHostIsRefusedEverywhere(t *testing.T) {
	f := withSite(t, New(echo, Options{Addr: "127.0.0.1:8080", CountAPI: true, Reloads: develop.NewReloads()}))
	for _, path := range []string{"/", "/api", "/_devserver/api-requests", "/_devserver/reload"} {
		w := get(f, "GET", "http://evil.example"+path)
		if w.Code != http.StatusMisdirectedRequest || !strings.Contains(w.Body.String(), "evil.example") {
			t.Errorf("GET %s: %d %q", path, w.Code, w.Body)
		}
	}
	if n := f.counted.Load(); n != 0 {
		t.Errorf("%d refused requests were counted", n)
	}
}

// TestMalformedHost sends invalid Host headers: net/http lets some of them through.
func TestMalformedHost(t *testing.T) {
	f := withSite(t, New(echo, Options{Addr: "127.0.0.1:8080", Allowed: []string{"box.example"}}))
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8080": 200, "localhost:": 200, "localhost.": 200, "[::1]": 200, "[::1]:80": 200,
		"BOX.example:1": 200, "_x.localhost": 200, "evil.com": 421, "192.0.2.1": 421,
		"localhost@evil.com": 400, "a:b@localhost": 400, "@": 400, "localhost:99999": 400, "localhost:abc": 400,
		"localhost:-1": 400, "localhost:80:80": 400, "[::1": 400, "::1": 400, "[::1]x": 400, "a/b": 400, "a b": 400,
		"localhost?x": 400, "localhost#x": 400, "%41": 400, "localhost,evil.com": 400, "[]": 400, ":80": 400,
	} {
		for _, path := range []string{"/", "/api"} {
			r := httptest.NewRequest("GET", path, nil)
			r.Host = host
			w := httptest.NewRecorder()
			f.ServeHTTP(w, r)
			says := strings.Contains(w.Body.String(), "is not a host")
			if says != (want == 400) || w.Code != want && w.Code != want+1 { // of the API 201
				t.Errorf("%q %s: %d %s, want %d", host, path, w.Code, w.Body, want)
			}
		}
	}
}

// TestForeignOriginCannotWrite: a page from elsewhere can make a browser post
// here, and must not get through to the cluster.
func TestForeignOriginCannotWrite(t *testing.T) {
	f := New(echo, Options{Addr: "127.0.0.1:8080"})
	const target = "http://127.0.0.1:8080/api/v1/namespaces"
	for _, c := range []struct {
		name, method string
		headers      []string
		want         int
	}{
		{"kubectl", "POST", nil, 201},
		{"own page", "POST", []string{"Origin", "http://127.0.0.1:8080", "Sec-Fetch-Site", "same-origin"}, 201},
		{"other page", "POST", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, 403},
		{"other page, old browser", "DELETE", []string{"Origin", "https://evil.example"}, 403},
		{"other port", "POST", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"link from elsewhere", "GET", []string{"Sec-Fetch-Site", "cross-site"}, 201},
	} {
		if w := get(f, c.method, target, c.headers...); w.Code != c.want {
			t.Errorf("%s: %d, want %d", c.name, w.Code, c.want)
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	f := withSite(t, New(echo, Options{Addr: "127.0.0.1:8080", Reloads: develop.NewReloads()}))
	for _, path := range []string{"/", "/nothing", site.ReloadScript} {
		h := get(f, "GET", "http://127.0.0.1:8080"+path).Header()
		for name, want := range map[string]string{
			"Content-Security-Policy":      site.CSP,
			"X-Content-Type-Options":       "nosniff",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Referrer-Policy":              "no-referrer",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("GET %s: %s is %q", path, name, got)
			}
		}
	}
	for _, bad := range []string{"unsafe-inline", "'unsafe-eval'", "*", "http:"} {
		if strings.Contains(site.CSP, bad) {
			t.Errorf("the policy allows %s", bad)
		}
	}
}

// TestSiteWaitsForFirstBuild: requests made while the site is being built are
// answered when it is there, and given up when the client leaves.
func TestSiteWaitsForFirstBuild(t *testing.T) {
	f := New(echo, Options{Addr: "127.0.0.1:8080"})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	f.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/", nil).WithContext(gone))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("answered %d %q before there was a site", w.Code, w.Body)
	}
	answered := make(chan *httptest.ResponseRecorder)
	go func() { answered <- get(f, "GET", "http://127.0.0.1/") }()
	withSite(t, f)
	if w := <-answered; w.Body.String() != "the page" {
		t.Errorf("answered %d %q", w.Code, w.Body)
	}
}

func TestFailedFirstBuildIsShown(t *testing.T) {
	f := New(echo, Options{Addr: "127.0.0.1:8080", Reloads: develop.NewReloads()})
	f.Fail(errors.New("main.js:3: unexpected end"))
	w := get(f, "GET", "http://127.0.0.1/")
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "main.js:3: unexpected end") {
		t.Errorf("answered %d %q", w.Code, w.Body)
	}
	if w := get(withSite(t, f), "GET", "http://127.0.0.1/"); w.Body.String() != "the page" {
		t.Errorf("after a build that works: %d %q", w.Code, w.Body)
	}
	// A later failure leaves the site up.
	f.Fail(errors.New("broken again"))
	if w := get(f, "GET", "http://127.0.0.1/"); w.Body.String() != "the page" {
		t.Errorf("after a build that fails: %d %q", w.Code, w.Body)
	}
}

func TestReload(t *testing.T) {
	f := New(echo, Options{Addr: "127.0.0.1:0", Reloads: develop.NewReloads()})
	f.Fail(errors.New("line one\nline two"))
	server := httptest.NewServer(f)
	defer server.Close()
	r, err := http.Get(server.URL + "/_devserver/reload")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if kind := r.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("Content-Type %q", kind)
	}
	lines := bufio.NewScanner(r.Body)
	expect := func(want string) {
		t.Helper()
		for lines.Scan() {
			if lines.Text() == want {
				return
			}
		}
		t.Fatalf("the stream ended (%v) without %q", lines.Err(), want)
	}
	expect("event: failed") // sent to those who come after it
	expect(`data: "line one\nline two"`)
	f.opt.Reloads.Send("reload", "")
	expect("event: reload")
}

func TestLog(t *testing.T) {
	f := New(echo, Options{Addr: "127.0.0.1:8080"})
	var log strings.Builder
	f.opt.Log = &log
	get(f, "PUT", "http://127.0.0.1:8080/api/v1/x?y=1")
	if got := log.String(); !strings.Contains(got, "PUT 201 ") || !strings.HasSuffix(got, " /api/v1/x?y=1\n") {
		t.Errorf("logged %q", got)
	}
}

// TestStreamsFlush: the API's events reach the client as they happen, logged or
// not.
func TestStreamsFlush(t *testing.T) {
	for _, logged := range []bool{false, true} {
		release := make(chan struct{})
		api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintln(w, "first")
			w.(http.Flusher).Flush()
			<-release
		})
		f := New(api, Options{Addr: "127.0.0.1:0"})
		if logged {
			f.opt.Log = io.Discard
		}
		server := httptest.NewServer(f)
		r, err := http.Get(server.URL + "/api/v1/pods?watch=1")
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(r.Body).ReadString('\n')
		if line != "first\n" || err != nil {
			t.Errorf("logged %v: read %q, %v", logged, line, err)
		}
		close(release)
		r.Body.Close()
		server.Close()
	}
}
