package core

import (
	"bytes"
	"fmt"
	"io"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
)

// multiply stores n objects with all that the server keeps of each, without going through HTTP: the first one exists,
// and the others are made of its bytes, in which seven zeros of its name are replaced. It returns the bytes of one.
func multiply(b *testing.B, c *Cluster, plural, name string, n int) int {
	i := c.current.Load()
	row := i.table.Resource("", "v1", plural)
	value, err := i.registry.Get(b.Context(), registry.Target{Resource: row, Namespace: "default", Name: name})
	if err != nil {
		b.Fatal(err)
	}
	part := registry.AttributesPart(row)
	for k := 1; k < n; k++ {
		own := fmt.Sprintf("%07d", k)
		text := bytes.ReplaceAll(value, []byte("0000000"), []byte(own))
		attrs, err := registry.Stored(row, text, part, i.store.Last(row.Bucket()))
		if err != nil {
			b.Fatal(err)
		}
		key := "default/" + strings.Replace(name, "0000000", own, 1)
		if _, err := i.store.Put(row.Bucket(), key, 0, func(int64) ([]byte, any) { return text, attrs }); err != nil {
			b.Fatal(err)
		}
	}
	return len(value)
}

// A savedLog is a storage that begins with a log, of which there is no other copy.
type savedLog struct {
	journal.Memory
	text []byte
}

func (s *savedLog) Read() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s.text)), nil }

// least returns how long f takes, the least of some times: on a machine that does other things the rest is theirs.
func least(times int, f func()) time.Duration {
	took := time.Duration(1<<63 - 1)
	for range times {
		begin := time.Now()
		f()
		took = min(took, time.Since(begin))
	}
	return took
}

// longestWait returns the longest time that a write waits while f runs, in milliseconds.
func longestWait(b *testing.B, s *mvcc.Store, bucket string, f func()) float64 {
	var writer sync.WaitGroup
	begun, end, longest := make(chan struct{}), make(chan struct{}), time.Duration(0)
	writer.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-end:
				return
			case <-time.After(100 * time.Microsecond):
			}
			begin := time.Now()
			key, rev := fmt.Sprint("probe", n), int64(0)
			if _, err := s.Put(bucket, key, rev, func(int64) ([]byte, any) { return nil, nil }); err != nil {
				b.Error(err)
			}
			if longest = max(longest, time.Since(begin)); n == 0 {
				close(begun)
			}
		}
	})
	<-begun
	f()
	close(end)
	writer.Wait()
	return float64(longest) / 1e6
}

// BenchmarkGrowth says how costs grow with the number of objects: the memory of each against its bytes, a get, the
// first page of 500 and one in the middle, the start from a log, and how long writes wait, at most, for a snapshot and
// for a compaction at the head.
func BenchmarkGrowth(b *testing.B) {
	for _, g := range []struct {
		plural, path, manifest string
		most                   int
	}{
		{"configmaps", configMaps, configMap("p0000000", strings.Repeat("x", 40)), 1_000_000},
		{"pods", pods, strings.Replace(pod("p0000000"), `"note":"`, `"note":"`+strings.Repeat("y", 900), 1), 100_000},
	} {
		for n := 1000; n <= g.most; n *= 10 {
			b.Run(fmt.Sprintf("%s=%d", g.plural, n), func(b *testing.B) {
				for b.Loop() {
					grow(b, g.plural, g.path, g.manifest, n)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func grow(b *testing.B, plural, path, manifest string, n int) {
	c := benchCluster(b)
	bench(b, c, 201, "POST", path, manifest)
	used := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	before := used()
	size := multiply(b, c, plural, "p0000000", n)
	b.ReportMetric(float64(size), "bytes")
	b.ReportMetric((used()-before)/float64(n-1)/float64(size), "of-its-bytes")
	i := c.current.Load()

	get := reading(b, c, path+fmt.Sprintf("/p%07d", n/2))
	b.ReportMetric(float64(least(2000, get))/1e3, "µs/get")
	b.ReportMetric(float64(least(200, reading(b, c, path+"?limit=500")))/1e3, "µs/page")
	row := i.table.Resource("", "v1", plural)
	l, err := i.registry.List(b.Context(), registry.Target{Resource: row, Namespace: "default"},
		registry.ListOptions{Limit: int64(n / 2)})
	if err != nil {
		b.Fatal(err)
	}
	middle := reading(b, c, path+"?limit=500&continue="+l.Continue)
	b.ReportMetric(float64(least(200, middle))/1e3, "µs/page-in-the-middle")

	log := new(bytes.Buffer)
	header := i.header.Encode()
	if err := journal.Snapshot(log, header, i.store); err != nil {
		b.Fatal(err)
	}
	saved := &savedLog{text: log.Bytes()}
	b.ReportMetric(float64(least(2, func() {
		other, err := New(Options{Clock: clock.Real(), Rand: randomness(), Storage: saved})
		if err != nil {
			b.Fatal(err)
		}
		defer other.Close()
		w := httptest.NewRecorder()
		if other.ServeHTTP(w, httptest.NewRequest("GET", path+"/p0000000", nil)); w.Code != 200 {
			b.Fatal(w.Body)
		}
	}))/1e6, "ms/start")

	b.ReportMetric(longestWait(b, i.store, "snapshot", func() {
		if err := journal.Snapshot(io.Discard, header, i.store); err != nil {
			b.Error(err)
		}
	}), "ms-for-a-snapshot")
	b.ReportMetric(longestWait(b, i.store, "compaction", func() {
		head, _ := i.store.Bounds()
		if err := i.store.Compact(head); err != nil {
			b.Error(err)
		}
	}), "ms-for-a-compaction")
	runtime.KeepAlive(c)
}
