package front

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// sized answers with as many bytes as the query says, in JSON or what else it says.
var sized = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	n, _ := strconv.Atoi(q.Get("bytes"))
	w.Header().Set("Content-Type", "application/json")
	if t := q.Get("type"); t != "" {
		w.Header().Set("Content-Type", t)
	}
	if !q.Has("stream") {
		w.Header().Set("Content-Length", strconv.Itoa(n))
	}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		for ; n > 1000; n -= 1000 {
			_, _ = io.WriteString(w, strings.Repeat("x", 1000))
		}
		_, _ = io.WriteString(w, strings.Repeat("x", n))
	}
})

func TestCompressed(t *testing.T) {
	const edge, long = compressObjects - 1, compressObjects
	server := httptest.NewServer(compressed(sized))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	for _, c := range []struct {
		method, path string
		bytes        int
		accept       string
		want         bool
	}{
		{"GET", "/api/v1/pods?", long, "gzip", true},
		{"GET", "/apis/apps/v1/deployments?", long, "deflate, gzip", true},
		{"POST", "/api/v1/namespaces/a/configmaps?", long, "gzip", true},
		{"GET", "/api/v1/pods?type=application/vnd.kubernetes.protobuf&", long, "gzip", true},
		{"GET", "/apis?type=application/json%3Bg%3Dx&", long, "gzip", true},
		{"HEAD", "/api/v1/pods?", long, "gzip", true},
		{"GET", "/api/v1/pods?", edge, "gzip", false},
		{"GET", "/api/v1/pods?", long, "", false},
		{"GET", "/api/v1/pods?", long, "identity", false},
		{"GET", "/api/v1/pods?", long, "gzip;q=1", false},
		{"GET", "/api/v1/pods?stream&", long, "gzip", false},
		{"GET", "/api/v1/namespaces/a/pods/p/log?type=text/plain&", long, "gzip", false},
		{"GET", "/openapi/v2?type=x/y&", compressOpenAPI, "gzip", true},
		{"GET", "/openapi/v2?", compressOpenAPI - 1, "gzip", false},
		{"GET", "/openapi/v3/api/v1?", long, "gzip", false},
	} {
		r, err := http.NewRequest(c.method, fmt.Sprintf("%s%sbytes=%d", server.URL, c.path, c.bytes), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", c.accept)
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		h := res.Header
		if got := h.Get("Content-Encoding") == "gzip"; got != c.want || got && h.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%+v: %v", c, h)
		}
		if c.method == "HEAD" {
			continue
		}
		body := io.Reader(res.Body)
		if c.want {
			if body, err = gzip.NewReader(res.Body); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := io.ReadAll(body); err != nil || len(text) != c.bytes {
			t.Errorf("%+v: %d bytes, %v", c, len(text), err)
		}
	}
}

// TestCompressedAbort cuts an answer off that its handler gave up.
func TestCompressedAbort(t *testing.T) {
	server := httptest.NewServer(compressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sized(w, r)
		panic(http.ErrAbortHandler)
	})))
	defer server.Close()
	res, err := http.Get(server.URL + "/api/v1/pods?bytes=1000000")
	if err == nil {
		_, err = io.ReadAll(res.Body)
		res.Body.Close()
	}
	if err == nil {
		t.Error("half an answer was taken for a whole one")
	}
}

// TestWatchThroughCompressor sees an event at once.
func TestWatchThroughCompressor(t *testing.T) {
	server := httptest.NewServer(compressed(newTestCluster(t)))
	defer server.Close()
	res, err := http.Get(server.URL + "/api/v1/namespaces?watch=1") // which accepts gzip
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := res.Body.Read(make([]byte, 1)); err != nil || res.Uncompressed {
		t.Error(err, res.Uncompressed)
	}
}
