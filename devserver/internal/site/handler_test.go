package site

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/tabernetes/tabernetes/core/apitest"
)

// testSite returns a handler, and what the paths of files with a version begin with.
func testSite(t *testing.T) (h http.Handler, base string) {
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
	return Handler(os.DirFS(dir), report.Index), "/" + report.Index.base()
}

func TestHandler(t *testing.T) {
	h, base := testSite(t)
	for _, c := range []struct {
		method, path, accept string
		status               int
		kind, encoding       string
	}{
		{"GET", "/", "", 200, "text/html; charset=utf-8", ""},
		{"GET", "/", "gzip, deflate, br, zstd", 200, "text/html; charset=utf-8", "br"},
		{"GET", "/index.html", "", 200, "text/html; charset=utf-8", ""},
		{"HEAD", "/", "br", 200, "text/html; charset=utf-8", "br"},
		{"GET", base + "app.js", "br;q=0", 200, "text/javascript; charset=utf-8", ""},
		{"GET", base + "app.js", "gzip, BR ; q=0.5", 200, "text/javascript; charset=utf-8", "br"},
		{"GET", base + "app.js?build=3", "br", 200, "text/javascript; charset=utf-8", "br"},
		{"GET", base + "tabernetes.wasm", "br", 200, "application/wasm", "br"},
		{"GET", base + "tabernetes.wasm", "gzip, deflate", 200, "application/wasm", "gzip"},
		{"GET", base + "tabernetes.wasm", "gzip, br", 200, "application/wasm", "br"},
		{"GET", base + "app.js", "gzip", 200, "text/javascript; charset=utf-8", ""},
		{"GET", "/samples/small.yaml", "br", 200, "application/yaml", ""},
		{"GET", "/samples/", "", 404, "text/plain; charset=utf-8", ""},
		{"GET", "/secret.txt", "", 404, "text/plain; charset=utf-8", ""},
		{"GET", "/../secret.txt", "", 404, "text/plain; charset=utf-8", ""},
		{"GET", "/app.js", "", 404, "text/plain; charset=utf-8", ""},
		{"GET", "/build/other/app.js", "", 404, "text/plain; charset=utf-8", ""},
		{"GET", base + "app.js.br", "", 404, "text/plain; charset=utf-8", ""},
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
				want := "no-cache"
				if strings.HasPrefix(c.path, base) {
					want = "public, max-age=31536000, immutable"
				}
				if got := w.Header().Get("Cache-Control"); w.Header().Get("ETag") == "" || got != want {
					t.Errorf("Cache-Control %q, want %q, or no ETag: %v", got, want, w.Header())
				}
			}
		})
	}
}

func TestHandlerRevalidation(t *testing.T) {
	h, base := testSite(t)
	request := func(name string, headers ...string) *httptest.ResponseRecorder {
		return apitest.Do(h, "GET", "http://127.0.0.1"+base+name, "", headers...)
	}
	get := func(headers ...string) *httptest.ResponseRecorder { return request("app.js", headers...) }
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
	binary, packed := request("tabernetes.wasm"), request("tabernetes.wasm", "Accept-Encoding", "gzip")
	unpack, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	if data, err = io.ReadAll(unpack); err != nil || string(data) != binary.Body.String() {
		t.Errorf("the packed answer is not the plain one: %v", err)
	}
	if binary.Header().Get("ETag") == packed.Header().Get("ETag") {
		t.Error("two representations of the binary share an ETag")
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

// TestOnlyBrotli serves a site as it is inside a released program, which has a file as it is or in brotli.
func TestOnlyBrotli(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": "module x\n"})
	b := newBuilder(t, Options{Root: dir, Out: dir, Quick: true})
	long := strings.Repeat("text\n", 100)
	b.files[Files] = files{"index.html": []byte("short"), "descriptions.txt": []byte(long)}
	report, err := b.publish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name := report.Index.Path("descriptions.txt")
	for _, file := range []string{name, name + ".gz"} {
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	h := Handler(os.DirFS(dir), report.Index)
	get := func(headers ...string) *httptest.ResponseRecorder {
		return apitest.Do(h, "GET", "http://127.0.0.1/"+name, "", headers...)
	}
	small, plain := get("Accept-Encoding", "br"), get("Accept-Encoding", "gzip")
	if plain.Code != 200 || plain.Body.String() != long || plain.Header().Get("Content-Encoding") != "" {
		t.Errorf("without brotli: %d %v", plain.Code, plain.Header())
	}
	if small.Header().Get("Content-Encoding") != "br" || small.Header().Get("ETag") == plain.Header().Get("ETag") {
		t.Errorf("in brotli: %v", small.Header())
	}
	if part := get("Range", "bytes=0-3"); part.Code != http.StatusPartialContent || part.Body.String() != "text" {
		t.Errorf("a range: %d %s", part.Code, part.Body)
	}
	if got, err := ReadAsset(os.DirFS(dir), "descriptions.txt"); err != nil || string(got) != long {
		t.Errorf("read: %q, %v", got, err)
	}
	if got, err := ReadAsset(os.DirFS(dir), "index.html"); err != nil || string(got) != "short" {
		t.Errorf("read: %q, %v", got, err)
	}
	if err := os.Remove(filepath.Join(dir, name+".br")); err != nil {
		t.Fatal(err)
	}
	if gone := get("Accept-Encoding", "br"); gone.Code != 500 || gone.Header().Get("Content-Encoding") != "" {
		t.Errorf("a file that is gone: %d %v", gone.Code, gone.Header())
	}
}

// TestFollow rebuilds a site while it is served.
func TestFollow(t *testing.T) {
	root, out := t.TempDir(), t.TempDir()
	write(t, root, map[string]string{"go.mod": "module x\n"})
	b := newBuilder(t, Options{Root: root, Out: out, Quick: true})
	publish := func(script string) *Index {
		t.Helper()
		b.files[Files] = files{"index.html": []byte(script), "app.js": []byte(script)}
		report, err := b.publish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return report.Index
	}
	one := publish("one")
	h := Follow(out, one, false)
	get := func(path string) (int, string) {
		w := apitest.Do(h, "GET", "http://127.0.0.1/"+path, "")
		return w.Code, w.Body.String()
	}
	if code, body := get(one.Path("app.js")); code != 200 || body != "one" {
		t.Errorf("%d %s", code, body)
	}
	later := time.Now().Add(time.Hour)
	two := publish("two")
	if err := os.Chtimes(filepath.Join(out, IndexFile), later, later); err != nil { // clocks of file systems are coarse
		t.Fatal(err)
	}
	for path, want := range map[string]int{"": 200, two.Path("app.js"): 200, one.Path("app.js"): 404} {
		if code, body := get(path); code != want || want == 200 && body != "two" {
			t.Errorf("%q: %d %s, want %d", path, code, body, want)
		}
	}
	if err := os.WriteFile(filepath.Join(out, IndexFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _ := get(two.Path("app.js")); code != 200 {
		t.Errorf("with an index that cannot be read: %d", code)
	}
}
