package site

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/tabernetes/tabernetes/core/apitest"
)

func testSite(t *testing.T) http.Handler {
	t.Helper()
	dir := t.TempDir()
	contents := files{
		"index.html":         []byte("<!doctype html><title>page</title>" + strings.Repeat("<p>text</p>", 50)),
		"app.js":             []byte(strings.Repeat("console.log('hello');\n", 50)),
		"tabernetes.wasm":    []byte("\x00asm" + strings.Repeat("\x00", 500)),
		"samples/small.yaml": []byte("kind: Pod\n"),
	}
	write(t, dir, map[string]string{"go.mod": "module x\n", "secret.txt": "in the directory, not in the site"})
	b := newBuilder(t, Options{Root: dir, Out: dir, Quick: true})
	b.files[Files] = contents
	report, err := b.publish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return Handler(dir, report.Index)
}

func TestHandler(t *testing.T) {
	h := testSite(t)
	for _, c := range []struct {
		method, path, accept string
		status               int
		kind, encoding       string
	}{
		{"GET", "/", "", 200, "text/html; charset=utf-8", ""},
		{"GET", "/", "gzip, deflate, br, zstd", 200, "text/html; charset=utf-8", "br"},
		{"GET", "/index.html", "", 200, "text/html; charset=utf-8", ""},
		{"HEAD", "/", "br", 200, "text/html; charset=utf-8", "br"},
		{"GET", "/app.js", "br;q=0", 200, "text/javascript; charset=utf-8", ""},
		{"GET", "/app.js", "gzip, BR ; q=0.5", 200, "text/javascript; charset=utf-8", "br"},
		{"GET", "/app.js?build=3", "br", 200, "text/javascript; charset=utf-8", "br"},
		{"GET", "/tabernetes.wasm", "br", 200, "application/wasm", "br"},
		{"GET", "/samples/small.yaml", "br", 200, "application/yaml", ""},
		{"GET", "/samples/", "", 404, "text/plain; charset=utf-8", ""},
		{"GET", "/secret.txt", "", 404, "text/plain; charset=utf-8", ""},
		{"GET", "/../secret.txt", "", 404, "text/plain; charset=utf-8", ""},
		{"GET", "/app.js.br", "", 404, "text/plain; charset=utf-8", ""},
		{"GET", "/assets.json", "", 404, "text/plain; charset=utf-8", ""},
		{"POST", "/", "", 405, "text/plain; charset=utf-8", ""},
	} {
		t.Run(c.method+" "+c.path+" "+c.accept, func(t *testing.T) {
			w := apitest.Do(h, c.method, "http://127.0.0.1"+c.path, "", "Accept-Encoding", c.accept)
			if w.Code != c.status {
				t.Fatalf("status %d, want %d", w.Code, c.status)
			}
			if got := w.Header().Get("Content-Type"); got != c.kind {
				t.Errorf("Content-Type %q, want %q", got, c.kind)
			}
			if got := w.Header().Get("Content-Encoding"); got != c.encoding {
				t.Errorf("Content-Encoding %q, want %q", got, c.encoding)
			}
			if c.status == 200 {
				if w.Header().Get("ETag") == "" || w.Header().Get("Cache-Control") != "no-cache" {
					t.Errorf("cannot be revalidated: %v", w.Header())
				}
			}
		})
	}
}

func TestHandlerRevalidation(t *testing.T) {
	h := testSite(t)
	get := func(headers ...string) *httptest.ResponseRecorder {
		return apitest.Do(h, "GET", "http://127.0.0.1/app.js", "", headers...)
	}
	plain, small := get(), get("Accept-Encoding", "br")
	if plain.Header().Get("ETag") == small.Header().Get("ETag") {
		t.Error("two representations share an ETag")
	}
	if small.Header().Get("Vary") != "Accept-Encoding" || plain.Header().Get("Vary") != "Accept-Encoding" {
		t.Error("a cache is not told that the encoding varies")
	}
	data, err := io.ReadAll(brotli.NewReader(small.Body))
	if err != nil || string(data) != plain.Body.String() {
		t.Errorf("the compressed answer is not the plain one: %v", err)
	}
	w := get("Accept-Encoding", "br", "If-None-Match", small.Header().Get("ETag"))
	if w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("an unchanged file was answered with %d and %d bytes", w.Code, w.Body.Len())
	}
	if w := get("If-None-Match", `"other"`); w.Code != http.StatusOK {
		t.Errorf("a changed file was answered with %d", w.Code)
	}
	// A range is one of the plain file, whatever encodings are accepted.
	w = get("Accept-Encoding", "br", "Range", "bytes=8-10")
	if w.Code != http.StatusPartialContent || w.Body.String() != "log" || w.Header().Get("Content-Encoding") != "" {
		t.Errorf("a range was answered with %d %q %v", w.Code, w.Body, w.Header())
	}
	if w := get("Range", "bytes=99999-"); w.Code != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("a range past the end was answered with %d", w.Code)
	}
}
