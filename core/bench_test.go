package core

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/registry"
)

// discard is a response writer that keeps only the code and the number of bytes.
type discard struct {
	header http.Header
	code   int
	bytes  int
}

func (d *discard) Header() http.Header  { return d.header }
func (d *discard) WriteHeader(code int) { d.code = code }
func (d *discard) Flush()               {}
func (d *discard) Write(b []byte) (int, error) {
	d.bytes += len(b)
	return len(b), nil
}

func benchCluster(b testing.TB) *Cluster {
	c, _ := newCluster(b, Options{Clock: clock.Real()})
	return c
}

func bench(b testing.TB, c *Cluster, code int, method, path, body string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	w := &discard{header: http.Header{}}
	c.ServeHTTP(w, r)
	if w.code != code {
		b.Fatalf("%s %s: %d", method, path, w.code)
	}
}

// pod returns a manifest that takes about 2 KB when stored, as real pods do.
func pod(name string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"app":"web","tier":"frontend"},"annotations":{"note":%q}},
"spec":{"containers":[{"name":"web","image":"registry.k8s.io/nginx:1.27","ports":[{"containerPort":80}],
"resources":{"requests":{"cpu":"100m","memory":"64Mi"}},"env":[{"name":"GET_HOSTS_FROM","value":"dns"}]}]}}`, name,
		strings.Repeat("x", 700))
}

const pods = "/api/v1/namespaces/default/pods"

// fill stores n ConfigMaps, and others in another namespace, without going through HTTP. Each has
// its own bytes, as stored objects do.
func fill(b testing.TB, c *Cluster, n, others int) {
	bench(b, c, 201, "POST", configMaps, configMap("p", strings.Repeat("x", 100)))
	i := c.current.Load()
	row := i.table.Resource("", "v1", "configmaps")
	value, err := i.registry.Get(b.Context(), registry.Target{Resource: row, Namespace: "default", Name: "p"})
	if err != nil {
		b.Fatal(err)
	}
	attrs, err := registry.Load(row, value)
	if err != nil {
		b.Fatal(err)
	}
	for k := range n - 1 + others {
		namespace := "default"
		if k >= n-1 {
			namespace = "another"
		}
		_, err := i.store.Put(row.Bucket(), fmt.Sprintf("%s/q%07d", namespace, k), 0,
			func(int64) ([]byte, any) { return bytes.Clone(value), attrs })
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPage500 must not depend on the size of the collection, neither in the namespace nor in
// others.
func BenchmarkPage500(b *testing.B) {
	for _, n := range []struct {
		name         string
		here, others int
	}{{"among=1000", 1000, 0}, {"among=1000000", 1_000_000, 0}, {"others=1000000", 1000, 1_000_000}} {
		b.Run(n.name, func(b *testing.B) {
			c := benchCluster(b)
			fill(b, c, n.here, n.others)
			runtime.GC() // garbage left by fill is not the page's
			b.ReportAllocs()
			for b.Loop() {
				bench(b, c, 200, "GET", configMaps+"?limit=500", "")
			}
		})
	}
}

// BenchmarkStart measures the time from nothing to the first answered request.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		c, err := New(Options{Clock: clock.Real(), Rand: randomness()})
		if err != nil {
			b.Fatal(err)
		}
		bench(b, c, 200, "GET", "/api/v1/namespaces", "")
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDeadKeys reads among 5,000 objects while the number of deleted objects that are still in
// the history grows. That number must not matter.
func BenchmarkDeadKeys(b *testing.B) {
	const live = 5000
	c := benchCluster(b)
	object := func(name, label string) string {
		return fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"part":%q}},"data":{"v":%q}}`, name, label,
			strings.Repeat("x", 1800))
	}
	for i := range live {
		bench(b, c, 201, "POST", configMaps, object(fmt.Sprintf("k%04d", i), fmt.Sprint(i%100)))
	}
	made := 0
	for _, dead := range []int{0, 20_000, 90_000} { // with more, history would be compacted
		for ; made < dead; made++ {
			name := fmt.Sprintf("k%04d-%d", made%live, made)
			bench(b, c, 201, "POST", configMaps, object(name, "0"))
			bench(b, c, 200, "DELETE", configMaps+"/"+name, "")
		}
		for what, path := range map[string]string{
			"get": configMaps + "/k2500", "labels": configMaps + "?labelSelector=part%3D7",
			"page": configMaps + "?limit=500", "list": configMaps,
		} {
			b.Run(fmt.Sprintf("%s/dead=%d", what, dead), func(b *testing.B) {
				runtime.GC() // otherwise compaction would continue in the background, for longer the more there is
				for b.Loop() {
					bench(b, c, 200, "GET", path, "")
				}
			})
		}
	}
}
