package mvcc

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// benchStore returns a store of n keys with 2 KB values, spread over namespaces.
func benchStore(b *testing.B, n, namespaces, size int) *Store {
	b.Helper()
	s := New(time.Now)
	for i := range n {
		value := make([]byte, size)
		key := fmt.Sprintf("ns%d/k%07d", i%namespaces, i)
		if _, err := s.Put("pods", key, 0, func(int64) ([]byte, any) { return value, nil }); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// BenchmarkWakeOne is a write that wakes one watcher of one key, beside others that watch other
// keys. Their number must not matter.
func BenchmarkWakeOne(b *testing.B) {
	for _, others := range []int{0, 100, 10_000} {
		b.Run(fmt.Sprintf("others=%d", others), func(b *testing.B) {
			s := benchStore(b, others+1, 1, 16)
			for i := range others {
				w, err := s.Watch(Scope{Bucket: "pods", Key: fmt.Sprintf("ns0/k%07d", i+1)}, s.Status().Head)
				if err != nil {
					b.Fatal(err)
				}
				defer w.Close()
			}
			const key = "ns0/k0000000"
			w, err := s.Watch(Scope{Bucket: "pods", Key: key}, s.Status().Head)
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			rev, value := int64(2), make([]byte, 16)
			build := func(int64) ([]byte, any) { return value, nil }
			runtime.GC()
			b.ReportAllocs()
			for n := 1; b.Loop(); n++ {
				e, err := s.Put("pods", key, rev, build)
				if err != nil {
					b.Fatal(err)
				}
				rev = e.Revision
				<-w.Ready()
				if events, err := w.Next(0, 0); len(events) != 1 || err != nil {
					b.Fatal(len(events), err)
				}
				if n%10_000 == 0 { // otherwise the history would be measured
					if err := s.Compact(rev); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkOneName is a range over one name in all of a thousand namespaces.
func BenchmarkOneName(b *testing.B) {
	s := benchStore(b, 1_000_000, 1000, 16)
	b.ReportAllocs()
	for b.Loop() {
		page, err := s.Range("pods", Query{Name: "k0000007"})
		if err != nil || len(page.Items) != 1 {
			b.Fatal(len(page.Items), err)
		}
	}
}

// BenchmarkMemory reports, in bytes, what a key takes beyond its value, what an idle watcher takes,
// and what a retained deletion adds.
func BenchmarkMemory(b *testing.B) {
	used := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	const n, size = 100_000, 16
	for b.Loop() {
		before := used()
		s := benchStore(b, n, 10, size)
		b.ReportMetric((used()-before)/n-size, "B/key")
		before = used()
		for i := range n {
			key := fmt.Sprintf("ns%d/k%07d", i%10, i)
			v, _, err := s.Get("pods", key, 0)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.Delete("pods", key, v.Revision, func(int64) ([]byte, any) { return v.Value, nil }); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric((used()-before)/n, "B/deletion")
		before = used()
		watchers := make([]*Watcher, n)
		for i := range watchers {
			var err error
			if watchers[i], err = s.Watch(Scope{Bucket: "pods", Group: fmt.Sprintf("ns%d/", i%10)},
				s.Status().Head); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric((used()-before)/n, "B/watcher")
		runtime.KeepAlive(s)
		runtime.KeepAlive(watchers)
	}
}

// BenchmarkPutDelete is a create and the deletion of a key among 5,000 others: with terms, two that all have and
// two that only it has.
func BenchmarkPutDelete(b *testing.B) {
	for _, n := range []int{0, 4} {
		b.Run(fmt.Sprintf("terms=%d", n), func(b *testing.B) {
			s := New(time.Now)
			put := func(i int) *Event {
				x := &testTerms{terms: []Term{{"app", "a"}, {"app", "*"}, {"n", fmt.Sprint(i)}, {"m", fmt.Sprint(i)}}[:n]}
				e, err := s.Put("pods", fmt.Sprintf("ns/k%07d", i*7919%1_000_000), 0, func(int64) ([]byte, any) { return nil, x })
				if err != nil {
					b.Fatal(err)
				}
				return e
			}
			for i := range 5000 {
				put(i)
			}
			runtime.GC()
			b.ReportAllocs()
			for i := 5000; b.Loop(); i++ {
				e := put(i)
				if _, err := s.Delete("pods", e.Key, e.Revision, func(int64) ([]byte, any) { return nil, e.Attrs }); err != nil {
					b.Fatal(err)
				}
				if i%1000 == 0 {
					if err := s.Compact(s.head); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
