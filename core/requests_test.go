package core

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// A figure is a kind of request whose costs are measured: its time by BenchmarkRequests, and by TestAllocations what it
// allocates.
type figure struct {
	name string
	// start prepares a cluster. It returns what makes the request, and, unless that is nil, what has to be done before
	// each of them and is not measured.
	start func(testing.TB, *Cluster) (request, prepare func())
}

const (
	// watchers is how many clients watch in update-100-watches, and pastEvents is what a watch has missed in
	// watch-1000-events.
	watchers   = 100
	pastEvents = 1000
	// selectors is how many clients watch other objects than the one of update-1000-others.
	selectors = 1000
	// collection is how many objects deletecollection-100 deletes.
	collection = 100
)

var figures = []figure{
	{"create", func(t testing.TB, c *Cluster) (_, _ func()) {
		return sending(t, c, 201, "POST", pods, "", pod("p0000000")), nil
	}},
	{"get", func(t testing.TB, c *Cluster) (_, _ func()) {
		bench(t, c, 201, "POST", pods, pod("p"))
		return reading(t, c, pods+"/p"), nil
	}},
	{"list", func(t testing.TB, c *Cluster) (_, _ func()) {
		fill(t, c, 10_000, 0)
		return reading(t, c, configMaps), nil
	}},
	{"list-from-cache", func(t testing.TB, c *Cluster) (_, _ func()) {
		fill(t, c, 10_000, 0)
		return reading(t, c, configMaps+"?resourceVersion=0"), nil
	}},
	{"list-page-of-500", func(t testing.TB, c *Cluster) (_, _ func()) {
		fill(t, c, 1000, 0)
		return reading(t, c, configMaps+"?limit=500"), nil
	}},
	{"list-by-label", func(t testing.TB, c *Cluster) (_, _ func()) {
		fillPods(t, c, 5000)
		return reading(t, c, pods+"?labelSelector=app%3Dfew"), nil
	}},
	{"update", func(t testing.TB, c *Cluster) (_, _ func()) {
		bench(t, c, 201, "POST", configMaps, configMap("a", "x"))
		return sending(t, c, 200, "PUT", configMaps+"/a", "", configMap("a", "0000000")), nil
	}},
	{"update-100-watches", func(t testing.TB, c *Cluster) (_, _ func()) {
		bench(t, c, 201, "POST", configMaps, configMap("a", "x"))
		var received sync.WaitGroup
		for range watchers {
			s := follow(t, c, configMaps+"?watch=1")
			s.Next()
			go func() {
				for s.Lines.Scan() {
					received.Done()
				}
			}()
		}
		update := sending(t, c, 200, "PUT", configMaps+"/a", "", configMap("a", "0000000"))
		return func() {
			received.Add(watchers)
			update()
			received.Wait()
		}, nil
	}},
	{"update-1000-others", func(t testing.TB, c *Cluster) (_, _ func()) {
		bench(t, c, 201, "POST", configMaps, configMap("a", "x"))
		for i := range selectors {
			s := follow(t, c, fmt.Sprintf("%s?watch=1&labelSelector=app%%3D%d", configMaps, i))
			go func() {
				for s.Lines.Scan() {
					t.Errorf("a watch of app=%d gets %s", i, s.Lines.Text())
				}
			}()
		}
		return sending(t, c, 200, "PUT", configMaps+"/a", "", configMap("a", "0000000")), nil
	}},
	{"watch-1000-events", func(t testing.TB, c *Cluster) (_, _ func()) {
		created := must(t, c, 201, "POST", configMaps, configMap("a", "x"))
		update := sending(t, c, 200, "PUT", configMaps+"/a", "", configMap("a", "0000000"))
		for range pastEvents {
			update()
		}
		path := fmt.Sprint(configMaps, "?watch=1&resourceVersion=", at(created, "metadata.resourceVersion"))
		r := httptest.NewRequest("GET", path, nil)
		return func() {
			ctx, cancel := context.WithCancel(t.Context())
			w := &lineCounter{discard: discard{header: http.Header{}}, left: pastEvents, end: cancel}
			defer func() { // the server aborts the answer once its client has left
				if p := recover(); p != nil && p != http.ErrAbortHandler || w.left != 0 {
					t.Fatalf("%s: %v, %d events less than %d", path, p, w.left, pastEvents)
				}
			}()
			c.ServeHTTP(w, r.WithContext(ctx))
		}, nil
	}},
	{"patch", func(t testing.TB, c *Cluster) (_, _ func()) {
		bench(t, c, 201, "POST", pods, pod("p"))
		return sending(t, c, 200, "PATCH", pods+"/p", "application/strategic-merge-patch+json",
			`{"metadata":{"labels":{"turn":"0000000"}}}`), nil
	}},
	{"apply", func(t testing.TB, c *Cluster) (_, _ func()) {
		return sending(t, c, 200, "PATCH", configMaps+"/a?fieldManager=m", "application/apply-patch+yaml",
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"turn":"0000000"}}`), nil
	}},
	{"deletecollection-100", func(t testing.TB, c *Cluster) (_, _ func()) {
		create := sending(t, c, 201, "POST", configMaps, "", configMap("p0000000", strings.Repeat("x", 100)))
		return sending(t, c, 200, "DELETE", configMaps, "", ""), func() {
			for range collection {
				create()
			}
		}
	}},
}

// A lineCounter calls end after so many lines.
type lineCounter struct {
	discard
	left int
	end  func()
}

func (w *lineCounter) Write(b []byte) (int, error) {
	if w.left -= bytes.Count(b, []byte("\n")); w.left == 0 {
		w.end()
	}
	return w.discard.Write(b)
}

// reading returns a function that gets a path.
func reading(t testing.TB, c *Cluster, path string) func() {
	return sending(t, c, 200, "GET", path, "", "")
}

// sending returns a function that makes a request and allocates nothing itself. The body's 0000000 is replaced by a
// number that grows from one request to the next.
func sending(t testing.TB, c *Cluster, code int, method, path, contentType, body string) func() {
	text, number := []byte(body), strings.Index(body, "0000000")
	reader := bytes.NewReader(text)
	closer := io.NopCloser(reader)
	r := httptest.NewRequest(method, path, reader)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	w, made := &discard{header: http.Header{}}, 0
	return func() {
		if made++; number >= 0 {
			for n, i := made, number+6; i >= number; n, i = n/10, i-1 {
				text[i] = byte('0' + n%10)
			}
		}
		reader.Reset(text)
		r.Body, w.code = closer, 0
		clear(w.header)
		// The first apply creates.
		if c.ServeHTTP(w, r); w.code != code && (made > 1 || w.code != http.StatusCreated) {
			t.Fatalf("%s %s: %d", method, path, w.code)
		}
	}
}

// BenchmarkRequests measures the time of each figure.
func BenchmarkRequests(b *testing.B) {
	for _, f := range figures {
		b.Run(f.name, func(b *testing.B) {
			request, prepare := f.start(b, benchCluster(b))
			runtime.GC() // garbage left by start is not the request's
			b.ReportAllocs()
			for b.Loop() {
				if prepare != nil {
					b.StopTimer()
					prepare()
					b.StartTimer()
				}
				request()
			}
		})
	}
}
