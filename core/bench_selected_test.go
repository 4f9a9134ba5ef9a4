package core

import (
	"fmt"
	"net/url"
	"runtime"
	"testing"

	"github.com/tabernetes/tabernetes/core/registry"
)

// fillPods stores n pods without going through HTTP: 50 of them, spread evenly, are on the node "few" and have
// the label app=few.
func fillPods(b testing.TB, c *Cluster, n int) {
	b.Helper()
	i := c.current.Load()
	row := i.table.Resource("", "v1", "pods")
	for k := range n {
		at := "many"
		if k%(n/50) == 0 {
			at = "few"
		}
		name := fmt.Sprintf("q%07d", k)
		value := []byte(fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"default",`+
			`"labels":{"app":%q,"tier":"web"}},"spec":{"nodeName":%q}}`, name, at, at))
		attrs, err := registry.Load(row, value)
		if err != nil {
			b.Fatal(err)
		}
		build := func(int64) ([]byte, any) { return value, attrs }
		if _, err := i.store.Put(row.Bucket(), "default/"+name, 0, build); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSelected are lists that find 50 pods. They must not depend on how many there are.
func BenchmarkSelected(b *testing.B) {
	for name, query := range map[string]string{
		"label":  "labelSelector=app%3Dfew",
		"in":     "labelSelector=" + url.QueryEscape("app in (few,none),tier"),
		"node":   "fieldSelector=spec.nodeName%3Dfew",
		"page":   "limit=50&labelSelector=app%3Dfew",
		"newest": "resourceVersion=0&labelSelector=app%3Dfew",
	} {
		for _, n := range []int{100, 5000, 100_000} {
			b.Run(fmt.Sprintf("%s/among=%d", name, n), func(b *testing.B) {
				c := benchCluster(b)
				fillPods(b, c, n)
				runtime.GC()
				b.ReportAllocs()
				for b.Loop() {
					bench(b, c, 200, "GET", pods+"?"+query, "")
				}
			})
		}
	}
}
